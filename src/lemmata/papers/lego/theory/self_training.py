"""Appendices E and F: constants, stops and corridors of attention on symmetry actions, as printed.

The scan breaks fractions over lines. c_1 = 1.005 log d / 2B is what Induction F.1 prints and what the proofs of E.22 and
E.35 need; c_2 = log d / 4.02 B what the proof of E.34 does.
"""

import math
from typing import NamedTuple


def c1(clip: float) -> float:
    """1.005 log d / 2B, with B = C_B log d."""
    return 1.005 / (2 * clip)


def c2(clip: float) -> float:
    """log d / 4.02 B."""
    return 1 / (4.02 * clip)


def log_stop(vocabulary: float, clip: float, multiple: float = 3.01) -> float:
    """The logarithm of e^((-1/2 + 3.01 c_1) 2B)."""
    return (-1 / 2 + multiple * c1(clip)) * 2 * clip * math.log(vocabulary)


LEAST = 4 / 3  # eps over c_1 while a stage lasts: Lemmas E.24 and F.9
MOST = {2: 2.52}  # at its end: Lemma E.35
MOST_LATER = 5.04  # Lemma F.16


class Seen(NamedTuple):
    """Of the query at step 2: its predicate, the query itself, all else; E's pred,1 and ans,0 are others."""

    pred2: float
    ans1: float
    pred1: float
    ans0: float


def most_of_answer(length: float, epsilon: float) -> float:
    """The share of eps in Lemma F.15's bound on ans,1 - pred,2; at L = 2 it is E.34's pred,1, eps / 2 up to O(1/d)."""
    return (length - 1) / length * epsilon


def collision_shares(n: int) -> tuple[float, ...]:
    """The probabilities of E_1, ..., E_6 of Appendix E for S_n on n values."""
    return tuple(count / n**2 for count in (n * n - 3 * n + 3, n - 2, n - 1, 1, n - 2, 1))
