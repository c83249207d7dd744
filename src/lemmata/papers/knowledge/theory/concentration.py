"""The concentration bound of the appendix (equation 44) and what it says about covering all templates.

n subjects draw K-subsets A_i of q = |R| templates. The number of subjects with template j is binomial: n trials of
probability K/q. Equation (44) is printed as

    P[ sum_i 1(j in A_i) >= K n / (2q) ] <= exp(-n K^2 / (2 q^2)),

but the mean is K n / q: the printed event is almost certain. Hoeffding's inequality, which the proof names, bounds the
other tail, the event that j is drawn at most half as often as expected.
"""

import math
from fractions import Fraction

import numpy as np
from jaxtyping import Float
from scipy.special import bdtr, bdtrc  # scipy.stats takes as long to load as all the rest of a command

from lemmata.papers.knowledge.theory.covering import coverage_step


def hoeffding_bound(subjects: int, multiplicity: int, templates: int) -> float:
    """exp(-n K^2 / (2 q^2)), the right side of equation (44)."""
    return math.exp(-subjects * multiplicity**2 / (2 * templates**2))


def at_least_half(subjects: int, multiplicity: int, templates: int) -> float:
    """P[count >= K n / (2q)], the event as printed, exactly."""
    threshold = math.ceil(Fraction(multiplicity * subjects, 2 * templates))
    return float(bdtrc(threshold - 1, subjects, multiplicity / templates))


def at_most_half(subjects: int, multiplicity: int, templates: int, popularity: float = 1.0) -> float:
    """P[count <= K n / (2q)], exactly; `popularity` scales the probability of the template (1 in the paper's data)."""
    threshold = math.floor(Fraction(multiplicity * subjects, 2 * templates))
    return float(bdtr(threshold, subjects, popularity * multiplicity / templates))


def cover_probability(multiplicity: int, templates: int, subjects: int) -> Float[np.ndarray, " number"]:
    """P(0, 1, ... `subjects` subjects have drawn every template), exactly (coupons in packets of K)."""
    step = coverage_step(multiplicity, templates)
    law = np.zeros(templates + 1)
    law[0] = 1.0
    covered = np.empty(subjects + 1)
    for number in range(subjects + 1):
        covered[number] = law[-1]
        law = law @ step
    return np.minimum(covered, 1.0)


def subjects_to_cover(multiplicity: int, templates: int, failure: float) -> int:
    """The least n that covers all templates but with probability `failure`, exactly."""
    enough = union_cover(multiplicity, templates, failure)
    return int(np.argmax(cover_probability(multiplicity, templates, enough) >= 1 - failure))


def union_cover(multiplicity: int, templates: int, failure: float) -> int:
    """An n that suffices: q (1 - K/q)^n <= failure, the union bound over exact probabilities of missing a template."""
    if multiplicity == templates:
        return 1
    return math.ceil(math.log(templates / failure) / -math.log1p(-multiplicity / templates))


def hoeffding_cover(multiplicity: int, templates: int, failure: float) -> int:
    """An n that suffices by equation (44), the right way round, and a union bound over the q templates:
    2 (q/K)^2 log(q / failure). It grows with the square of |R|/K, where |R|/K times a logarithm is enough."""
    return math.ceil(2 * (templates / multiplicity) ** 2 * math.log(templates / failure))


def chernoff_cover(multiplicity: int, templates: int, failure: float) -> int:
    """The same by the multiplicative form: (8 q/K) log(q / failure)."""
    return math.ceil(8 * templates / multiplicity * math.log(templates / failure))
