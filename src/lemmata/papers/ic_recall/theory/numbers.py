"""What a closed form takes and gives: a number, or an array of them (NumPy turns 0-d results into scalars)."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import logsumexp

from lemmata.core import Undecided

Real = np.ndarray | np.floating | float


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a function that changes sign between low and high, to the last digits."""
    if function(low) * function(high) > 0:
        raise Undecided(f"theory finds no root between {low:g} and {high:g}")
    return float(cast(float, brentq(function, low, high, xtol=1e-15, rtol=np.float64(1e-14), maxiter=500)))


def log_sum_exp(values: np.ndarray, axis: int = -1, weights: np.ndarray | None = None) -> np.ndarray:
    return np.asarray(cast(np.ndarray, logsumexp(values, axis=axis, b=weights)))


def least(function: Callable[[float], float], low: float, high: float, precision: float) -> tuple[float, float]:
    """Where a function with one dip between low and high is least, and its value there."""
    found: Any = minimize_scalar(function, bounds=(low, high), method="bounded", options={"xatol": precision})
    return float(found.x), float(found.fun)
