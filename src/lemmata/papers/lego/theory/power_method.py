"""Lemma B.13 and Corollary B.1: how long the tensor power method takes, and what a smaller start reaches by then."""

import numpy as np
from jaxtyping import Float


def time_bounds(
    start: Float[np.ndarray, "..."], end: float, power: int, delta: float
) -> tuple[Float[np.ndarray, "..."], Float[np.ndarray, "..."]]:
    """Of sum_t eta C_t until x_t > A, as eta goes to 0: sums over x between (1 + delta)^i x_0 and the next."""
    shell, exponent = (1 + delta) ** (power - 2) - 1, power - 2
    below = delta / (1 + delta) / shell * (1 - ((1 + delta) * start / end) ** exponent) / start**exponent
    return below, delta * (1 + delta) ** exponent / shell / start**exponent


def left_behind(
    start: Float[np.ndarray, "..."], gap: Float[np.ndarray, "..."], ratio: float, end: float, power: int
) -> Float[np.ndarray, "..."]:
    """y / y_0 when x is at A, for x_0 = y_0 S^(1/(q-2)) (1 + gap), as eta goes to 0: of order gap^(-1/(q-2))."""
    exponent = power - 2
    return (1 - (1 + gap) ** -exponent + ratio * (start / end) ** exponent) ** (-1 / exponent)
