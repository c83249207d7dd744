"""Which slopes a the maps x -> ax + b of a world have: a multiplicative subgroup, of which nothing is stored, or any
set of units, listed."""

import abc
from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Bool, Int

from lemmata.papers.ic_recall.task.modular import power, product


@dataclass(frozen=True, eq=False)
class Slopes(abc.ABC):
    n: int  # of the prime field

    @property
    @abc.abstractmethod
    def size(self) -> int: ...

    @abc.abstractmethod
    def listed(self) -> Int[np.ndarray, " size"]:
        """In increasing order."""

    @abc.abstractmethod
    def draw(self, rng: np.random.Generator, num: int) -> Int[np.ndarray, " num"]:
        """Uniform."""

    @abc.abstractmethod
    def have(self, rise: Int[np.ndarray, " num"], run: Int[np.ndarray, " num"]) -> Bool[np.ndarray, " num"]:
        """Whether rise / run is a slope."""


@dataclass(frozen=True, eq=False)
class Subgroup(Slopes):
    """The multiplicative subgroup of this order: x is in it when x^order = 1."""

    order: int

    @property
    def size(self) -> int:
        return self.order

    def listed(self) -> Int[np.ndarray, " size"]:
        return _subgroup(self.n, self.order)

    def draw(self, rng: np.random.Generator, num: int) -> Int[np.ndarray, " num"]:
        # The cofactor's power of a uniform non-zero residue is uniform in the subgroup: no generator is needed.
        return power(rng.integers(1, self.n, size=num, dtype=np.int64), (self.n - 1) // self.order, self.n)

    def have(self, rise: Int[np.ndarray, " num"], run: Int[np.ndarray, " num"]) -> Bool[np.ndarray, " num"]:
        if self.order == self.n - 1:
            return np.ones(len(rise), bool)
        return power(run, self.order, self.n) == power(rise, self.order, self.n)


@dataclass(frozen=True, eq=False)
class ListedSlopes(Slopes):
    """Any set of units; `member[a]` says whether a is in it."""

    member: Bool[np.ndarray, " n"]

    @property
    def size(self) -> int:
        return int(self.member.sum())

    def listed(self) -> Int[np.ndarray, " size"]:
        return np.flatnonzero(self.member)

    def draw(self, rng: np.random.Generator, num: int) -> Int[np.ndarray, " num"]:
        return self.listed()[rng.integers(0, self.size, size=num)]

    def have(self, rise: Int[np.ndarray, " num"], run: Int[np.ndarray, " num"]) -> Bool[np.ndarray, " num"]:
        return self.member[product(rise, power(run, self.n - 2, self.n), self.n)]


@cache
def _subgroup(n: int, order: int) -> np.ndarray:
    return np.array(sorted({pow(x, (n - 1) // order, n) for x in range(1, n)}), dtype=np.int64)
