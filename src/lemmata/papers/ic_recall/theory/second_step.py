"""The second decoding step: Claim 2 and the first gradient (Appendix D)."""

import numpy as np
from jaxtyping import Float

from lemmata.papers.ic_recall.theory.numbers import log_sum_exp

Scores = Float[np.ndarray, "*batch 7"]
GUARANTEED_LEAD = 32 / 147  # omega_5 leads every other score by at least this times eta_1 / T after one step


def answer_probabilities(q: Scores, n: int, temperature: float) -> Float[np.ndarray, "*batch 3"]:
    """p(a_1), p(a_2), p(a_3) given the right relation, with n - 3 other answers."""
    subjects, relation = q[..., [0, 2, 4]], q[..., 6:] + 1
    rest = (subjects**2).sum(-1, keepdims=True)
    own = rest - subjects**2 + (subjects + relation) ** 2
    scaled = np.concatenate([own, rest + relation**2], axis=-1) / temperature
    with np.errstate(divide="ignore"):
        total = log_sum_exp(scaled + np.log([1, 1, 1, n - 3]))
    return np.exp(scaled[..., :3] - total[..., None])


def gradient_claim_2(q: Scores, n: int, temperature: float) -> Scores:
    """Claim 2: the gradient of the second step's loss in q."""
    p = answer_probabilities(q, n, temperature)
    lead = 2 * (1 + q[..., 6]) / temperature
    gradient = np.zeros(q.shape)
    gradient[..., [0, 2, 4]] = lead[..., None] * (p - [0, 0, 1])
    gradient[..., 6] = 2 / temperature * ((p * q[..., [0, 2, 4]]).sum(-1) - q[..., 4])
    return gradient


def initial_gradients(p: float, temperature: float) -> Float[np.ndarray, "14"]:
    """Gradients in q and in omega at q = 1/7, with p the common probability of a_1, a_2, a_3."""
    in_q = [16 * p, 0, 16 * p, 0, 16 * (p - 1), 0, 2 * (3 * p - 1)]
    subject, other = 58 * p + 18, -54 * p + 18
    in_omega = [subject, other, subject, other, 58 * p - 94, other, -12 * p + 4]
    return np.concatenate([np.array(in_q) / (7 * temperature), np.array(in_omega) / (343 * temperature)])
