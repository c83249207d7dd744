"""Propositions B.2 and E.1: derivatives of log-sum-exp of quadratic logits, and the constants that bound them."""

import numpy as np
from jaxtyping import Float

from lemmata.papers.ic_recall.theory.relations import MATCHINGS


def logit_form(matching: tuple[tuple[int, int], ...]) -> Float[np.ndarray, "6 6"]:
    """A with l(r) = v^T A v, from eq. (16)."""
    form = np.diag([1.0] * 5 + [0.0])
    for i, j in matching:
        form[2 * i, 2 * j + 1] = form[2 * j + 1, 2 * i] = 1.0
    return form


def logit_constants() -> tuple[float, float]:
    """(G, H): the largest gradient norm over the simplex and the largest Hessian norm of any of the 13 logits.

    The gradient 2 A v is linear, its norm convex: the maximum is at a vertex, the norm of a column of 2 A.
    """
    forms = [logit_form(matching) for matching in MATCHINGS]
    largest_gradient = max(float(np.linalg.norm(2 * form, axis=0).max()) for form in forms)
    largest_hessian = max(float(np.linalg.norm(2 * form, 2)) for form in forms)
    return largest_gradient, largest_hessian


def hessian_bound(temperature: float) -> float:
    """|second derivative of Psi| <= H/T + 2 G^2/T^2 along unit vectors."""
    largest_gradient, largest_hessian = logit_constants()
    return largest_hessian / temperature + 2 * largest_gradient**2 / temperature**2


def third_bound(temperature: float) -> float:
    """|third derivative of Psi| <= 6 H G/T^2 + 8 G^3/T^3 along unit vectors."""
    largest_gradient, largest_hessian = logit_constants()
    return 6 * largest_hessian * largest_gradient / temperature**2 + 8 * largest_gradient**3 / temperature**3
