"""The maps x -> ax + b over a prime field with a in a multiplicative subgroup H: a world that stores nothing.

Two subject-answer pairs fix the slope, so at most one relation fits them (Assumption 2.2 by construction), and it is
in the world when slope^|H| = 1. Hence every pattern count is a formula, and n = 2^61 - 1 is as cheap as n = 7.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float, Int

from lemmata.core import invalid, named_generator
from lemmata.papers.ic_recall.task.patterns import patterns
from lemmata.papers.ic_recall.task.sequences import (
    SAMPLED_SEQUENCES,
    Sequences,
    WorldReport,
    check_pairs,
    distinct_integers,
    shares,
)

TABLE_CELLS = 2**22  # the largest table written out on request
ENUMERATED_SEQUENCES = 60_000
_MACHINE_PRODUCT = 2**31  # below this, products of residues fit in int64


@dataclass(frozen=True)
class AffineWorld:
    n: int
    order: int  # of the subgroup H

    @property
    def num_relations(self) -> int:
        return self.order * self.n

    @property
    def has_table(self) -> bool:
        return self.num_relations * self.n <= TABLE_CELLS

    @property
    def slopes(self) -> Int[np.ndarray, " order"]:
        """The elements of H in increasing order (small worlds)."""
        if not self.has_table:
            raise invalid("n", self.n, f"listing the facts needs a world of at most {TABLE_CELLS} of them")
        return _subgroup(self.n, self.order)

    @property
    def table(self) -> Int[np.ndarray, "relations n"]:
        """Every fact of a small world; row `rank of slope * n + intercept`."""
        slopes, every = self.slopes, np.arange(self.n)
        rows = slopes[:, None, None] * every[None, None, :] + every[None, :, None]
        return (rows % self.n).reshape(self.num_relations, self.n)

    def sequences(self, num: int, k: int, *, seed: int, name: str) -> Sequences:
        check_pairs(k, self.n)
        rng = named_generator(seed, name)
        # The cofactor's power of a uniform non-zero residue is uniform in H: no generator is needed.
        slopes = self._power(rng.integers(1, self.n, size=num, dtype=np.int64), (self.n - 1) // self.order)
        intercepts = rng.integers(0, self.n, size=num, dtype=np.int64)
        return self.sequences_of(slopes, intercepts, distinct_integers(rng, num, k + 1, self.n))

    def sequences_of(
        self,
        slopes: Int[np.ndarray, " num"],
        intercepts: Int[np.ndarray, " num"],
        subjects: Int[np.ndarray, "num examples"],
    ) -> Sequences:
        answers = (self._product(slopes[:, None], subjects) + intercepts[:, None]) % self.n
        if self.has_table:
            relations = np.searchsorted(self.slopes, slopes) * self.n + intercepts
        else:
            relations = slopes.astype(object) * self.n + intercepts.astype(object)
        return Sequences(relations, subjects, answers)

    def counts(self, sequences: Sequences) -> Float[np.ndarray, "num patterns"]:
        """How many relations show each pattern: inclusion-exclusion over the relations that contain it.

        A matching of size 0 or 1 is contained in |H| n or |H| relations; one of size >= 2 in one or none.
        """
        k, every = sequences.k, patterns(sequences.k)
        contained = np.stack([self._fits(sequences, pattern) for pattern in every], axis=1)
        counts = (contained @ _inclusion_exclusion(k)).astype(float)
        sizes = np.array([len(pattern) for pattern in every])
        counts[:, sizes == 1] += float(self.order)
        counts[:, sizes == 0] += float(self.order * self.n - k * (k + 1) * self.order)
        return counts

    def report(self, k: int) -> WorldReport:
        check_pairs(k, self.n)
        if k == 2 and self.order == self.n - 1:
            confusing, mismatched, how = 1.0, 1.0, "by construction"
        else:
            sequences, how = self._sequences_for_report(k)
            confusing, mismatched = shares(self.counts(sequences), k)
        return WorldReport(
            assumption_2_2=True,
            confusing=confusing,
            mismatched=mismatched,
            fractions_how=how,
            ambiguous=0.0,
            ceiling=1.0,
            ceiling_how="by construction",
        )

    def _sequences_for_report(self, k: int) -> tuple[Sequences, str]:
        """Patterns are invariant under relabelling by affine maps: r = identity, s_1 = 0, s_2 = 1 lose nothing."""
        if (self.n - 2) ** (k - 1) > ENUMERATED_SEQUENCES:
            sample = self.sequences(SAMPLED_SEQUENCES, k, seed=0, name="world report")
            return sample, f"sample of {SAMPLED_SEQUENCES} sequences"
        free = np.stack(np.meshgrid(*[np.arange(2, self.n)] * (k - 1), indexing="ij"), -1).reshape(-1, k - 1)
        ordered = np.sort(free, axis=1)
        free = free[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
        ones = np.ones(len(free), np.int64)
        subjects = np.column_stack([0 * ones, ones, free])
        return self.sequences_of(ones, 0 * ones, subjects), "exact"

    def _fits(self, sequences: Sequences, pattern: tuple[tuple[int, int], ...]) -> Int[np.ndarray, " num"]:
        """1 where a relation of the world contains this matching of two or more pairs (0 for smaller matchings)."""
        if len(pattern) < 2:
            return np.zeros(len(sequences), np.int64)
        (i, j), *others = pattern
        runs = [(sequences.subjects[:, other] - sequences.subjects[:, i]) % self.n for other, _ in others]
        rises = [(sequences.answers[:, other] - sequences.answers[:, j]) % self.n for _, other in others]
        fits = np.ones(len(sequences), np.int64)
        if self.order < self.n - 1:
            fits &= self._power(runs[0], self.order) == self._power(rises[0], self.order)
        for run, rise in zip(runs[1:], rises[1:], strict=True):
            fits &= self._product(rises[0], run) == self._product(rise, runs[0])
        return fits

    def _product(self, a: Int[np.ndarray, "..."], b: Int[np.ndarray, "..."]) -> Int[np.ndarray, "..."]:
        if self.n <= _MACHINE_PRODUCT:
            return a * b % self.n
        return (a.astype(object) * b.astype(object) % self.n).astype(np.int64)

    def _power(self, base: Int[np.ndarray, " num"], exponent: int) -> Int[np.ndarray, " num"]:
        if self.n > _MACHINE_PRODUCT:
            return np.array([pow(int(x), exponent, self.n) for x in base], dtype=np.int64)
        value = np.ones_like(base)
        while exponent:
            if exponent & 1:
                value = value * base % self.n
            base, exponent = base * base % self.n, exponent >> 1
        return value


@cache
def _subgroup(n: int, order: int) -> np.ndarray:
    return np.array(sorted({pow(x, (n - 1) // order, n) for x in range(1, n)}), dtype=np.int64)


@cache
def _inclusion_exclusion(k: int) -> np.ndarray:
    """M with exact = contained @ M, where contained[p] counts the relations whose pattern includes p."""
    sets = [frozenset(pattern) for pattern in patterns(k)]
    return np.array([[(-1) ** len(larger - part) if part <= larger else 0 for part in sets] for larger in sets])
