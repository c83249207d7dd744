"""Lemma B.7: why v_1/v_2 and v_3/v_4 are driven to 1 after the escape."""

import numpy as np
from jaxtyping import Float

from lemmata.papers.ic_recall.theory.gradients import relation_logits, relation_probabilities
from lemmata.papers.ic_recall.theory.numbers import Real

Scores = Float[np.ndarray, "*batch 6"]


def advantage(v: Scores, temperature: float) -> Real:
    """l(r_1) - sum_r p(r) l(r): the lemma asks for it to be positive."""
    logits = relation_logits(v)
    return logits[..., 0] - (relation_probabilities(v, temperature) * logits).sum(-1)


def printed_inner_product(v: Scores, temperature: float) -> Real:
    """sum_j v_j dL/dv_j as printed, sum_r p(r) l(r); it is -2/T times the advantage (logits have degree 2)."""
    return (relation_probabilities(v, temperature) * relation_logits(v)).sum(-1)


def printed_differences(v: Scores, temperature: float) -> Float[np.ndarray, "*batch 2"]:
    """T (dL/dtheta_1 - dL/dtheta_2) and T (dL/dtheta_3 - dL/dtheta_4), as printed: half of what they are."""
    _, p2, p3, p4, p5, p6 = np.moveaxis(relation_probabilities(v, temperature), -1, 0)
    v1, v2, v3, v4, v5, _ = np.moveaxis(v, -1, 0)
    lead = advantage(v, temperature)
    crossed = (p2 + p4) * v1 * v4 - (p2 + p5) * v2 * v3
    first = crossed - (p4 + p6) * v2 * v5 + (v1 - v2) * lead
    second = -crossed - (p3 + p5) * v4 * v5 + (v3 - v4) * lead
    return np.stack([first, second], axis=-1)


def psi_velocity(v: Scores, theta_gradient: Scores) -> Real:
    """d log(psi) / dt under gradient flow, psi = max(v_1/v_2, v_2/v_1, v_3/v_4, v_4/v_3).

    d log(v_i / v_j) / dt = -(dL/dtheta_i - dL/dtheta_j), since softmax's normaliser cancels in a ratio.
    """
    ratios = np.log(v[..., [0, 2]] / v[..., [1, 3]])
    velocities = -(theta_gradient[..., [0, 2]] - theta_gradient[..., [1, 3]]) * np.sign(ratios)
    return np.where(np.abs(ratios[..., 0]) >= np.abs(ratios[..., 1]), velocities[..., 0], velocities[..., 1])
