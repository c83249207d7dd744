"""Lemma E.2: gradient descent on a smooth function cannot go far in a few steps."""

import numpy as np

from lemmata.papers.ic_recall.theory.numbers import Real


def movement_bound(steps: Real | int, smoothness: Real, loss_drop: Real) -> Real:
    """sqrt(2 t (f(x_0) - inf f) / l), for any step size at most 1/l."""
    return np.sqrt(2 * np.asarray(steps, float) * loss_drop / smoothness)
