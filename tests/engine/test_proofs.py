"""Covers, counts and their checks, on functions whose truth is known."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from lemmata.core.certificate import Certificate, Proposition
from lemmata.proofs import Exact, Positive, Step, Zeros, check, exact, prove
from lemmata.proofs.balls import slope

pytest.importorskip("flint", reason="needs the extra `proofs`")

STATEMENT = Proposition("a statement", "[0, 1]", "it")
UNIT = ((Fraction(0), Fraction(1)),)


def cubic(x: Any) -> Any:
    """Three simple zeros, at 1/5, 3/7 and 801/1000."""
    return (5 * x - 1) * (7 * x - 3) * (1000 * x - 801)


def proved(*steps: Step) -> Certificate:
    return prove(STATEMENT, steps)


def test_a_true_sign_closes_and_checks() -> None:
    step = Positive("10^6 (exp(x) - 1 - x) > -1", lambda x: 10**6 * (x.exp() - 1 - x) + 1, UNIT)
    found = proved(step)
    assert found.outcome == "closed"
    assert check(found, STATEMENT, [step]) is None


def test_a_false_sign_is_refuted_with_a_point() -> None:
    found = proved(Positive("x > 1/3", lambda x: 3 * x - 1, UNIT))
    assert found.outcome == "refuted"
    assert found.where.startswith("x > 1/3: ")


def test_a_sign_that_touches_zero_stays_open() -> None:
    found = proved(Positive("(x - 1/3)^2 > 0", lambda x: (3 * x - 1) * (3 * x - 1), UNIT))
    assert found.outcome == "open"
    assert "0.3333" in found.where


def test_two_variables() -> None:
    square = (*UNIT, *UNIT)
    true = Positive("x^2 - xy + y^2 + 0.001 > 0", lambda x, y: 1000 * (x * x - x * y + y * y) + 1, square)
    found = proved(true)
    assert found.outcome == "closed"
    assert {"x", "y"} <= set(found.steps[0].tree)
    false = Positive("x^2 - 3xy + y^2 + 0.001 > 0", lambda x, y: 1000 * (x * x - 3 * x * y + y * y) + 1, square)
    assert proved(false).outcome == "refuted"


def test_zeros_are_counted() -> None:
    assert proved(Zeros("three", cubic, UNIT, 3)).outcome == "closed"
    for wrong in (0, 1, 2, 4):
        assert proved(Zeros("not three", cubic, UNIT, wrong)).outcome == "refuted"


def test_a_double_zero_is_not_counted() -> None:
    assert proved(Zeros("a double zero", lambda x: (3 * x - 1) * (3 * x - 1), UNIT, 1)).outcome == "open"


def test_a_zero_where_boxes_meet_stays_open() -> None:
    assert proved(Zeros("at 1/2", lambda x: (2 * x - 1) * (5 * x - 1), UNIT, 2)).outcome == "open"


def test_exact_arithmetic() -> None:
    assert proved(Exact("1/3 < 1/2", lambda: Fraction(1, 3) < Fraction(1, 2))).outcome == "closed"
    assert proved(Exact("1/3 > 1/2", lambda: Fraction(1, 3) > Fraction(1, 2))).outcome == "refuted"


def test_a_certificate_that_was_changed_does_not_check() -> None:
    step = Zeros("three", cubic, UNIT, 3)
    found = proved(step)
    (boxes,) = found.steps
    one_more = replace(step, count=4)
    assert "4 zeros" in str(check(found, STATEMENT, [one_more]))
    flipped = replace(found, steps=(replace(boxes, tree=boxes.tree.replace("+", "-")),))
    assert "does not show '-'" in str(check(flipped, STATEMENT, [step]))
    cut = replace(found, steps=(replace(boxes, tree=boxes.tree[:-1]),))
    assert "ends before its last leaf" in str(check(cut, STATEMENT, [step]))
    assert "steps are not those" in str(check(replace(found, steps=()), STATEMENT, [step]))


def test_of_another_statement_it_does_not_check() -> None:
    step = Zeros("three", cubic, UNIT, 3)
    assert "another statement" in str(check(proved(step), replace(STATEMENT, says="another"), [step]))


def test_a_leaf_of_an_unknown_letter_proves_nothing() -> None:
    step = Positive("x > -1", lambda x: x + 1, UNIT)
    found = proved(step)
    (boxes,) = found.steps
    assert check(replace(found, steps=(replace(boxes, tree="?"),)), STATEMENT, [step])


def test_what_cannot_be_evaluated_stays_open() -> None:
    """1/(x - 1/3) has a pole, and a root of what may be negative is no number: neither is taken for a sign."""
    assert proved(Positive("a pole", lambda x: 1 / (3 * x - 1) / (3 * x - 1), UNIT)).outcome == "open"
    assert proved(Positive("a root", lambda x: (x - 1).sqrt() + 1, UNIT)).outcome == "open"


def test_a_constant_has_no_slope() -> None:
    third = exact(Fraction(1, 3))
    assert slope(lambda x: third, [exact(Fraction(1, 2))], 0) == 0
    assert prove(STATEMENT, [Zeros("a constant", lambda x: third, UNIT, 0)]).outcome == "closed"
    assert not slope(lambda x: 1 / (x - x), [exact(Fraction(1, 2))], 0).is_finite()
