"""One number of many seeds together, such as a rank correlation of their means, with the interval of its bootstrap.

Leaving out one seed at a time (the jackknife) tells little of such a number: ranks jump or stay where they are, so its
interval came out far too wide in one replication and too narrow in the next.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lemmata.core import LEVEL, Sample, named_generator

DRAWS = 2000


@dataclass(frozen=True)
class Resampled(Sample):
    """`groups` are arrays of seeds first, which need not have the same seeds; `read` takes the means of each, with the
    draws first (draw, ...), and gives a number a draw."""

    unit = "seeds"
    groups: tuple[np.ndarray, ...]
    read: Callable[[list[np.ndarray]], np.ndarray]

    @property
    def count(self) -> int:
        """Of the group with the fewest."""
        return min(len(group) for group in self.groups)

    @property
    def mean(self) -> float:
        """The number of all seeds, which is no mean itself."""
        return float(self.read([group.mean(axis=0)[None] for group in self.groups])[0])

    def interval(self, level: float = LEVEL, count: int | None = None) -> tuple[float, float]:
        """Where the number falls when the seeds of each group are drawn again."""
        if self.count == 1:
            return -np.inf, np.inf
        stream = named_generator(0, "resampled")
        drawn = [group[stream.integers(len(group), size=(DRAWS, count or len(group)))] for group in self.groups]
        found = self.read([values.mean(axis=1) for values in drawn])
        low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)
