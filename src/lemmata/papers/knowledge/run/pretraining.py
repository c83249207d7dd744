"""Next-token pre-training: AdamW on fresh sentences, with a rate for the neurons and another for the attention."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import equinox as eqx
import jax
import optax
from jaxtyping import Array, Key

from lemmata.core import Config, Count, Metrics, NonNegative, Positive, require, stored_as
from lemmata.papers.knowledge.model import OneLayer, trainable
from lemmata.papers.knowledge.run.fast.sentence_gradient import sentence_gradient
from lemmata.papers.knowledge.task import Facts
from lemmata.train import Descent, next_token_loss


@dataclass(frozen=True, kw_only=True)
class PreTrainingConfig(Config):
    """The paper says AdamW and no more. One rate of 1e-2 for both parts is pathological: facts come out unasked."""

    steps: Count = 2000
    batch: Count = 128  # sentences a step, three prefixes each
    neuron_learning_rate: Positive = field(default=1e-3, metadata=stored_as("neuron_rate"))
    attention_learning_rate: Positive = field(default=1e-4, metadata=stored_as("attention_rate"))
    weight_decay: NonNegative = 1e-4
    records: Count = 4  # rows of metrics along the way, besides the first

    def cross_check(self) -> None:
        require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")


def pre_training(config: PreTrainingConfig) -> Descent:
    lr = LearningRates(config.attention_learning_rate, config.neuron_learning_rate, config.weight_decay)
    return Descent(Sentences(config.batch), trainable, adamw, lr)


class Sentences(eqx.Module):
    """The objective on `batch` fresh sentences; its gradient is in closed form where every name is one token."""

    batch: int = eqx.field(static=True)

    def __call__(self, moving: OneLayer, fixed: OneLayer, task: Facts, key: Key[Array, ""]) -> tuple[Metrics, OneLayer]:
        model = eqx.combine(moving, fixed)
        if task.template_names.shape[1] > 1:
            batch = task.sentences(*task.draw(self.batch, key=key))
            loss, gradient = eqx.filter_value_and_grad(lambda one: next_token_loss(eqx.combine(one, fixed), batch))(
                moving
            )
            return {"loss": loss}, gradient
        nlls, attention, neurons = sentence_gradient(model, task, *task.draw(self.batch, key=key))
        gradient = eqx.tree_at(lambda one: (one.attention, one.neurons), moving, (attention, neurons))
        return {"loss": nlls.loss(task.vocabulary.opened)}, gradient


class LearningRates(NamedTuple):
    attention: Any
    neurons: Any
    weight_decay: Any = 0.0


def adamw(lr: LearningRates) -> optax.GradientTransformation:
    return optax.chain(optax.scale_by_adam(), optax.add_decayed_weights(lr.weight_decay), gradient_descent(lr))


def gradient_descent(lr: LearningRates) -> optax.GradientTransformation:
    """Gradient descent in which the attention's part (the matrix or its factors) and the neurons' have their rates."""
    where = lambda one: (one.attention, one.attention_update, one.neurons, one.neuron_update)  # noqa: E731
    steps = (-lr.attention, -lr.attention, -lr.neurons, -lr.neurons)

    def scaled(model: Any, _: Any) -> Any:
        parts = [jax.tree.map(lambda x, by=by: by * x, part) for part, by in zip(where(model), steps, strict=True)]
        return eqx.tree_at(where, model, parts, is_leaf=lambda leaf: leaf is None)

    return optax.stateless(scaled)
