"""Lemma B.4, n = 3: Stage 1 from theta = 0 tends to the saddle, at every T. Exact facts; docs/proofs.md argues.

Exchanging both pairs keeps v_1 = v_3 and v_2 = v_4 along the descent. There r_1 and r_2 have one logit, r_3 ... r_6
another, lower by 2 v_2 (v_1 - v_5); with p the probability of each of r_3 ... r_6 the gradient in theta is a product.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from lemmata.papers.ic_recall.theory.relations import TABLE_2, quadratic_form
from lemmata.proofs import Exact, Step

Scores = tuple[Fraction, ...]
FORMS = tuple(
    tuple(tuple(Fraction(entry) for entry in row) for row in quadratic_form(TABLE_2[f"r_{number}"]).tolist())
    for number in range(1, 7)
)
# Scores are of degree at most two in what is checked: three values decide. All mass on r_1, r_2, or on r_3 ... r_6:
# what is checked is affine in the probabilities.
VALUES = (Fraction(1, 7), Fraction(2, 5), Fraction(3))
MASSES = ((Fraction(1, 2), Fraction(0)), (Fraction(0), Fraction(1, 4)))


def _symmetric() -> Iterator[Scores]:
    for v1, v2, v5, v6 in product(VALUES, repeat=4):
        yield v1, v2, v1, v2, v5, v6


def logits(v: Scores) -> list[Fraction]:
    places = tuple(product(range(6), repeat=2))
    return [sum((v[i] * form[i][j] * v[j] for i, j in places), Fraction(0)) for form in FORMS]


def gradient(v: Scores, p: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """T dL/dtheta, from the logits of Table 2 and eq. (8)."""
    slopes = [[2 * sum(form[i][j] * v[j] for j in range(6)) for i in range(6)] for form in FORMS]
    in_v = [sum(p[r] * slopes[r][i] for r in range(6)) - slopes[0][i] for i in range(6)]
    mean = sum(v[i] * in_v[i] for i in range(6))
    return tuple(v[i] * (in_v[i] - mean) for i in range(6))


def logits_are_two() -> bool:
    for v in _symmetric():
        found = logits(v)
        if found[0] != found[1] or len(set(found[2:])) != 1 or found[0] - found[2] != 2 * v[1] * (v[0] - v[4]):
            return False
    return True


def gradient_is_a_product(limit: Fraction) -> bool:
    """With y = v_1 - v_5: -4p v_1 v_2 (1 - 4y), -4p v_2 y (1 - v_2/limit), 8p v_2 v_5 (1 + 2y), 16p v_2 v_6 y."""
    for v, (high, p) in product(_symmetric(), MASSES):
        v1, v2, _, _, v5, v6 = v
        y = v1 - v5
        first, second = -4 * p * v1 * v2 * (1 - 4 * y), -4 * p * v2 * y * (1 - v2 / limit)
        expected = (first, second, first, second, 8 * p * v2 * v5 * (1 + 2 * y), 16 * p * v2 * v6 * y)
        if gradient(v, (high, high, p, p, p, p)) != expected:
            return False
    return True


def begins_to_fall() -> bool:
    """At theta = 0 all relations are alike and the gradient is not 0."""
    uniform = (Fraction(1, 6),) * 6
    return len(set(logits(uniform))) == 1 and any(gradient(uniform, uniform))


def stage_one_steps(limit: Fraction) -> tuple[Step, ...]:
    return (
        Exact("where v_1 = v_3, v_2 = v_4: l_1 = l_2, l_3 = ... = l_6, l_1 - l_3 = 2 v_2 (v_1 - v_5)", logits_are_two),
        Exact("there the gradient in theta is a product", lambda: gradient_is_a_product(limit)),
        Exact("at theta = 0 the loss is log 6 and falls", begins_to_fall),
    )
