"""Where the loss on the pairwise line turns, in forty digits: its maximum lies near x = 3 exp(-1/(2T)), that is at
10^-108 for T = 0.002, so the search is in log x."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp, mpf

Exact = Any  # an mpmath number
Quadratic = tuple[Fraction, Fraction, Fraction]  # of x^2, x and 1
DIGITS = 40


def quadratics(samples: np.ndarray) -> list[Quadratic]:
    """The gaps d_j through their values at x = 0, 1/4, 1/2 (rows), which floats hold exactly."""
    found = []
    for column in samples.T:
        low, middle, high = (Fraction(float(value)) for value in column)
        found.append((8 * (low - 2 * middle + high), -6 * low + 8 * middle - 2 * high, low))
    return found


def turning_points(gaps: list[Quadratic], temperature: float) -> Iterator[tuple[float, float, float]]:
    """x, loss and whether it is a minimum, for every turning point in (0, 1/4)."""
    with mp.workdps(DIGITS):
        t = mpf(temperature)
        rows = [[mpf(part.numerator) / part.denominator for part in gap] for gap in gaps]

        def terms(log_x: Exact) -> list[tuple[Exact, Exact]]:
            """Each gap's slope and weight at x."""
            x = mp.exp(log_x)
            return [(2 * a * x + b, mp.exp((a * x * x + b * x + c) / t)) for a, b, c in rows]

        def slope(log_x: Exact) -> Exact:
            """Phi of the proof, which has the sign of dL/dx."""
            return sum((rise * weight for rise, weight in terms(log_x)), mpf(0))

        deepest = -1 / t  # far below the maximum near -1/(2T)
        grid = [deepest + (mp.log(mpf("1e-3")) - deepest) * i / 200 for i in range(200)]
        grid += [mp.log(mpf("1e-3") + (mpf("0.2499") - mpf("1e-3")) * i / 400) for i in range(401)]
        signs = [mp.sign(slope(z)) for z in grid]
        for i in range(len(grid) - 1):
            if signs[i] * signs[i + 1] < 0:
                place = _bisected(slope, grid[i], grid[i + 1], signs[i])
                loss = mp.log(1 + sum((weight for _, weight in terms(place)), mpf(0)))
                yield float(mp.exp(place)), float(loss), float(signs[i] < 0)


def _bisected(function: Any, low: Exact, high: Exact, sign_at_low: Exact) -> Exact:
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if mp.sign(function(middle)) == sign_at_low else (low, middle)
    return (low + high) / 2
