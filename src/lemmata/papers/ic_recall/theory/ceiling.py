"""The best possible first-step accuracy in a world of random bijections."""

from fractions import Fraction
from math import factorial, perm


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
