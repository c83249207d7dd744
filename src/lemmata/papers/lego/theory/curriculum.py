"""The implicit curriculum (Section 6.1.2): which neuron learns which combination and when, read at initialization."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True)
class Curriculum:
    neuron: Int[np.ndarray, "classes values"]  # r_{j,y}; -1 where a class has fewer neurons than values
    rank: Int[np.ndarray, "classes values"]  # 0 is learned first; -1 where nothing is
    magnitude: Float[np.ndarray, "classes values"]  # at initialization


def curriculum(initial: Float[np.ndarray, "classes neurons values"]) -> Curriculum:
    """Combinations by their initial magnitude, the largest first; a neuron that has learned one learns no other, and
    no other neuron learns what is learned. `initial[j, r, y]` is V_{j,r} on the fibre of (j, y)."""
    classes, neurons, values = initial.shape
    neuron, rank = np.full((2, classes, values), -1)
    magnitude = np.full((classes, values), -np.inf)
    taken = np.zeros((classes, neurons), dtype=bool)
    for flat in np.argsort(-initial, axis=None, kind="stable"):
        j, r, y = np.unravel_index(flat, initial.shape)
        if neuron[j, y] < 0 and not taken[j, r]:
            neuron[j, y], rank[j, y], magnitude[j, y] = r, taken.sum(), initial[j, r, y]
            taken[j, r] = True
    return Curriculum(neuron, rank, magnitude)


def rank_agreement(times: Int[np.ndarray, "..."], predicted: Int[np.ndarray, "..."]) -> float:
    """Kendall's tau-b between when things were learned and their predicted rank: 1 in the predicted order, 0 by chance.
    Ties (learned at the same record) count for neither side."""
    a, b = np.asarray(times).ravel(), np.asarray(predicted).ravel()
    signs = np.sign(a[:, None] - a[None, :]) * np.sign(b[:, None] - b[None, :])
    pairs_a, pairs_b = np.sum(np.sign(a[:, None] - a) ** 2), np.sum(np.sign(b[:, None] - b) ** 2)
    return float(signs.sum() / np.sqrt(pairs_a * pairs_b)) if pairs_a and pairs_b else 0.0
