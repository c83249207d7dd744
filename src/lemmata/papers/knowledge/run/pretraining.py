"""Next-token pre-training: AdamW on fresh sentences, with a rate for the neurons and another for the attention."""

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import optax
from jaxtyping import Array, Float, Key, PyTree

from lemmata.core import AbstractAlgorithm, Metrics, TrainState, require
from lemmata.papers.knowledge.model import OneLayer, learned
from lemmata.papers.knowledge.run.sentence_gradient import sentence_gradient
from lemmata.papers.knowledge.task import Facts
from lemmata.train.losses import next_token_loss


@dataclass(frozen=True, kw_only=True)
class PreTrainingConfig:
    """The paper says AdamW and no more. One rate of 1e-2 for both parts is pathological: facts come out unasked."""

    steps: int = 2000
    batch: int = 128  # sentences a step, three prefixes each
    neuron_rate: float = 1e-3
    attention_rate: float = 1e-4
    weight_decay: float = 1e-4
    records: int = 4  # rows of metrics along the way, besides the first

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "records"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        for name in ("neuron_rate", "attention_rate"):
            require(getattr(self, name) > 0, name, getattr(self, name), "above 0")
        require(self.weight_decay >= 0, "weight_decay", self.weight_decay, "not negative")
        require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")


class PreTraining(AbstractAlgorithm):
    config: PreTrainingConfig = eqx.field(static=True)

    def init(self, model: OneLayer) -> TrainState:
        return TrainState(model, _rule(self.config.weight_decay).init(eqx.filter(model, learned(model))))

    def step(self, task: Facts, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        loss, gradient = pretraining_gradient(state.model, task, self.config.batch, key)
        rates = (self.config.attention_rate, self.config.neuron_rate)
        return adamw_step(state, gradient, rates, self.config.weight_decay), {"loss": loss}


def pretraining_gradient(
    model: OneLayer, task: Facts, batch: int, key: Key[Array, ""]
) -> tuple[Float[Array, ""], OneLayer]:
    """On `batch` fresh sentences; the gradient has the model's form, with None where nothing learns."""
    chosen, fixed = eqx.partition(model, learned(model))
    if task.vocabulary.name_length == 1:
        loss, attention, neurons = sentence_gradient(model, task, *task.draw(batch, key=key))
        return loss, eqx.tree_at(lambda one: (one.attention, one.neurons), chosen, (attention, neurons))
    sentences = task.sample(batch, key=key)
    return jax.value_and_grad(lambda part: next_token_loss(eqx.combine(part, fixed), sentences))(chosen)


def adamw_step(state: TrainState, gradient: PyTree, rates: tuple[float, float], weight_decay: float) -> TrainState:
    """One AdamW step of the leaves that `gradient` has, at (attention, neuron) rates of their own."""
    leaves = jax.tree.map(lambda one, g: None if g is None else one, state.model, gradient, is_leaf=_is_none)
    updates, memory = _rule(weight_decay).update(gradient, state.opt_state, leaves)
    by_part = scaled(updates, -rates[0], -rates[1])
    return TrainState(eqx.apply_updates(state.model, by_part), memory)


def scaled(model: Any, attention: float, neurons: float) -> Any:
    """Every array of the attention's part times one number, of the neurons' part times another."""
    where = lambda one: (one.attention, one.attention_update, one.neurons, one.neuron_update)  # noqa: E731
    factors = (attention, attention, neurons, neurons)
    parts = [jax.tree.map(lambda x, f=f: f * x, part) for part, f in zip(where(model), factors, strict=True)]
    return eqx.tree_at(where, model, parts, is_leaf=_is_none)


def _rule(weight_decay: float) -> optax.GradientTransformation:
    return optax.chain(optax.scale_by_adam(), optax.add_decayed_weights(weight_decay))


def _is_none(leaf: Any) -> bool:
    return leaf is None
