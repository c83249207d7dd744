"""The second decoding step: logits, Claim 2 and the first gradient (Appendix D)."""

import numpy as np
from jaxtyping import Float

from lemmata.papers.ic_recall.theory.numbers import log_sum_exp

Scores = Float[np.ndarray, "*batch 7"]
GUARANTEED_LEAD = 32 / 147  # omega_5 leads every other score by at least this times eta_1 / T after one step


def answer_logits(q: Scores) -> Float[np.ndarray, "*batch 4"]:
    """l(a_1), l(a_2), l(a_3) and the logit of any other answer, given the right relation."""
    subjects, relation = q[..., [0, 2, 4]], q[..., 6] + 1
    rest = (subjects**2).sum(-1)
    own = rest[..., None] - subjects**2 + (subjects + relation[..., None]) ** 2
    return np.concatenate([own, (rest + relation**2)[..., None]], axis=-1)


def answer_probabilities(q: Scores, n: int, temperature: float) -> Float[np.ndarray, "*batch 3"]:
    """p(a_1), p(a_2), p(a_3) with n - 3 other answers."""
    scaled = answer_logits(q) / temperature
    counts = np.log(np.maximum([1.0, 1.0, 1.0, n - 3.0], 1e-300))
    counts = np.where(np.array([1, 1, 1, n - 3]) > 0, counts, -np.inf)
    total = log_sum_exp(scaled + counts)[..., None]
    return np.exp(scaled[..., :3] - total)


def gradient_claim_2(q: Scores, n: int, temperature: float) -> Scores:
    """Claim 2: the gradient of the second step's loss in q."""
    p = answer_probabilities(q, n, temperature)
    gradient = np.zeros(q.shape)
    lead = 2 * (1 + q[..., 6]) / temperature
    gradient[..., 0] = lead * p[..., 0]
    gradient[..., 2] = lead * p[..., 1]
    gradient[..., 4] = lead * (p[..., 2] - 1)
    gradient[..., 6] = 2 / temperature * ((p * q[..., [0, 2, 4]]).sum(-1) - q[..., 4])
    return gradient


def initial_gradient_q(p: float, temperature: float) -> Float[np.ndarray, "7"]:
    """Gradient in q at q = 1/7, with p the common probability of a_1, a_2, a_3."""
    return np.array([16 * p, 0, 16 * p, 0, 16 * (p - 1), 0, 2 * (3 * p - 1)]) / (7 * temperature)


def initial_gradient_omega(p: float, temperature: float) -> Float[np.ndarray, "7"]:
    """The same in omega."""
    subject, other = 58 * p + 18, -54 * p + 18
    rows = [subject, other, subject, other, 58 * p - 94, other, -12 * p + 4]
    return np.array(rows) / (343 * temperature)
