"""The rule of a claim that is proved: a certificate in the place of a measurement, none of a tolerance."""

from dataclasses import dataclass
from typing import Any

from lemmata.core.certificate import Certificate, Proposition
from lemmata.core.rule import Rule
from lemmata.core.verdict import Verdict


@dataclass(frozen=True)
class certified(Rule):
    """A certificate of the target, a `Proposition`, that closed.

    Where a box stayed open the verdict is `undecided` and names it. Where the proof met a place at which the statement
    is false it fails. A certificate of another proposition decides nothing, whatever it proves.
    """

    def compare(self, expected: Any, measured: Any) -> Verdict:
        if not isinstance(expected, Proposition) or not isinstance(measured, Certificate):
            return Verdict("undecided", float("nan"), "there is no certificate")
        if measured.outcome == "refuted":
            return Verdict("fails", -1.0, f"it is false at {measured.where}")
        if measured.proposition != expected.digest:
            return Verdict("undecided", float("nan"), f"the certificate is of another statement: {measured.says}")
        if measured.outcome == "open":
            return Verdict("undecided", float("nan"), f"not proved: {measured.where} stayed open")
        return Verdict("holds", 1.0, f"proved on {measured.on}")

    @property
    def asks(self) -> str:
        return "proof of: {}"

    def describe(self) -> str:
        return "a certificate whose every box closes, checked in ball arithmetic"
