"""Question fine-tuning: [o s p] is to give the answer. Full, low-rank, or with a part frozen."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.core import AbstractAlgorithm, Config, Count, Metrics, NonNegative, Positive, TrainState, require
from lemmata.papers.knowledge.model import OneLayer, Part, learned
from lemmata.papers.knowledge.model.one_layer import check_rank
from lemmata.papers.knowledge.run.pretraining import Rates, adamw, plain
from lemmata.papers.knowledge.task import CoverageConfig, Questions
from lemmata.train import Descent

MOVES: dict[Part, tuple[float, float]] = {"both": (1.0, 1.0), "attention": (1.0, 0.0), "neurons": (0.0, 1.0)}
MOST_POWERS = 100  # where the first two are that close, either will do


@dataclass(frozen=True, kw_only=True)
class DescentConfig(Config):
    """Fine-tuning as the theory has it: gradient descent on the mean loss over all questions that are asked."""

    attention_rate: Positive = 0.1  # in units of `model.rate_unit`, m / (lambda^2 d)
    neuron_rate: Positive = 3.0
    gradient_rank: Count | None = None  # of the neurons' gradient; 1 is RA_1(G) of equation (216), None: all of it


@dataclass(frozen=True, kw_only=True)
class FineTuningConfig(Config):
    """The defaults are full fine-tuning on every question of the fine-tuning half. Our text names AdamW for
    pre-training and is cut before it says what fine-tunes; the theory descends along the gradient: `descent`."""

    coverage: CoverageConfig = field(default_factory=CoverageConfig)
    steps: Count = 120
    descent: DescentConfig | None = None  # instead of AdamW, to which the next three belong
    batch: Count = 64
    rate: Positive = 3e-4  # of both parts; low-rank factors start from 0 and need about 1e-3
    weight_decay: NonNegative = 1e-4
    part: Part = "both"  # what learns; the other part is frozen
    rank: int | None = None  # of a low-rank update of what learns; None: full matrices
    records: Count = 1  # rows of metrics along the way, besides the first

    def cross_check(self) -> None:
        require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")
        truncated = self.descent is not None and self.descent.gradient_rank is not None
        allowed = "None where the whole gradient of the neurons is truncated"
        require(not truncated or self.rank is None, "rank", self.rank, allowed)
        require(
            not truncated or self.part != "attention", "part", self.part, "one with the neurons, to truncate theirs"
        )

    def check(self, width: int, neurons: int, where: str = "tuning") -> None:
        """Refuse a rank over that of A (width x width) or of w (width x neurons in all)."""
        if self.rank is not None:
            check_rank(self.rank, min(width, neurons), f"{where}.rank")
        if self.descent is not None and self.descent.gradient_rank is not None:
            check_rank(self.descent.gradient_rank, min(width, neurons), f"{where}.descent.gradient_rank")


def fine_tuning(config: FineTuningConfig, questions: Sequence[Questions] = (), unit: float = 1.0) -> "FineTuning":
    """Descent is for tasks of these questions, with its rates in this unit. A part that is frozen has the rate 0, so
    that one program serves every part."""
    attention, neurons = MOVES[config.part]
    if config.descent is None:
        rates = Rates(attention * config.rate, neurons * config.rate, config.weight_decay)
        return FineTuning(Descent(Lessons(config.batch), learned, adamw, rates))
    most = max([1, *(int(one.num_asked) for one in questions)])
    lessons = Lessons(most, whole=True, rank=config.descent.gradient_rank)
    rates = Rates(attention * config.descent.attention_rate * unit, neurons * config.descent.neuron_rate * unit)
    return FineTuning(Descent(lessons, learned, plain, rates))


class FineTuning(AbstractAlgorithm):
    """A replica without any question to ask (an empty coverage) stays as it is."""

    descent: Descent

    def init(self, model: OneLayer) -> TrainState:
        return self.descent.init(model)

    def step(self, task: Questions, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        moved, metrics = self.descent.step(task, state, key=key)
        return jax.tree.map(lambda new, old: jnp.where(task.num_asked > 0, new, old), moved, state), metrics


class Lessons(eqx.Module):
    """The objective on `batch` questions drawn from those that are asked; or on the whole of these, of which there are
    `batch` at most, the neurons' gradient cut to a rank."""

    batch: int = eqx.field(static=True)
    whole: bool = eqx.field(static=True, default=False)
    rank: int | None = eqx.field(static=True, default=None)

    def __call__(self, moving: Any, fixed: Any, task: Questions, key: Key[Array, ""]) -> tuple[Metrics, Any]:
        def loss(part: Any) -> Float[Array, ""]:
            model = eqx.combine(part, fixed)
            if not self.whole:
                return jnp.mean(surprise(model, task, task.draw(self.batch, key=key)))
            each, asked = surprise(model, task, task.asked[: self.batch]), jnp.arange(self.batch) < task.num_asked
            return jnp.sum(jnp.where(asked, each, 0)) / jnp.maximum(task.num_asked, 1)

        value, gradient = jax.value_and_grad(loss)(moving)
        if self.rank is not None:
            gradient = eqx.tree_at(lambda one: one.neurons, gradient, replace_fn=partial(truncated, rank=self.rank))
        return {"loss": value}, gradient


def truncated(gradient: Float[Array, "width neuron class"], rank: int) -> Float[Array, "width neuron class"]:
    """The nearest matrix (width x neurons in all) of that rank: its part along the leading left singular vectors."""
    matrix = gradient.reshape(gradient.shape[0], -1)
    leading = leading_direction(matrix) if rank == 1 else jnp.linalg.eigh(matrix @ matrix.T)[1][:, -rank:]
    return (leading @ (leading.T @ matrix)).reshape(gradient.shape)


def leading_direction(matrix: Float[Array, "width unit"]) -> Float[Array, "width 1"]:
    """The first left singular vector, by powers of matrix @ matrix.T: to know them all takes many times as long."""

    def unit(values: Float[Array, "width 1"]) -> Float[Array, "width 1"]:
        return values / jnp.maximum(jnp.linalg.norm(values), jnp.finfo(values.dtype).tiny)

    def turns(state: tuple[Array, Array, Array]) -> Bool[Array, ""]:
        before, now, number = state
        return (number < MOST_POWERS) & (jnp.linalg.norm(now - before) > 100 * jnp.finfo(now.dtype).eps)

    def power(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        _, now, number = state
        return now, unit(matrix @ (matrix.T @ now)), number + 1

    longest = jnp.argmax(jnp.sum(matrix**2, axis=0))
    start = unit(jax.lax.dynamic_slice_in_dim(matrix, longest, 1, axis=1))
    return jax.lax.while_loop(turns, power, (jnp.zeros_like(start), start, jnp.zeros((), jnp.int32)))[1]


def surprise(model: OneLayer, task: Questions, subjects: Int[Array, " batch"]) -> Float[Array, " batch"]:
    """At the taught answers to these subjects' questions; names of one token."""
    chance = jax.nn.log_softmax(jax.vmap(model.last)(task.facts.prompts(subjects)), axis=1)
    target = 1 + task.facts.vocabulary.templates + task.taught[subjects]
    return -jnp.take_along_axis(chance, target[:, None], axis=1)[:, 0]
