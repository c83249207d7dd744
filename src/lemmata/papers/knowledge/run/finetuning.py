"""Question fine-tuning: [o s p] is to give the answer. Full, low-rank, or with a part frozen."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lemmata.core import AbstractAlgorithm, Config, Count, Metrics, NonNegative, Positive, TrainState, require
from lemmata.papers.knowledge.model import OneLayer, Part, learned
from lemmata.papers.knowledge.model.one_layer import check_rank
from lemmata.papers.knowledge.run.pretraining import Rates, adamw, plain
from lemmata.papers.knowledge.task import CoverageConfig, Questions
from lemmata.train import Descent

LEARNED = {part: partial(learned, part=part) for part in get_args(Part)}  # made once: one filter, one program


@dataclass(frozen=True, kw_only=True)
class FineTuningConfig(Config):
    """The defaults are full fine-tuning on every question of the fine-tuning half."""

    coverage: CoverageConfig = field(default_factory=CoverageConfig)
    steps: Count = 120
    batch: Count = 64
    rate: Positive = 3e-4  # of both parts; low-rank factors start from 0 and need about 1e-3
    weight_decay: NonNegative = 1e-4
    part: Part = "both"  # what learns; the other part is frozen
    rank: int | None = None  # of a low-rank update of what learns; None: full matrices
    records: Count = 1  # rows of metrics along the way, besides the first

    def cross_check(self) -> None:
        require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")

    def check(self, width: int, neurons: int, where: str = "tuning") -> None:
        """Refuse a rank over that of A (width x width) or of w (width x neurons in all), whichever learns."""
        if self.rank is not None:
            check_rank(self.rank, width if self.part == "attention" else min(width, neurons), f"{where}.rank")


def fine_tuning(config: FineTuningConfig) -> "FineTuning":
    rates = Rates(config.rate, config.rate, config.weight_decay)
    return FineTuning(Descent(Lessons(config.batch), LEARNED[config.part], adamw, rates))


def question_descent(attention_rate: float, neuron_rate: float) -> Descent:
    """Fine-tuning as the theory has it: gradient descent on the mean loss over all questions that are asked."""
    return Descent(Lessons(), learned, plain, Rates(attention_rate, neuron_rate))


class FineTuning(AbstractAlgorithm):
    """A replica without any question to ask (an empty coverage) stays as it is."""

    descent: Descent

    def init(self, model: OneLayer) -> TrainState:
        return self.descent.init(model)

    def step(self, task: Questions, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        moved, metrics = self.descent.step(task, state, key=key)
        return jax.tree.map(lambda new, old: jnp.where(task.num_asked > 0, new, old), moved, state), metrics


class Lessons(eqx.Module):
    """The objective on `batch` questions drawn from those that are asked, or on all of these, each subject once."""

    batch: int | None = eqx.field(static=True, default=None)

    def __call__(self, moving: Any, fixed: Any, task: Questions, key: Key[Array, ""]) -> tuple[Metrics, Any]:
        def loss(part: Any) -> Float[Array, ""]:
            model = eqx.combine(part, fixed)
            if self.batch is not None:
                return jnp.mean(surprise(model, task, task.draw(self.batch, key=key)))
            asked = task.asked_subjects
            each = surprise(model, task, jnp.arange(len(asked)))
            return jnp.sum(jnp.where(asked, each, 0)) / jnp.maximum(jnp.sum(asked), 1)

        value, gradient = jax.value_and_grad(loss)(moving)
        return {"loss": value}, gradient


def surprise(model: OneLayer, task: Questions, subjects: Int[Array, " batch"]) -> Float[Array, " batch"]:
    """At the taught answers to these subjects' questions; names of one token."""
    chance = jax.nn.log_softmax(jax.vmap(model.last)(task.facts.prompts(subjects)), axis=1)
    target = 1 + task.facts.vocabulary.templates + task.taught[subjects]
    return -jnp.take_along_axis(chance, target[:, None], axis=1)[:, 0]
