"""The saddle of the warm-up and its curvature along the escaping direction (Lemmas B.4 and B.5)."""

import numpy as np

from lemmata.papers.ic_recall.theory.numbers import Real

SADDLE = np.array([1, 1, 1, 1, 0, 0]) / 4
DESCENDING = np.array([1, 1, -1, -1, 0, 0]) / 2  # towards one pair
ASCENDING = np.array([1, -1, -1, 1, 0, 0]) / 2
INITIAL_GRADIENT = np.array([-1, 0, -1, 0, 2, 0]) / 9  # of L_1 in v at v = 1/6, times T (Lemma B.4)

# Proof of Lemma B.5: gradients of l_1 ... l_6 in v at the saddle. The print has 0 for the last four fifth entries.
LOGIT_GRADIENTS = np.array(
    [
        [1, 1, 1, 1, 0, 0],
        [1, 1, 1, 1, 0, 0],
        [1, 1, 0.5, 0.5, 0.5, 0],
        [1, 0.5, 0.5, 1, 0.5, 0],
        [0.5, 1, 1, 0.5, 0.5, 0],
        [0.5, 0.5, 1, 1, 0.5, 0],
    ]
)
PRINTED_LOGIT_GRADIENTS = LOGIT_GRADIENTS * np.array([1, 1, 1, 1, 0, 1])


def curvature(temperature: Real) -> Real:
    """f''(0) = -1/(8T) + p_3/(32 T^2) with p_3 = 1/(4 + 2 exp(1/(8T))).

    With u = 1/(8T) this is u (u / (2 + e^u) - 1), negative at every temperature.
    """
    t = np.asarray(temperature)
    return -1 / (8 * t) + mismatched_probability(t) / (32 * t**2)


def mismatched_probability(temperature: Real) -> Real:
    """p(r_3) at the saddle; the logit gap there is 1/8."""
    return 1 / (4 + 2 * np.exp(1 / (8 * np.asarray(temperature))))


def printed_curvature(temperature: Real) -> Real:
    """-1/(8T) + 1/(16 T^2 (4 + 2 exp(3/(16T)))^2), as printed."""
    t = np.asarray(temperature)
    return -1 / (8 * t) + 1 / (16 * t**2 * (4 + 2 * np.exp(3 / (16 * t))) ** 2)


def term_one(p1: Real, temperature: Real) -> Real:
    """Proof of Lemma B.5, term I of p_1''(0)."""
    return p1 / (8 * np.asarray(temperature))


def term_two(p1: Real, p3: Real, temperature: Real) -> Real:
    """Proof of Lemma B.5, term II of p_1''(0)."""
    return -p1 * p3 / (32 * np.asarray(temperature) ** 2)


def printed_term_two(p1: Real, p3: Real, temperature: Real) -> Real:
    return -p1 * p3**2 / (16 * np.asarray(temperature) ** 2)
