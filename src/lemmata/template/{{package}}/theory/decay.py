"""Lemma 1: gradient descent on a parabola decays geometrically."""

import numpy as np


def iterate(start: float, learning_rate: float, curvature: float, steps: np.ndarray) -> np.ndarray:
    """x_t = x_0 (1 - eta lambda)^t."""
    return start * (1 - learning_rate * curvature) ** steps
