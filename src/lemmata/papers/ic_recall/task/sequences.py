"""Sequences of the IC-recall task (Definition 2.1), and what a world says of itself."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Shaped

from lemmata.core import require
from lemmata.papers.ic_recall.task.patterns import confusing_patterns, mismatched_patterns

SAMPLED_SEQUENCES = 4096  # in a report whose fractions cannot be enumerated cheaply


@dataclass(frozen=True)
class Sequences:
    """k in-context pairs, the query pair last. `relations` are rows of the world's table where it has one; else
    `slope * n + intercept`, as Python integers."""

    relations: Shaped[np.ndarray, " num"]
    subjects: Int[np.ndarray, "num examples"]
    answers: Int[np.ndarray, "num examples"]

    def __len__(self) -> int:
        return len(self.subjects)

    @property
    def k(self) -> int:
        return self.subjects.shape[1] - 1


@dataclass(frozen=True, kw_only=True)
class WorldReport:
    """What the paper's assumptions say of a world, for sequences with k in-context pairs.

    Fractions and ceiling come with how they were found: "exact", "by construction", or "sample of N sequences".
    """

    assumption_2_2: bool  # any two subject-answer pairs identify at most one relation
    confusing: float  # fraction of sequences with a confusing relation
    mismatched: float
    fractions_how: str
    ambiguous: float  # fraction whose context fits more than one relation
    ceiling: float  # best possible first-step accuracy, E[1 / number of relations that fit the context]
    ceiling_how: str


def shares(
    counts: Float[np.ndarray, "num patterns"], weights: Float[np.ndarray, " num"], k: int
) -> tuple[float, float]:
    """The fractions of sequences with a confusing and with a mismatched relation, given how often each row occurs."""
    kinds = confusing_patterns(k), mismatched_patterns(k)
    confusing, mismatched = (float(weights @ (counts[:, kind] > 0).any(axis=1)) for kind in kinds)
    return confusing, mismatched


def check_pairs(k: int, n: int) -> None:
    """The task needs k + 1 distinct subjects, and two pairs to identify a relation."""
    require(k <= n - 1, "k", k, f"at most n - 1 = {n - 1}: a sequence has k + 1 distinct subjects of n = {n}")
    require(2 <= k <= 5, "k", k, "between 2 and 5 in-context pairs (beyond, there are too many patterns to list)")


def distinct_integers(rng: np.random.Generator, num: int, width: int, n: int) -> Int[np.ndarray, "num width"]:
    """Rows of `width` distinct integers below n, uniform among such rows."""
    rows = rng.integers(0, n, size=(num, width), dtype=np.int64)
    while True:  # redraw rows with a repetition: uniform, and quick unless n is close to width
        ordered = np.sort(rows, axis=1)
        repeated = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not len(repeated):
            return rows
        if n <= 4 * width:
            rows[repeated] = np.argsort(rng.random((len(repeated), n)), axis=1)[:, :width]
        else:
            rows[repeated] = rng.integers(0, n, size=(len(repeated), width), dtype=np.int64)
