"""What the paper's split by tuple gives away (appendix, steps 42-45): half of the N K tuples (s, r, a) are drawn for
fine-tuning, the rest for test, and both halves turn a tuple into the question [s p] -> a, where r no longer stands.

A held-out question is therefore asked in fine-tuning as soon as one other tuple of its subject was drawn. All halves
being alike, the counts are hypergeometric, and everything here is exact.
"""

import math
from fractions import Fraction

from lemmata.core import require


def leaked_share(subjects: int, multiplicity: int) -> Fraction:
    """The expected share of held-out questions that fine-tuning asks: about 1 - 2^-(K - 1).

    Given one held-out tuple, the fine-tuning half is drawn from the other N K - 1, and it misses the K - 1 siblings
    with probability binom(N K - K, H) / binom(N K - 1, H).
    """
    tuples, drawn = _halves(subjects, multiplicity)
    return 1 - Fraction(math.comb(tuples - multiplicity, drawn), math.comb(tuples - 1, drawn))


def leaked_variance(subjects: int, multiplicity: int) -> Fraction:
    """The variance of that share over draws of the halves: it is 1 - K Z / (N K - H), where Z subjects, by chance
    dependent in pairs, have no tuple in fine-tuning."""
    tuples, drawn = _halves(subjects, multiplicity)
    halves = math.comb(tuples, drawn)
    one = Fraction(math.comb(tuples - multiplicity, drawn), halves)
    both = Fraction(math.comb(tuples - 2 * multiplicity, drawn), halves)
    mean = subjects * one
    variance = subjects * (subjects - 1) * both + mean - mean**2
    return variance * Fraction(multiplicity, tuples - drawn) ** 2


def _halves(subjects: int, multiplicity: int) -> tuple[int, int]:
    """The number of tuples, and of those drawn for fine-tuning (rounded down)."""
    require(subjects >= 2, "subjects", subjects, "at least 2")
    require(multiplicity >= 1, "multiplicity", multiplicity, "at least 1")
    return subjects * multiplicity, subjects * multiplicity // 2
