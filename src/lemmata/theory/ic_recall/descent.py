"""Lemma E.2: gradient descent on a smooth function cannot go far in a few steps."""

import numpy as np
from jaxtyping import Float

from lemmata.theory.ic_recall.numbers import Real


def movement_bound(steps: int | Float[np.ndarray, "..."], smoothness: float, loss_drop: float) -> Real:
    """sqrt(2 t (f(x_0) - inf f) / l), for any step size at most 1/l."""
    return np.sqrt(2 * np.asarray(steps, float) * loss_drop / smoothness)
