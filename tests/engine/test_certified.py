"""The rule `certified` and the certificate as data; nothing here needs ball arithmetic."""

from dataclasses import replace

import pytest

from lemmata.core import certified
from lemmata.core.certificate import Certificate, Proposition, ProvedStep, read_certificate

TWO = Proposition("there are two", "T in (0, 1]", "count=2")
THREE = Proposition("there are three", "T in (0, 1]", "count=3")
STEPS = (ProvedStep("a sign", "x+x++", 128), ProvedStep("an identity", "="))
CLOSED = Certificate(TWO.digest, TWO.says, TWO.on, STEPS, "closed")


def test_a_certificate_survives_the_store() -> None:
    assert read_certificate(CLOSED.as_array()) == CLOSED
    assert (CLOSED.boxes, CLOSED.bits) == (4, 128)


def test_closed_holds_and_says_on_which_set() -> None:
    verdict = certified(TWO)(TWO, CLOSED)
    assert (verdict.status, verdict.detail) == ("holds", "proved on T in (0, 1]")


def test_of_another_statement_decides_nothing() -> None:
    verdict = certified(THREE)(THREE, CLOSED)
    assert verdict.status == "undecided"
    assert "another statement: there are two" in verdict.detail


@pytest.mark.parametrize(("outcome", "status"), [("open", "undecided"), ("refuted", "fails")])
def test_what_did_not_close_names_the_box(outcome: str, status: str) -> None:
    stopped = replace(CLOSED, outcome=outcome, where="a sign: [0, 0.5]")
    verdict = certified(TWO)(TWO, stopped)
    assert verdict.status == status
    assert "a sign: [0, 0.5]" in verdict.detail


def test_the_set_is_part_of_the_statement() -> None:
    assert replace(TWO, on="T in (0, 2]").digest != TWO.digest
