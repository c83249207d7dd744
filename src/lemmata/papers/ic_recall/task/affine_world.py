"""The maps x -> ax + b over a prime field with a in a set of slopes: a world whose every count is a formula.

Two subject-answer pairs fix the slope, so at most one relation fits them (Assumption 2.2 by construction), and it is
in the world when that slope is. With a subgroup of slopes nothing is stored, and n = 2^61 - 1 is as cheap as n = 7.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float, Int

from lemmata.core import invalid, named_generator
from lemmata.papers.ic_recall.task.modular import product
from lemmata.papers.ic_recall.task.patterns import patterns
from lemmata.papers.ic_recall.task.sequences import (
    SAMPLED_SEQUENCES,
    Sequences,
    WorldReport,
    check_pairs,
    distinct_integers,
    shares,
)
from lemmata.papers.ic_recall.task.slopes import ListedSlopes, Slopes

TABLE_CELLS = 2**22  # the largest table written out on request
ENUMERATED_SEQUENCES = 60_000


@dataclass(frozen=True)
class AffineWorld:
    n: int
    slopes: Slopes

    @property
    def num_relations(self) -> int:
        return self.slopes.size * self.n

    @property
    def has_table(self) -> bool:
        return self.num_relations * self.n <= TABLE_CELLS

    @property
    def table(self) -> Int[np.ndarray, "relations n"]:
        """Every fact of a small world; row `rank of slope * n + intercept`."""
        if not self.has_table:
            raise invalid("n", self.n, f"listing the facts needs a world of at most {TABLE_CELLS} of them")
        slopes, every = self.slopes.listed(), np.arange(self.n)
        rows = slopes[:, None, None] * every[None, None, :] + every[None, :, None]
        return (rows % self.n).reshape(self.num_relations, self.n)

    def sequences(self, num: int, k: int, *, seed: int, name: str) -> Sequences:
        check_pairs(k, self.n)
        rng = named_generator(seed, name)
        slopes = self.slopes.draw(rng, num)
        intercepts = rng.integers(0, self.n, size=num, dtype=np.int64)
        return self.sequences_of(slopes, intercepts, distinct_integers(rng, num, k + 1, self.n))

    def sequences_of(
        self,
        slopes: Int[np.ndarray, " num"],
        intercepts: Int[np.ndarray, " num"],
        subjects: Int[np.ndarray, "num examples"],
    ) -> Sequences:
        answers = (product(slopes[:, None], subjects, self.n) + intercepts[:, None]) % self.n
        if self.has_table:
            relations = np.searchsorted(self.slopes.listed(), slopes) * self.n + intercepts
        else:
            relations = slopes.astype(object) * self.n + intercepts.astype(object)
        return Sequences(relations, subjects, answers)

    def counts(self, sequences: Sequences) -> Float[np.ndarray, "num patterns"]:
        """How many relations show each pattern: inclusion-exclusion over the relations that contain it.

        A matching of size 0 or 1 is contained in |A| n or |A| relations (A: the slopes); one of size >= 2 in one or
        none.
        """
        k, every, many = sequences.k, patterns(sequences.k), self.slopes.size
        contained = np.stack([self._fits(sequences, pattern) for pattern in every], axis=1)
        counts = (contained @ _inclusion_exclusion(k)).astype(float)
        sizes = np.array([len(pattern) for pattern in every])
        counts[:, sizes == 1] += float(many)
        counts[:, sizes == 0] += float(many * self.n - k * (k + 1) * many)
        return counts

    def kinds(self, k: int) -> tuple[Float[np.ndarray, "kinds patterns"], Float[np.ndarray, " kinds"], str]:
        """The pattern counts that sequences can have, the share of sequences that have each, and how it was found.

        Counts are invariant under relabelling subjects and answers by affine maps, so intercept 0, s_1 = 0, s_2 = 1
        lose nothing; where the slopes are a group, neither does slope 1.
        """
        check_pairs(k, self.n)
        group = not isinstance(self.slopes, ListedSlopes)
        if (self.n - 2) ** (k - 1) * (1 if group else self.slopes.size) > ENUMERATED_SEQUENCES:
            how = f"sample of {SAMPLED_SEQUENCES} sequences"
            sequences = self.sequences(SAMPLED_SEQUENCES, k, seed=0, name="world report")
        else:
            how, slopes = "exact", np.ones(1, np.int64) if group else self.slopes.listed()
            free = np.stack(np.meshgrid(*[np.arange(2, self.n)] * (k - 1), indexing="ij"), -1).reshape(-1, k - 1)
            ordered = np.sort(free, axis=1)
            free = free[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
            slopes, free = np.repeat(slopes, len(free)), np.tile(free, (len(slopes), 1))
            zero = np.zeros(len(free), np.int64)
            sequences = self.sequences_of(slopes, zero, np.column_stack([zero, zero + 1, free]))
        kinds, repeats = np.unique(self.counts(sequences), axis=0, return_counts=True)
        return kinds, repeats / repeats.sum(), how

    def report(self, k: int) -> WorldReport:
        check_pairs(k, self.n)
        if k == 2 and self.slopes.size == self.n - 1:
            confusing, mismatched, how = 1.0, 1.0, "by construction"
        else:
            kinds, share, how = self.kinds(k)
            confusing, mismatched = shares(kinds, share, k)
        return WorldReport(
            assumption_2_2=True,
            confusing=confusing,
            mismatched=mismatched,
            fractions_how=how,
            ambiguous=0.0,
            ceiling=1.0,
            ceiling_how="by construction",
        )

    def _fits(self, sequences: Sequences, pattern: tuple[tuple[int, int], ...]) -> Int[np.ndarray, " num"]:
        """1 where a relation of the world contains this matching of two or more pairs (0 for smaller matchings)."""
        if len(pattern) < 2:
            return np.zeros(len(sequences), np.int64)
        (i, j), *others = pattern
        runs = [(sequences.subjects[:, other] - sequences.subjects[:, i]) % self.n for other, _ in others]
        rises = [(sequences.answers[:, other] - sequences.answers[:, j]) % self.n for _, other in others]
        fits = self.slopes.have(rises[0], runs[0])
        for run, rise in zip(runs[1:], rises[1:], strict=True):
            fits &= product(rises[0], run, self.n) == product(rise, runs[0], self.n)
        return fits.astype(np.int64)


@cache
def _inclusion_exclusion(k: int) -> np.ndarray:
    """M with exact = contained @ M, where contained[p] counts the relations whose pattern includes p."""
    sets = [frozenset(pattern) for pattern in patterns(k)]
    return np.array([[(-1) ** len(larger - part) if part <= larger else 0 for part in sets] for larger in sets])
