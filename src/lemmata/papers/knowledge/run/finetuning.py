"""Question fine-tuning: [o s p] is to give the answer. Full, low-rank, or with a part frozen."""

from dataclasses import dataclass, field

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lemmata.core import AbstractAlgorithm, Metrics, TrainState, require
from lemmata.papers.knowledge.model import OneLayer, Part, check_rank, learned
from lemmata.papers.knowledge.run.pretraining import _rule, adamw_step
from lemmata.papers.knowledge.task import CoverageConfig, Questions
from lemmata.train.losses import next_token_loss


@dataclass(frozen=True, kw_only=True)
class FineTuningConfig:
    """The defaults are full fine-tuning on every question of the fine-tuning half."""

    coverage: CoverageConfig = field(default_factory=CoverageConfig)
    steps: int = 120
    batch: int = 64
    rate: float = 3e-4  # of both parts; low-rank factors start from 0 and need about 1e-3
    weight_decay: float = 1e-4
    part: Part = "both"  # what learns; the other part is frozen
    rank: int | None = None  # of a low-rank update of what learns; None: full matrices
    records: int = 1  # rows of metrics along the way, besides the first

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "records"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        require(self.rate > 0, "rate", self.rate, "above 0")
        require(self.weight_decay >= 0, "weight_decay", self.weight_decay, "not negative")
        require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")

    def check(self, width: int, neurons: int, where: str = "tuning") -> None:
        """Refuse a rank over that of A (width x width) or of w (width x neurons in all), whichever learns."""
        if self.rank is not None:
            check_rank(self.rank, width if self.part == "attention" else min(width, neurons), f"{where}.rank")


class FineTuning(AbstractAlgorithm):
    """A replica without any question to ask (an empty coverage) stays as it is."""

    config: FineTuningConfig = eqx.field(static=True)

    def init(self, model: OneLayer) -> TrainState:
        rule = _rule(self.config.weight_decay)
        return TrainState(model, rule.init(eqx.filter(model, learned(model, self.config.part))))

    def step(self, task: Questions, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        config, model = self.config, state.model
        subjects = task.draw(config.batch, key=key)
        chosen, fixed = eqx.partition(model, learned(model, config.part))

        def loss(part: OneLayer) -> Float[Array, ""]:
            return question_loss(eqx.combine(part, fixed), task, subjects)

        value, gradient = jax.value_and_grad(loss)(chosen)
        moved = adamw_step(state, gradient, (config.rate, config.rate), config.weight_decay)
        asks = task.num_asked > 0
        return jax.tree.map(lambda new, old: jnp.where(asks, new, old), moved, state), {"loss": value}


def question_loss(model: OneLayer, task: Questions, subjects: Int[Array, " batch"]) -> Float[Array, ""]:
    """The mean surprise at the taught answers to these subjects' questions."""
    answers = task.taught[subjects]
    if task.facts.vocabulary.name_length > 1:
        return next_token_loss(model, task.facts.question_batch(subjects, answers))
    chance = jax.nn.log_softmax(question_logits(model, task, subjects), axis=1)
    target = 1 + task.facts.vocabulary.templates + answers
    return -jnp.mean(jnp.take_along_axis(chance, target[:, None], axis=1))


def question_logits(model: OneLayer, task: Questions, subjects: Int[Array, " batch"]) -> Float[Array, "batch class"]:
    """Class logits at the end of [o s p], for names of one token."""
    return jax.vmap(model.last)(task.facts.prompts(subjects))
