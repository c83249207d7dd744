"""Table 1, Table 2 and eq. (16): which relation gives what, and the logits that follow."""

from collections.abc import Iterable
from fractions import Fraction
from math import factorial, perm

import numpy as np
from jaxtyping import Float

from lemmata.papers.ic_recall.matchings import Matching, partial_matchings

# Table 1: the answers (1, 2, 3) that r_1 ... r_6 give to s_1, s_2, s_3, and the paper's name for each.
TABLE_1: tuple[tuple[int, int, int], ...] = ((1, 2, 3), (2, 1, 3), (1, 3, 2), (2, 3, 1), (3, 1, 2), (3, 2, 1))
TABLE_1_TYPES: tuple[str, ...] = ("correct", "confusing", "mismatched", "mismatched", "mismatched", "mismatched")

# Table 2: each logit is a sum of squares of sums of attention scores; the numbers are the paper's indices of v.
TABLE_2: dict[str, tuple[tuple[int, ...], ...]] = {
    **dict.fromkeys(("s_1", "s_2", "s_3"), ((2,), (4,))),
    **dict.fromkeys(("a_1", "a_2", "a_3"), ((1,), (3,), (5,))),
    "r_1": ((1, 2), (3, 4), (5,)),
    "r_2": ((1, 4), (2, 3), (5,)),
    "r_3": ((5, 4), (1, 2), (3,)),
    "r_4": ((5, 2), (1, 4), (3,)),
    "r_5": ((5, 4), (3, 2), (1,)),
    "r_6": ((5, 2), (3, 4), (1,)),
}
RELATIONS: tuple[str, ...] = ("r_1", "r_2", "r_3", "r_4", "r_5", "r_6")
MATCHINGS: tuple[Matching, ...] = partial_matchings(3, 2)


def quadratic_form(squares: Iterable[Iterable[int]]) -> Float[np.ndarray, "6 6"]:
    """The symmetric A with v^T A v = sum of (sum of v_i over each group)^2."""
    form = np.zeros((6, 6))
    for group in squares:
        picked = np.zeros(6)
        picked[[i - 1 for i in group]] = 1.0
        form += np.outer(picked, picked)
    return form


def table_2_forms() -> Float[np.ndarray, "6 6 6"]:
    """The six relations' quadratic forms, r_1 first."""
    return np.stack([quadratic_form(TABLE_2[name]) for name in RELATIONS])


def matching_of(answers: tuple[int, ...]) -> Matching:
    """Which in-context answers (1 and 2) a relation gives to which subjects."""
    return tuple((i, a - 1) for i, a in enumerate(answers) if a <= 2)


def all_logits(v: Float[np.ndarray, "*batch 6"]) -> Float[np.ndarray, "*batch 13"]:
    """Eq. (16) for each of the 13 matchings: 2 sum of v_(2i-1) v_(2j) over r(s_i) = a_j, plus the squares of the first
    five scores."""
    squares = (v[..., :5] ** 2).sum(-1)
    pairs = [sum(v[..., 2 * i] * v[..., 2 * j + 1] for i, j in matching) for matching in MATCHINGS]
    return np.stack([2 * pair + squares for pair in pairs], axis=-1)


def most_relations(n: int, matches: int) -> int:
    """Proof of Lemma C.1: at most this many relations of a world under Assumption 2.2 show 0, 1 or 2 matches."""
    return {2: 6, 1: 6 * (n - 3), 0: n * (n - 1) - 6 * (n - 2)}[matches]


def full_world_counts(n: int | float) -> Float[np.ndarray, "13"]:
    """Relations per matching when every two subject-answer pairs fit exactly one relation (all affine maps)."""
    per_size = {2: 1.0, 1: float(n - 3), 0: float(n - 3) * float(n - 4)}
    return np.array([per_size[len(matching)] for matching in MATCHINGS])


def expected_ceiling(n: int, relations: int, k: int) -> float:
    """E[1 / number of relations that fit k in-context pairs], over worlds of distinct uniformly random bijections.

    The ceiling is (distinct restrictions of the relations to k subjects) / |R|. Each of the n!/(n-k)! possible
    restrictions belongs to (n-k)! of the n! bijections, and is missed with probability
    prod_{i < |R|} (n! - (n-k)! - i) / (n! - i).
    """
    everything, shared = factorial(n), factorial(n - k)
    missed = Fraction(1)
    for i in range(relations):
        missed *= Fraction(everything - shared - i, everything - i)
        missed = Fraction(float(missed)) if missed.denominator.bit_length() > 4096 else missed
    return float(perm(n, k) * (1 - missed) / relations)
