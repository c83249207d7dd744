"""A run whose output is a certificate."""

import abc
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, RunResult, Undecided, require
from lemmata.core.certificate import ARRAY, Certificate, Proposition, read_certificate
from lemmata.proofs.proving import check, prove
from lemmata.proofs.steps import Step


@dataclass(frozen=True, kw_only=True)
class ProofRun(RunConfig, abc.ABC):
    """Its config decides a statement and the steps that prove it."""

    @abc.abstractmethod
    def says(self) -> tuple[str, str]:
        """The statement, and the set on which it is made."""

    @abc.abstractmethod
    def steps(self) -> tuple[Step, ...]:
        """What is to be shown, in order; imports of python-flint are left to the functions."""

    @property
    def proposition(self) -> Proposition:
        return Proposition(*self.says(), self.requested)

    def input_hashes(self) -> tuple[str, ...]:
        """The words of the statement: a certificate is of them too, so other words are another run."""
        return (self.proposition.digest,)

    def execute(self, context: RunContext) -> RunOutput:
        certificate = prove(self.proposition, self.steps())
        if certificate.outcome == "closed" and (problem := self.problem(certificate)):
            raise Undecided(f"the certificate does not pass its own check: {problem}")
        steps = certificate.steps
        metrics = {
            "step": np.array([step.name for step in steps] or [""]),
            "boxes": np.array([sum(letter not in "xyz" for letter in step.tree) for step in steps] or [0]),
            "bits": np.array([step.bits for step in steps] or [0]),
        }
        return RunOutput(metrics, {ARRAY: certificate.as_array()})

    def problem(self, certificate: Certificate) -> str | None:
        """Why the certificate does not prove this config's statement; None if it does."""
        return check(certificate, self.proposition, self.steps())


def exact_decimal(name: str, text: str, most: Fraction | int) -> Fraction:
    """A config's decimal in (0, most], exactly; any other is refused."""
    try:
        value = Fraction(Decimal(text))
    except (InvalidOperation, ValueError, OverflowError):
        value = Fraction(0)
    require(0 < value <= most, name, text, f"a decimal number above 0 and at most {most}")
    return value


def certificate_of(run: RunResult) -> Certificate:
    """What a claim under the rule `certified` reads."""
    return read_certificate(run.arrays[ARRAY])
