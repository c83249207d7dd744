"""Lemma B.7: why v_1/v_2 and v_3/v_4 are driven to 1 after the escape."""

import numpy as np
from jaxtyping import Float

from lemmata.papers.ic_recall.theory.gradients import relation_logits, relation_probabilities
from lemmata.papers.ic_recall.theory.numbers import Real

Scores = Float[np.ndarray, "*batch 6"]


def psi(v: Scores) -> Real:
    """max(alpha, beta, 1/alpha, 1/beta) with alpha = v_1/v_2, beta = v_3/v_4."""
    alpha, beta = v[..., 0] / v[..., 1], v[..., 2] / v[..., 3]
    return np.max(np.stack([alpha, beta, 1 / alpha, 1 / beta]), axis=0)


def advantage(v: Scores, temperature: float) -> Real:
    """l(r_1) - sum_r p(r) l(r): the lemma asks for it to be positive."""
    logits = relation_logits(v)
    return logits[..., 0] - (relation_probabilities(v, temperature) * logits).sum(-1)


def inner_product(v: Scores, temperature: float) -> Real:
    """sum_j v_j dL/dv_j = (2/T) (sum_r p l - l(r_1)): the logits are homogeneous of degree 2."""
    return -2 / temperature * advantage(v, temperature)


def printed_inner_product(v: Scores, temperature: float) -> Real:
    """As printed: sum_r p(r) l(r)."""
    return (relation_probabilities(v, temperature) * relation_logits(v)).sum(-1)


def printed_differences(v: Scores, temperature: float) -> Float[np.ndarray, "*batch 2"]:
    """T (dL/dtheta_1 - dL/dtheta_2) and T (dL/dtheta_3 - dL/dtheta_4), as printed."""
    _, p2, p3, p4, p5, p6 = np.moveaxis(relation_probabilities(v, temperature), -1, 0)
    v1, v2, v3, v4, v5, _ = np.moveaxis(v, -1, 0)
    lead = advantage(v, temperature)
    crossed = (p2 + p4) * v1 * v4 - (p2 + p5) * v2 * v3
    first = crossed - (p4 + p6) * v2 * v5 + (v1 - v2) * lead
    second = -crossed - (p3 + p5) * v4 * v5 + (v3 - v4) * lead
    return np.stack([first, second], axis=-1)


def differences(v: Scores, temperature: float) -> Float[np.ndarray, "*batch 2"]:
    """The same with the factor 2 that the print lacks."""
    return 2 * printed_differences(v, temperature)


def psi_velocity(v: Scores, theta_gradient: Scores) -> Real:
    """d log(psi) / dt under gradient flow: the ratio that attains the maximum moves by its scores' gradients.

    d log(v_i / v_j) / dt = -(dL/dtheta_i - dL/dtheta_j), since softmax's normaliser cancels in a ratio.
    """
    alpha, beta = np.log(v[..., 0] / v[..., 1]), np.log(v[..., 2] / v[..., 3])
    rate_alpha = -(theta_gradient[..., 0] - theta_gradient[..., 1]) * np.sign(alpha)
    rate_beta = -(theta_gradient[..., 2] - theta_gradient[..., 3]) * np.sign(beta)
    return np.where(np.abs(alpha) >= np.abs(beta), rate_alpha, rate_beta)
