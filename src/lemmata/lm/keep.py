"""What is kept of a matrix: the largest directions, the smallest, a random subspace, all but some, or all, scaled.

A rank is a count (an int; 0 drops the matrix) or a share of the full rank (a float in (0, 1]), rounded down as the
papers do.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from lemmata.core import require
from lemmata.lm.spectra import Spectrum

Rank = int | float
Decompose = Callable[[], Spectrum]
Matrix = Float[np.ndarray, "out in"]


@dataclass(frozen=True)
class _OfRank:
    """So many directions, of a count or a share."""

    rank: Rank

    def count(self, full: int) -> int:
        return count_of(self.rank, full)


@dataclass(frozen=True)
class Largest(_OfRank):
    """The directions of the largest singular values: the nearest matrix of this rank."""

    def cut(self, matrix: Matrix, decompose: Decompose) -> Matrix:
        full = min(matrix.shape)
        return _only(matrix, np.arange(full) < self.count(full), decompose)

    def words(self) -> str:
        return "the largest directions"


@dataclass(frozen=True)
class Smallest(_OfRank):
    """The directions of the smallest singular values."""

    def cut(self, matrix: Matrix, decompose: Decompose) -> Matrix:
        full = min(matrix.shape)
        return _only(matrix, np.arange(full) >= full - self.count(full), decompose)

    def words(self) -> str:
        return "the smallest directions"


@dataclass(frozen=True)
class RandomSubspace(_OfRank):
    """A random subspace of the shorter side, uniform; of one seed, a smaller one lies in a larger one."""

    seed: int = 0

    def cut(self, matrix: Matrix, decompose: Decompose) -> Matrix:
        full = min(matrix.shape)
        kept = self.count(full)
        if kept == full:
            return matrix.copy()
        drawn = np.random.default_rng(self.seed).standard_normal((kept, full)).T
        basis = np.linalg.qr(drawn)[0].astype(np.float32)
        if matrix.shape[0] >= matrix.shape[1]:
            return (matrix @ basis) @ basis.T
        return basis @ (basis.T @ matrix)

    def words(self) -> str:
        return f"a random subspace (seed {self.seed})"


@dataclass(frozen=True)
class Without:
    """All but these directions, counted from 1, the largest singular value first."""

    directions: tuple[int, ...]

    def count(self, full: int) -> int:
        for direction in self.directions:
            require(1 <= direction <= full, "direction", direction, f"1 to {full}, counted from 1")
        return full - len(set(self.directions))

    def cut(self, matrix: Matrix, decompose: Decompose) -> Matrix:
        full = min(matrix.shape)
        self.count(full)  # refuses a direction that the matrix has not
        return _only(matrix, ~np.isin(np.arange(1, full + 1), self.directions), decompose)

    def words(self) -> str:
        return f"all but directions {', '.join(map(str, sorted(set(self.directions))))}"


@dataclass(frozen=True)
class Scaled:
    """Every direction, times a factor: what shrinking alone does."""

    factor: float

    def count(self, full: int) -> int:
        return full

    def cut(self, matrix: Matrix, decompose: Decompose) -> Matrix:
        return (self.factor * matrix).astype(matrix.dtype)

    def words(self) -> str:
        return f"all directions, times {self.factor:g}"


def _only(matrix: Matrix, kept: Bool[np.ndarray, " rank"], decompose: Decompose) -> Matrix:
    """What is kept whole, or dropped whole, need not be decomposed."""
    if not kept.any():
        return np.zeros_like(matrix)
    return matrix.copy() if kept.all() else decompose().only(matrix, kept)


Keep = Largest | Smallest | RandomSubspace | Without | Scaled


def count_of(rank: Rank, full: int) -> int:
    """A rank as a number of directions."""
    if isinstance(rank, int):
        require(0 <= rank <= full, "rank", rank, f"a count from 0 to {full}, or a share in (0, 1]")
        return rank
    require(0 < rank <= 1, "rank", rank, f"a share in (0, 1], or a count from 0 to {full}")
    count = int(np.floor(rank * full + 1e-9))  # so that 0.3 of 10 is 3
    require(count >= 1, "rank", rank, f"of {full} directions it keeps none; the smallest share is {1 / full:.2g}")
    return count
