"""Propositions B.2 and E.1: derivatives of log-sum-exp of quadratic logits, and the constants that bound them."""

import numpy as np

from lemmata.papers.ic_recall.theory.numbers import Real
from lemmata.papers.ic_recall.theory.relations import MATCHINGS


def logit_constants() -> tuple[float, float]:
    """(G, H): the largest gradient norm over the simplex and the largest Hessian norm of any of the 13 logits v^T A v.

    The gradient 2 A v is linear, its norm convex: the maximum is at a vertex, the norm of a column of 2 A.
    """
    forms = np.tile(np.diag([2.0] * 5 + [0.0]), (len(MATCHINGS), 1, 1))  # 2 A, from eq. (16)
    for form, matching in zip(forms, MATCHINGS, strict=True):
        for i, j in matching:
            form[2 * i, 2 * j + 1] = form[2 * j + 1, 2 * i] = 2.0
    return float(np.linalg.norm(forms, axis=1).max()), float(np.linalg.norm(forms, 2, axis=(1, 2)).max())


def second_bound(gradient: float, hessian: float, temperature: Real) -> Real:
    """Second derivatives of the loss along unit vectors: H/T + 2 G^2/T^2 of log-sum-exp, and H/T of l(r_1)/T."""
    return 2 * hessian / temperature + 2 * gradient**2 / temperature**2


def third_bound(gradient: float, hessian: float, temperature: Real) -> Real:
    """Third derivatives, of log-sum-exp alone as logits are quadratic: 6 H G/T^2 + 8 G^3/T^3."""
    return 6 * hessian * gradient / temperature**2 + 8 * gradient**3 / temperature**3
