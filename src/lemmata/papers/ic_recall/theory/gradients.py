"""Eqs. (2)-(8) for three subjects and the general gradients of Appendix C."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from scipy.special import softmax

from lemmata.papers.ic_recall.matchings import Matching
from lemmata.papers.ic_recall.theory.numbers import Real
from lemmata.papers.ic_recall.theory.relations import MATCHINGS, TABLE_1, all_logits, matching_of, table_2_forms

Scores = Float[np.ndarray, "*batch 6"]


def relation_logits(v: Scores) -> Float[np.ndarray, "*batch 6"]:
    """l(r_1) ... l(r_6), from Table 2."""
    return np.einsum("...i,rij,...j->...r", v, table_2_forms(), v)


def relation_probabilities(v: Scores, temperature: float) -> Float[np.ndarray, "*batch 6"]:
    return softmax(relation_logits(v) / temperature, axis=-1)


def warmup_gradient(v: Scores, temperature: float) -> Scores:
    """Eqs. (2)-(7)."""
    p = relation_probabilities(v, temperature)
    return _gradient(v, p, [matching_of(row) for row in TABLE_1], temperature)


def general_gradient(v: Scores, counts: Float[np.ndarray, " 13"], temperature: float) -> Scores:
    """The six formulas at the head of Appendix C, for one sequence of a world with these counts of each matching."""
    with np.errstate(divide="ignore"):
        p = softmax(all_logits(v) / temperature + np.log(counts), axis=-1)
    return _gradient(v, p, MATCHINGS, temperature)


def _gradient(v: Scores, p: np.ndarray, matchings: Sequence[Matching], temperature: float) -> Scores:
    def mapped(subject: int, answer: int) -> Real:
        """The probability of all that give this subject this answer: p_1 + p_3 for s_1 -> a_1 in eq. (2), and so on."""
        return p[..., [(subject - 1, answer - 1) in matching for matching in matchings]].sum(-1)

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


def through_softmax(v: Float[np.ndarray, "*batch k"], gradient: Float[np.ndarray, "*batch k"]) -> Real:
    """Eq. (8): from the gradient in v = softmax(theta) to the gradient in theta."""
    return v * (gradient - (v * gradient).sum(-1, keepdims=True))


def printed_symmetric_gradient(v: Scores, temperature: float) -> Float[np.ndarray, "*batch 2"]:
    """Lemma B.4's simplified dL/dv_1, dL/dv_2 at v_1 = v_3, v_2 = v_4, v_5 = 0; the print lacks a factor 1/T."""
    p = relation_probabilities(v, temperature)
    return np.stack([-2 * (p[..., 4] + p[..., 5]) * v[..., 1], -2 * (p[..., 3] + p[..., 5]) * v[..., 0]], axis=-1)
