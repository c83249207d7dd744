"""Sums of shares of right answers, as samples that rules judge by their intervals over questions."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from jaxtyping import Float

from lemmata.core import LEVEL, Sample


@dataclass(frozen=True)
class Contrast(Sample):
    """Weighted sums of shares, each share of `questions` answers and independent of the others.

    The interval is normal: with a thousand questions and shares far from 0 and 1 the exact one is the same.
    """

    unit = "questions"
    shares: Float[np.ndarray, " share"]
    weights: Float[np.ndarray, "*sum share"]
    questions: int

    @property
    def count(self) -> int:
        return self.questions

    @property
    def mean(self) -> np.ndarray | float:
        return self.weights @ self.shares

    def interval(self, level: float = LEVEL, count: int | None = None) -> tuple[np.ndarray | float, np.ndarray | float]:
        variance = self.weights**2 @ (self.shares * (1 - self.shares)) / (count or self.questions)
        half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(variance)
        return self.mean - half, self.mean + half
