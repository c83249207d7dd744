"""Question fine-tuning: [o s p] is to give the answer. Full, low-rank, or with a part frozen."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lemmata import core
from lemmata.papers.knowledge.model import OneLayer, TrainedPart, trainable
from lemmata.papers.knowledge.model.one_layer import Factors, check_rank
from lemmata.papers.knowledge.run.fast.finetuning_gradient import TrainQuestions, finetuning_gradient, tokens_read
from lemmata.papers.knowledge.run.fast.token_descent import TokenDescent
from lemmata.papers.knowledge.run.pretraining import LearningRates, adamw, gradient_descent
from lemmata.papers.knowledge.task import CoverageConfig, Questions
from lemmata.train import Descent

MOVES: dict[TrainedPart, tuple[float, float]] = {"both": (1.0, 1.0), "attention": (1.0, 0.0), "neurons": (0.0, 1.0)}


@dataclass(frozen=True, kw_only=True)
class DescentConfig(core.Config):
    """Fine-tuning as the theory has it: gradient descent on the mean loss over all questions that are asked."""

    # In units of `model.learning_rate_unit`, m / (lambda^2 d).
    attention_learning_rate: core.Positive = field(default=0.1, metadata=core.stored_as("attention_rate"))
    neuron_learning_rate: core.Positive = field(default=3.0, metadata=core.stored_as("neuron_rate"))
    gradient_rank: core.Count | None = None  # of the neurons' gradient; 1 is RA_1(G) of equation (216), None: all of it


@dataclass(frozen=True, kw_only=True)
class FineTuningConfig(core.Config):
    """The defaults are full fine-tuning on every question of the fine-tuning half. Our text names AdamW for
    pre-training and is cut before it says what fine-tunes; the theory descends along the gradient: `descent`."""

    coverage: CoverageConfig = field(default_factory=CoverageConfig)
    steps: core.Count = 120
    descent: DescentConfig | None = None  # instead of AdamW, to which the next three belong
    batch: core.Count = 64
    # Of both parts; low-rank factors start from 0 and need about 1e-3.
    learning_rate: core.Positive = field(default=3e-4, metadata=core.stored_as("rate"))
    weight_decay: core.NonNegative = 1e-4
    part: TrainedPart = "both"  # what learns; the other part is frozen
    rank: int | None = None  # of a low-rank update of what learns; None: full matrices
    records: core.Count = 1  # rows of metrics along the way, besides the first

    def cross_check(self) -> None:
        core.require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")
        truncated = self.descent is not None and self.descent.gradient_rank is not None
        allowed = "None where the whole gradient of the neurons is truncated"
        core.require(not truncated or self.rank is None, "rank", self.rank, allowed)
        core.require(
            not truncated or self.part != "attention", "part", self.part, "one with the neurons, to truncate theirs"
        )

    def check(self, width: int, neurons: int, where: str = "tuning") -> None:
        """Refuse a rank over that of A (width x width) or of w (width x neurons in all)."""
        if self.rank is not None:
            check_rank(self.rank, min(width, neurons), f"{where}.rank")
        if self.descent is not None and self.descent.gradient_rank is not None:
            check_rank(self.descent.gradient_rank, min(width, neurons), f"{where}.descent.gradient_rank")


def fine_tuning(config: FineTuningConfig, questions: Sequence[Questions], unit: float = 1.0) -> core.AbstractAlgorithm:
    """For tasks of these questions; descent has its rates in this unit. A part that is frozen has the rate 0, so that
    one program serves every part."""
    attention, neurons = MOVES[config.part]
    subjects, descent = _room(questions), config.descent
    if descent is None:
        lr = LearningRates(attention * config.learning_rate, neurons * config.learning_rate, config.weight_decay)
        return FineTuning(Descent(QuestionLoss(subjects, batch=config.batch), trainable, adamw, lr))
    lr = LearningRates(
        attention * descent.attention_learning_rate * unit, neurons * descent.neuron_learning_rate * unit
    )
    if config.rank is None and descent.gradient_rank in (None, 1):
        return TokenDescent(lr, subjects, leading=descent.gradient_rank == 1)
    return FineTuning(Descent(QuestionLoss(subjects, rank=descent.gradient_rank), trainable, gradient_descent, lr))


def _room(questions: Sequence[Questions]) -> int:
    """For the most subjects that any of them asks about. Where these numbers differ they may be drawn, and with a
    little more room another draw fits the same program."""
    numbers = {int((np.asarray(one.share) > 0).sum()) for one in questions}
    most = max(1, *numbers)
    return most if len(numbers) < 2 else min(16 * -(-most // 16), questions[0].share.shape[0])


class FineTuning(core.AbstractAlgorithm):
    """A replica without any question to ask (an empty coverage) stays as it is."""

    descent: Descent

    def init(self, model: OneLayer) -> core.TrainState:
        return self.descent.init(model)

    def step(
        self, task: Questions, state: core.TrainState, *, key: Key[Array, ""]
    ) -> tuple[core.TrainState, core.Metrics]:
        moved, metrics = self.descent.step(task, state, key=key)
        return jax.tree.map(lambda new, old: jnp.where(task.num_asked > 0, new, old), moved, state), metrics


class QuestionLoss(eqx.Module):
    """The objective on `batch` questions drawn from those that are asked, about `subjects` different ones at most; or
    on the whole of these (None), the neurons' gradient cut to a rank."""

    subjects: int = eqx.field(static=True)
    batch: int | None = eqx.field(static=True, default=None)
    rank: int | None = eqx.field(static=True, default=None)

    def __call__(self, moving: Any, fixed: Any, task: Questions, key: Key[Array, ""]) -> tuple[core.Metrics, Any]:
        model = eqx.combine(moving, fixed)
        (a, w), questions = model.matrices(), self.questions(task, key)
        tokens, flat = tokens_read(model, task, questions.subjects), w.reshape(w.shape[0], -1)
        loss, of_a, rows = finetuning_gradient(model, a, task.facts.vocabulary.opened, questions, tokens, tokens @ flat)
        of_w = tokens.T @ rows
        if self.rank is not None:
            of_w = truncated(of_w, self.rank)
        return {"loss": loss}, with_gradient(moving, model, of_a, of_w)

    def questions(self, task: Questions, key: Key[Array, ""]) -> TrainQuestions:
        """A question drawn twice counts twice and is computed once."""
        different, share = task.different[: self.subjects], task.share[: self.subjects]
        if self.batch is None:
            return TrainQuestions.about(task, different, share)
        drawn = task.draw(self.batch, key=key)
        if self.batch <= self.subjects:
            return TrainQuestions.about(task, drawn, jnp.full(self.batch, 1 / self.batch, share.dtype))
        times = jnp.sum((drawn[:, None] == different) & (share > 0), axis=0)
        return TrainQuestions.about(task, different, times.astype(share.dtype) / self.batch)


def with_gradient(
    moving: OneLayer, model: OneLayer, attention: Float[Array, "width width"], neurons: Float[Array, "width unit"]
) -> OneLayer:
    """In what moves: the matrices, or the factors of their updates."""

    def of(matrix: Array, factors: Factors | None, gradient: Array) -> tuple[Array | None, Factors | None]:
        if factors is None:
            return gradient.reshape(matrix.shape), None
        return None, Factors(gradient @ factors.right.T, factors.left.T @ gradient)

    found = of(model.attention, model.attention_update, attention) + of(model.neurons, model.neuron_update, neurons)
    where = lambda one: (one.attention, one.attention_update, one.neurons, one.neuron_update)  # noqa: E731
    return eqx.tree_at(where, moving, found, is_leaf=lambda leaf: leaf is None)


def truncated(gradient: Float[Array, "width unit"], rank: int) -> Float[Array, "width unit"]:
    """The nearest matrix of that rank: its part along the leading left singular vectors."""
    leading = jnp.linalg.eigh(gradient @ gradient.T)[1][:, -rank:]
    return leading @ (leading.T @ gradient)
