"""Right answers to the same questions before and after a change: gains as samples, and McNemar's test."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from jaxtyping import Bool, Float

from lemmata.core import LEVEL, Sample


@dataclass(frozen=True)
class PairedGains(Sample):
    """Mean differences over questions, each question's own: what both answered alike adds no doubt.

    The interval is normal, of the differences' own spread. Where no question changed there is nothing to tell from:
    then each of the two directions could still be as frequent as three in so many questions (the rule of three).
    """

    unit = "questions"
    differences: Float[np.ndarray, "question *cell"]

    @property
    def count(self) -> int:
        return len(self.differences)

    @property
    def mean(self) -> np.ndarray | float:
        return self.differences.mean(axis=0)

    def interval(self, level: float = LEVEL, count: int | None = None) -> tuple[np.ndarray | float, np.ndarray | float]:
        count = count or self.count
        half = NormalDist().inv_cdf((1 + level) / 2) * self.differences.std(axis=0) / np.sqrt(count)
        unchanged = -np.log((1 - level) / 2) / count
        half = np.where(np.any(self.differences != 0, axis=0), half, unchanged)
        return self.mean - half, self.mean + half


def mcnemar(before: Bool[np.ndarray, " question"], after: Bool[np.ndarray, " question"]) -> tuple[int, int, float]:
    """Questions won, questions lost, and the exact two-sided chance of so unequal numbers if neither were likelier."""
    from scipy import stats  # takes as long to load as a whole command

    won, lost = int((after & ~before).sum()), int((before & ~after).sum())
    return won, lost, float(stats.binomtest(won, won + lost).pvalue) if won + lost else 1.0
