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
    """f''(0) = -1/(8T) + p_3/(32 T^2) with p_3 = 1/(4 + 2 exp(1/(8T))), as the logit gap at the saddle is 1/8.

    With u = 1/(8T) this is u (u / (2 + e^u) - 1), negative at every temperature.
    """
    p3 = 1 / (4 + 2 * np.exp(1 / (8 * temperature)))
    return -1 / (8 * temperature) + p3 / (32 * temperature**2)


def printed_curvature(temperature: Real) -> Real:
    return -1 / (8 * temperature) + 1 / (16 * temperature**2 * (4 + 2 * np.exp(3 / (16 * temperature))) ** 2)


def term_two(p1: Real, p3: Real, temperature: Real) -> Real:
    """Proof of Lemma B.5, term II of p_1''(0)."""
    return -p1 * p3 / (32 * temperature**2)


def printed_term_two(p1: Real, p3: Real, temperature: Real) -> Real:
    return -p1 * p3**2 / (16 * temperature**2)
