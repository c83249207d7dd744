"""Eqs. (2)-(8) for three subjects and the general gradients of Appendix C, written out as the paper prints them."""

import numpy as np
from jaxtyping import Float
from scipy.special import softmax

from lemmata.papers.ic_recall.theory.numbers import Real, log_sum_exp
from lemmata.papers.ic_recall.theory.relations import CORRECT, MATCHINGS, all_logits, table_2_forms

Scores = Float[np.ndarray, "*batch 6"]


def relation_logits(v: Scores) -> Float[np.ndarray, "*batch 6"]:
    """l(r_1) ... l(r_6), from Table 2."""
    return np.einsum("...i,rij,...j->...r", v, table_2_forms(), v)


def relation_probabilities(v: Scores, temperature: float) -> Float[np.ndarray, "*batch 6"]:
    return softmax(relation_logits(v) / temperature, axis=-1)


def warmup_gradient(v: Scores, temperature: float) -> Scores:
    """Eqs. (2)-(7)."""
    p1, p2, p3, p4, p5, p6 = np.moveaxis(relation_probabilities(v, temperature), -1, 0)
    v1, v2, v3, v4, v5, _ = np.moveaxis(v, -1, 0)
    rows = (
        (p1 + p3) * v2 + (p2 + p4) * v4 - v2,
        (p1 + p3) * v1 + (p2 + p5) * v3 + (p4 + p6) * v5 - v1,
        (p1 + p6) * v4 + (p2 + p5) * v2 - v4,
        (p1 + p6) * v3 + (p2 + p4) * v1 + (p3 + p5) * v5 - v3,
        (p3 + p5) * v4 + (p4 + p6) * v2,
        np.zeros_like(v1),
    )
    return 2 / temperature * np.stack(rows, axis=-1)


def through_softmax(v: Float[np.ndarray, "*batch k"], gradient: Float[np.ndarray, "*batch k"]) -> Real:
    """Eq. (8): from the gradient in v = softmax(theta) to the gradient in theta."""
    return v * (gradient - (v * gradient).sum(-1, keepdims=True))


def probabilities(v: Scores, counts: Float[np.ndarray, " 13"], temperature: float) -> Float[np.ndarray, "*batch 13"]:
    """The total probability of the relations of each matching, in a world with these counts."""
    with np.errstate(divide="ignore"):
        return softmax(all_logits(v) / temperature + np.log(counts), axis=-1)


def general_loss(v: Scores, counts: Float[np.ndarray, " 13"], temperature: float) -> Real:
    """-log p(r_1) in a world with these counts."""
    scaled = all_logits(v) / temperature
    right = scaled[..., MATCHINGS.index(CORRECT)]
    with np.errstate(divide="ignore"):
        return np.asarray(log_sum_exp(scaled - right[..., None] + np.log(counts), axis=-1))


def general_gradient(v: Scores, counts: Float[np.ndarray, " 13"], temperature: float) -> Scores:
    """The six formulas at the head of Appendix C, for one sequence of any world."""
    p = probabilities(v, counts, temperature)

    def mapped(subject: int, answer: int) -> Real:
        chosen = [(subject - 1, answer - 1) in matching for matching in MATCHINGS]
        return p[..., chosen].sum(-1)

    v1, v2, v3, v4, v5, _ = np.moveaxis(v, -1, 0)
    rows = (
        mapped(1, 1) * v2 + mapped(1, 2) * v4 - v2,
        mapped(1, 1) * v1 + mapped(2, 1) * v3 + mapped(3, 1) * v5 - v1,
        mapped(2, 2) * v4 + mapped(2, 1) * v2 - v4,
        mapped(2, 2) * v3 + mapped(1, 2) * v1 + mapped(3, 2) * v5 - v3,
        mapped(3, 1) * v2 + mapped(3, 2) * v4,
        np.zeros_like(v1),
    )
    return 2 / temperature * np.stack(rows, axis=-1)


def symmetric_gradient(v: Scores, temperature: float) -> Float[np.ndarray, "*batch 2"]:
    """Lemma B.4's simplified dL/dv_1, dL/dv_2 at v_1 = v_3, v_2 = v_4, v_5 = 0, with the 1/T that the print lacks."""
    return printed_symmetric_gradient(v, temperature) / temperature


def printed_symmetric_gradient(v: Scores, temperature: float) -> Float[np.ndarray, "*batch 2"]:
    """The same as printed: -2 (p_5 + p_6) v_2 and -2 (p_4 + p_6) v_1."""
    p = relation_probabilities(v, temperature)
    first = -2 * (p[..., 4] + p[..., 5]) * v[..., 1]
    second = -2 * (p[..., 3] + p[..., 5]) * v[..., 0]
    return np.stack([first, second], axis=-1)
