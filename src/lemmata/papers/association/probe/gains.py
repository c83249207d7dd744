"""How much an edit raised an answer against "the": ratios of mean probabilities, with intervals over prompts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.special import stdtrit  # scipy.stats takes as long to load as all the rest of a command

from lemmata.core import LEVEL, Sample, named_generator

DRAWS = 1000
PerPrompt = Float[np.ndarray, " prompt"]


@dataclass(frozen=True)
class Probabilities:
    """Of each prompt's answer and of "the" after it."""

    answer: PerPrompt
    the: PerPrompt

    def ratio(self, prompts: Int[np.ndarray, "*draw prompt"]) -> np.ndarray | np.float64:
        """Mean over mean, as the paper's "2.3x" is made, of these prompts."""
        return self.answer[prompts].mean(axis=-1) / self.the[prompts].mean(axis=-1)

    @property
    def of_all(self) -> float:
        """The ratio of all prompts."""
        return float(self.ratio(np.arange(len(self.the))))


@dataclass(frozen=True)
class OverPrompts(Sample):
    """A statistic of prompts, and the same of prompts drawn again with replacement.

    The interval is Student's t with the bootstrap's standard error: resampling a few tens of prompts alone is a little
    too narrow. Of a ratio it is taken of the logarithm.
    """

    unit = "prompts"
    estimate: float
    draws: Float[np.ndarray, " draw"]
    prompts: int
    is_ratio: bool = False

    @property
    def count(self) -> int:
        return self.prompts

    @property
    def mean(self) -> float:
        return self.estimate

    def interval(self, level: float = LEVEL, count: int | None = None) -> tuple[float, float]:
        count = count or self.prompts
        if self.prompts == 1:
            return (0.0 if self.is_ratio else -np.inf), np.inf
        draws = np.log(self.draws) if self.is_ratio else self.draws
        spread = float(draws.std(ddof=1)) * np.sqrt(self.prompts / count)
        half = stdtrit(count - 1, (1 + level) / 2) * spread
        if self.is_ratio:
            return self.estimate * np.exp(-half), self.estimate * np.exp(half)
        return self.estimate - half, self.estimate + half


def over_prompts(statistic: Callable[[np.ndarray], Any], count: int, *, is_ratio: bool) -> OverPrompts:
    """`statistic` takes places of prompts, [..., prompt], and gives one number for each set of them."""
    stream = named_generator(0, "bootstrap", str(count))
    picks = stream.integers(0, count, size=(DRAWS, count))
    return OverPrompts(float(statistic(np.arange(count))), np.asarray(statistic(picks)), count, is_ratio)


def gain(after: Probabilities, before: Probabilities) -> OverPrompts:
    """The factor by which answer/"the" rose from one model to another, on the same prompts."""
    return over_prompts(lambda rows: after.ratio(rows) / before.ratio(rows), len(before.the), is_ratio=True)


def fold(after: PerPrompt, before: PerPrompt) -> OverPrompts:
    """The factor by which one mean probability changed."""
    return over_prompts(lambda rows: after[rows].mean(axis=-1) / before[rows].mean(axis=-1), len(before), is_ratio=True)


@dataclass(frozen=True)
class Compared:
    """The same prompts after an edit, and before it."""

    edit: Probabilities
    whole: Probabilities

    def gain(self) -> OverPrompts:
        return gain(self.edit, self.whole)

    def answer_left(self) -> OverPrompts:
        return fold(self.edit.answer, self.whole.answer)

    def the_left(self) -> OverPrompts:
        return fold(self.edit.the, self.whole.the)


def best(answer: Float[np.ndarray, "edit prompt"], the: Float[np.ndarray, "edit prompt"], least: float) -> int | None:
    """The edit of the largest answer/"the" among those that leave the answer a mean probability of at least `least`.

    Without that, an edit that wrecks the model would win: it makes every word rare.
    """
    ratio = np.where(answer.mean(axis=1) >= least, answer.mean(axis=1) / the.mean(axis=1), -np.inf)
    return int(np.argmax(ratio)) if np.isfinite(ratio).any() else None
