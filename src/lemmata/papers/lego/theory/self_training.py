"""Appendices E and F: constants, stops and corridors of attention on symmetry actions, as printed.

The scan breaks fractions over lines. c_1 = 1.005 log d / 2B is what Induction F.1 prints and what the proofs of E.22
and E.35 need; c_2 = log d / 4.02 B what the proof of E.34 does.
"""

import math
from typing import Any


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
MOST_FIRST, MOST_LATER = 2.52, 5.04  # at its end: Lemmas E.35 and F.16


def collision_shares(n: int) -> tuple[float, ...]:
    """The probabilities of E_1, ..., E_6 of Appendix E for S_n on n values."""
    return tuple(count / n**2 for count in (n * n - 3 * n + 3, n - 2, n - 1, 1, n - 2, 1))


def upper_corridor_of_features(epsilon: Any, clip: float, points: int, ratio: float) -> Any:
    """A bound on pred,2 - ans,1 in a long sentence, with a and b of Theorem C.1 where Lemma F.14 puts 2B and 0: the
    neuron of g_2.y for a third value y, to which each other predicate leads with probability 1 / n_y, reads
    a (pred,2 - ans,1) + eps (2B / n_y - b), and the proof asks that it reads less than 1.005 log d."""
    return (c1(clip) - epsilon * (1 / points - 1 / (1 + ratio))) * (1 + ratio) / ratio


def lower_corridor(pred1: Any, clip: float) -> Any:
    """Lemma E.34's bound on ans,1 - pred,2."""
    return pred1 - c2(clip)


def lower_corridor_of_features(pred1: Any, ans0: Any, clip: float, ratio: float) -> Any:
    """The same with a and b of Theorem C.1, where E.34 puts 2B and 0: the proof asks of the wrong neuron of E_2,
    which reads a (pred,2 + pred,1 - ans,1) + b ans,0, that it reads log d / 2.01."""
    return pred1 + ans0 / ratio - c2(clip) * (1 + ratio) / ratio
