"""Runs that prove: the flow of the linear associative memory with the right rates of equation (42)."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, Literal

from lemmata.core import Bound, Natural, require
from lemmata.papers.association.proof import memory_flow
from lemmata.proofs import ProofRun, Step


@dataclass(frozen=True, kw_only=True)
class FlowConstant(ProofRun):
    """n = 2: how fast e^-a grows in the end, over 1 - alpha."""

    kind = "association/proof-flow-constant"

    constant: str = "0.75"

    def cross_check(self) -> None:
        self.value()

    def value(self) -> Fraction:
        try:
            found = Fraction(Decimal(self.constant))
        except (InvalidOperation, ValueError, OverflowError):
            found = Fraction(0)
        require(0 < found < 100, "constant", self.constant, "a decimal number above 0 and below 100")
        return found

    def says(self) -> tuple[str, str]:
        words = f"n = 2: a falls at every t, and d(e^-a)/dt tends to {self.constant} (1 - alpha)"
        return words, "every alpha in (0, 1)"

    def steps(self) -> tuple[Step, ...]:
        return memory_flow.constant_steps(self.value())


@dataclass(frozen=True, kw_only=True)
class FlowOrder(ProofRun):
    """n = 2: which of the two singular values is the larger, at every time."""

    kind = "association/proof-flow-order"

    larger: Literal["signal", "noise"] = "signal"

    def says(self) -> tuple[str, str]:
        between = "a < b < 0" if self.larger == "signal" else "b < a < 0"
        words = f"n = 2: {between} at every t > 0, and the {self.larger}'s singular value is the larger one"
        return words, "every alpha in (0, 1/2), t > 0"

    def steps(self) -> tuple[Step, ...]:
        return memory_flow.order_steps(1 if self.larger == "signal" else -1)


@dataclass(frozen=True, kw_only=True)
class NoiseDirection(ProofRun):
    """Whether the noise's singular value ends below the signal's, for every number of inputs."""

    kind = "association/proof-noise-direction"

    most: Annotated[int, Bound(least=4, most=1000)] = 64
    last_smaller: Natural = 2

    def says(self) -> tuple[str, str]:
        words = (
            "the noise's singular value over the signal's tends to (n-1)/sqrt(n+1), which is below 1 for n <= "
            f"{self.last_smaller}, 1 at {self.last_smaller + 1} and above 1 beyond"
        )
        return words, f"every n from 2 to {self.most}"

    def steps(self) -> tuple[Step, ...]:
        return memory_flow.singular_steps(self.most, self.last_smaller)
