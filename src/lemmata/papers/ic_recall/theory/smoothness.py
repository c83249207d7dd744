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


def _moments(
    v: Float[np.ndarray, " 6"], forms: Float[np.ndarray, "r 6 6"], counts: Float[np.ndarray, " r"], temperature: float
) -> tuple[np.ndarray, np.ndarray]:
    logits = np.einsum("i,rij,j->r", v, forms, v) / temperature
    weights = counts * np.exp(logits - logits.max())
    return weights / weights.sum(), 2 * np.einsum("rij,j->ri", forms, v)


def hessian_form(
    v: Float[np.ndarray, " 6"],
    a: Float[np.ndarray, " 6"],
    b: Float[np.ndarray, " 6"],
    forms: Float[np.ndarray, "r 6 6"],
    counts: Float[np.ndarray, " r"],
    temperature: float,
) -> float:
    """Second derivative of Psi = log sum exp(l/T) along a, b: E[Y]/T + Cov(X^a, X^b)/T^2."""
    p, gradients = _moments(v, forms, counts, temperature)
    x_a, x_b = gradients @ a, gradients @ b
    y_ab = 2 * np.einsum("i,rij,j->r", a, forms, b)
    return float(p @ y_ab / temperature + _cov(p, x_a, x_b) / temperature**2)


def third_form(
    v: Float[np.ndarray, " 6"],
    directions: Float[np.ndarray, "3 6"],
    forms: Float[np.ndarray, "r 6 6"],
    counts: Float[np.ndarray, " r"],
    temperature: float,
) -> float:
    """Third derivative of Psi along three directions: three covariances over T^2 and a third moment over T^3."""
    p, gradients = _moments(v, forms, counts, temperature)
    x = gradients @ directions.T
    y = 2 * np.einsum("ai,rij,bj->rab", directions, forms, directions)
    mixed = _cov(p, y[:, 0, 1], x[:, 2]) + _cov(p, y[:, 0, 2], x[:, 1]) + _cov(p, y[:, 1, 2], x[:, 0])
    centred = x - p @ x
    return float(mixed / temperature**2 + p @ centred.prod(axis=1) / temperature**3)


def _cov(p: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    return float(p @ (x * y) - (p @ x) * (p @ y))


def hessian_bound(temperature: float) -> float:
    """|second derivative of Psi| <= H/T + 2 G^2/T^2 along unit vectors."""
    largest_gradient, largest_hessian = logit_constants()
    return largest_hessian / temperature + 2 * largest_gradient**2 / temperature**2


def third_bound(temperature: float) -> float:
    """|third derivative of Psi| <= 6 H G/T^2 + 8 G^3/T^3 along unit vectors."""
    largest_gradient, largest_hessian = logit_constants()
    return 6 * largest_hessian * largest_gradient / temperature**2 + 8 * largest_gradient**3 / temperature**3
