"""The loss on the pairwise line v = (x, x, 1/2 - x, 1/2 - x, 0, 0), in any full world (n = 3 is the warm-up).

Polynomials are coefficient rows (x^2, x, 1). By symmetry L(x) = L(1/2 - x), so x runs over (0, 1/4].
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from lemmata.papers.ic_recall.theory.numbers import Real, least, log_sum_exp, root

# d_j = l(r_j) - l(r_1), j = 2 ... 6 (proof of Theorem B.3).
PRINTED_GAPS = np.array([[-8, 4, -1 / 2], [-3, 3, -3 / 4], [-7, 4, -3 / 4], [-7, 3, -1 / 2], [-3, 0, 0]])
GAPS = np.array([[-8, 4, -1 / 2], [-2, 2, -1 / 2], [-6, 3, -1 / 2], [-6, 3, -1 / 2], [-2, 0, 0]])

# h = d_2 - d_6 and its root in (0, 1/4). "-5x^2 + 4x^2 - 1/2" in the print can only mean the polynomial below.
PRINTED_H = np.array([-5.0, 4.0, -0.5])
H = np.array([-6.0, 4.0, -0.5])
PRINTED_LIMIT = (4 - np.sqrt(6)) / 10
LIMIT = 1 / 6

# Gaps by group of relations in a full world: r_2, then those with s_2 -> a_2 only kept, s_1 -> a_1 only kept,
# a crossed pair kept (two groups alike), and nothing kept.
_GROUPS = np.array([[-8, 4, -1 / 2], [-2, 0, 0], [-2, 2, -1 / 2], [-6, 3, -1 / 2], [-4, 2, -1 / 2]])


def evaluate(polynomials: Float[np.ndarray, "j 3"], x: Real) -> np.ndarray:
    """Each polynomial (leading axis) at each x."""
    x = np.asarray(x, float)
    square, linear, constant = polynomials.T
    return np.multiply.outer(square, x**2) + np.multiply.outer(linear, x) + np.multiply.outer(constant, x**0)


def warmup_line_loss(x: Real, temperature: float) -> Real:
    """L_1(x) = log(1 + sum_j exp(d_j(x) / T))."""
    return np.logaddexp(0.0, log_sum_exp(evaluate(GAPS, x) / temperature, axis=0))


def log_counts(log_n: float) -> Float[np.ndarray, " 5"]:
    """log of the number of relations in each group of a full world: 1, n-2, n-2, 2(n-2), (n-2)(n-3)."""
    two = log_n + np.log1p(-2 * np.exp(-log_n))
    ratio = 3 * np.exp(-log_n)
    three = log_n + np.log1p(-ratio) if ratio < 1 - 1e-12 else -np.inf
    return np.array([0.0, two, two, two + np.log(2), two + three])


def _exponents(x: Real, temperature: float, log_n: float) -> np.ndarray:
    """The log-weight of each group relative to r_1, group by group at each x."""
    return evaluate(_GROUPS, x) / temperature + log_counts(log_n).reshape(-1, *[1] * np.ndim(x))


def line_loss(x: Real, temperature: float, log_n: float) -> Real:
    """L_1 on the line in the full world of n subjects; n may be astronomically large, so its logarithm is given."""
    return np.logaddexp(0.0, log_sum_exp(_exponents(x, temperature, log_n), axis=0))


def slope_sign(log_x: Real, temperature: float, log_n: float) -> Real:
    """A function with the sign of dL/dx on (0, 1/4) that never under- or overflows.

    Only the group with gap -2x^2 falls, by 4x exp(-2x^2/T); every other term rises. This is
    log(rising terms) - log(falling terms), over 1 - 4x: the slope always vanishes at 1/4, and this factor does not.
    """
    log_x = np.asarray(log_x, float)
    x = np.exp(log_x)
    exponents = _exponents(x, temperature, log_n)
    slopes = np.stack([4 - 16 * x, 2 - 4 * x, 3 - 12 * x, 2 - 8 * x])
    rising = log_sum_exp(exponents[[0, 2, 3, 4]], axis=0, weights=slopes)
    return (rising - (np.log(4) + log_x + exponents[1])) / (1 - 4 * x)


class LineCritical(NamedTuple):
    """Where the loss on (0, 1/4) turns. Barriers are local maxima, as log x: the first is at x = 3 exp(-1/(2T)) or so,
    often far below the smallest float. `depth` is the least value of slope_sign: minima exist only where it is < 0."""

    log_barriers: list[float]
    minimum: float  # the pairwise optimum x_T, NaN where there is none
    depth: float


def critical_points(temperature: float, log_n: float = float(np.log(3.0))) -> LineCritical:
    """All critical points inside (0, 1/4), by bracketing in log x."""

    def sign(z: float) -> float:
        return float(slope_sign(z, temperature, log_n))

    grid = np.log(np.concatenate([np.geomspace(1e-5, 5e-3, 60), np.linspace(5e-3, 0.25 - 1e-6, 400)[1:]]))
    values = np.asarray(slope_sign(grid, temperature, log_n))
    best = int(np.argmin(values))
    bottom, depth = least(sign, float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)]), 1e-9)
    if depth < values[best]:
        place = int(np.searchsorted(grid, bottom))
        grid, values = np.insert(grid, place, bottom), np.insert(values, place, depth)
    below = float(grid[0]) - 1.0
    while values[0] < 0 and sign(below) < 0:  # the slope is positive close enough to x = 0
        below *= 2
    if values[0] < 0:
        grid, values = np.insert(grid, 0, below), np.insert(values, 0, sign(below))
    turns = [
        (root(sign, grid[i], grid[i + 1]), values[i] > 0)
        for i in np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0)
    ]
    minima = [float(np.exp(z)) for z, falls in turns if not falls]
    return LineCritical([z for z, falls in turns if falls], minima[-1] if minima else np.nan, float(values.min()))


def rescaled_derivative(x: float, temperature: float) -> float:
    """Claim 1's slope of Psi-tilde at its root, corrected: -16 e^(h/T) + 4 x h'(x)/T - 4."""
    h = float(np.polyval(H, x))
    return float(-16 * np.exp(h / temperature) + 4 * x * (4 - 12 * x) / temperature - 4)


def printed_rescaled_derivative(x: float, temperature: float) -> float:
    """As printed: -16 e^(h/T) + 6 x h'(x)/T - 6 with h'(x) = 4 - 10x."""
    h = float(np.polyval(PRINTED_H, x))
    return float(-16 * np.exp(h / temperature) + 6 * x * (4 - 10 * x) / temperature - 6)
