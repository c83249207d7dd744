"""A world with its facts written out: table[r, s] = r(s)."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from math import comb, perm

import numpy as np
from jaxtyping import Float, Int

from lemmata.core import named_generator
from lemmata.papers.ic_recall.task.patterns import correct_pattern, patterns
from lemmata.papers.ic_recall.task.sequences import (
    SAMPLED_SEQUENCES,
    Sequences,
    WorldReport,
    check_pairs,
    distinct_integers,
    shares,
)

ENUMERATED_WORK = 40_000_000  # table lookups we are ready to spend on an exact fraction
CHUNK_WORK = 400_000  # of them at once: what a core's cache holds


@dataclass(frozen=True)
class TableWorld:
    table: Int[np.ndarray, "relations n"]

    @property
    def n(self) -> int:
        return self.table.shape[1]

    @property
    def num_relations(self) -> int:
        return self.table.shape[0]

    def sequences(self, num: int, k: int, *, seed: int, name: str) -> Sequences:
        check_pairs(k, self.n)
        rng = named_generator(seed, name)
        relations = rng.integers(0, self.num_relations, size=num)
        return self.sequences_of(relations, distinct_integers(rng, num, k + 1, self.n))

    def sequences_of(self, relations: Int[np.ndarray, " num"], subjects: Int[np.ndarray, "num examples"]) -> Sequences:
        return Sequences(relations, subjects, self.table[relations[:, None], subjects])

    def every_sequence(self, k: int) -> Sequences:
        subjects = np.array(list(permutations(range(self.n), k + 1)))
        relations = np.repeat(np.arange(self.num_relations), len(subjects))
        return self.sequences_of(relations, np.tile(subjects, (self.num_relations, 1)))

    def counts(self, sequences: Sequences) -> Float[np.ndarray, "num patterns"]:
        """How many relations show each pattern, sequence by sequence."""
        k, num = sequences.k, len(sequences)
        lookup, total = _pattern_of_code(k), len(patterns(k))
        counts = np.empty((num, total))
        size = max(1, CHUNK_WORK // (self.num_relations * (k + 1)))
        given = np.ascontiguousarray(self.table.T)  # by subject
        for first in range(0, num, size):
            subjects, answers = (of[first : first + size] for of in (sequences.subjects, sequences.answers))
            rows = np.arange(len(subjects))[:, None]
            digit = np.full((len(subjects), self.n), k, np.int32)  # of each answer: its pair's place, else k
            digit[rows, answers[:, :k]] = np.arange(k)
            code = np.zeros((len(subjects), self.num_relations), np.int32)
            for i in range(k + 1):
                code = code * (k + 1) + np.take_along_axis(digit, given[subjects[:, i]], axis=1)
            flat = lookup[code] + total * rows
            counts[first : first + size] = np.bincount(flat.ravel(), minlength=total * len(code)).reshape(-1, total)
        return counts

    def report(self, k: int) -> WorldReport:
        check_pairs(k, self.n)
        sequences, fractions_how = self._sequences_for_report(k)
        counts = self.counts(sequences)
        confusing, mismatched = shares(counts, np.full(len(counts), 1 / len(counts)), k)
        if comb(self.n, k) * self.table.size <= ENUMERATED_WORK:
            alone = [self._alone(subjects) for subjects in combinations(range(self.n), k)]
            identified, ceiling = (np.mean(column) for column in zip(*alone, strict=True))
            ambiguous, ceiling_how = 1 - identified, "exact"
        else:
            fitting = counts[:, correct_pattern(k)]
            ambiguous, ceiling, ceiling_how = np.mean(fitting > 1), np.mean(1 / fitting), fractions_how
        return WorldReport(
            assumption_2_2=all(self._alone(pair)[0] == 1 for pair in combinations(range(self.n), 2)),
            confusing=confusing,
            mismatched=mismatched,
            fractions_how=fractions_how,
            ambiguous=float(ambiguous),
            ceiling=float(ceiling),
            ceiling_how=ceiling_how,
        )

    def _alone(self, subjects: tuple[int, ...]) -> tuple[float, float]:
        """Given these context subjects: the fraction of relations identified, and E[1 / relations that fit]."""
        facts = self.table[:, subjects]
        facts = facts[np.lexsort(facts.T)]  # by column, far faster than by row as `np.unique` does
        first = np.flatnonzero(np.append(True, np.diff(facts, axis=0).any(axis=1)))
        fitting = np.diff(first, append=self.num_relations)
        return float((fitting == 1).sum() / self.num_relations), float(len(fitting) / self.num_relations)

    def _sequences_for_report(self, k: int) -> tuple[Sequences, str]:
        contexts = self.num_relations * perm(self.n, k + 1)
        if contexts * self.num_relations * (k + 1) > ENUMERATED_WORK:
            sample = self.sequences(SAMPLED_SEQUENCES, k, seed=0, name="world report")
            return sample, f"sample of {SAMPLED_SEQUENCES} sequences"
        return self.every_sequence(k), "exact"


@cache
def _pattern_of_code(k: int) -> np.ndarray:
    """Pattern index by code: digit i (base k + 1, first subject leading) is the answer given to subject i, or k."""
    lookup = np.full((k + 1) ** (k + 1), -1)
    for index, pattern in enumerate(patterns(k)):
        digits = [dict(pattern).get(i, k) for i in range(k + 1)]
        lookup[sum(d * (k + 1) ** (k - i) for i, d in enumerate(digits))] = index
    return lookup
