"""Runs that prove: the linear associative memory's flow with the right rates of (42), and Theorem 2's first gap."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal

from lemmata.core import Bound, Natural
from lemmata.papers.association.proof import first_gap, memory_flow, restated
from lemmata.proofs import Positive, ProofRun, Step, exact_decimal


@dataclass(frozen=True, kw_only=True)
class FlowConstant(ProofRun):
    """n = 2: how fast e^-a grows in the end, over 1 - alpha."""

    kind = "association/proof-flow-constant"

    constant: str = "0.75"

    def cross_check(self) -> None:
        self.value()

    def value(self) -> Fraction:
        return exact_decimal("constant", self.constant, 100)

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
class FlowTurn(ProofRun):
    """n = 2: whether b comes back from below its limit."""

    kind = "association/proof-flow-turn"

    after: Literal["rises", "falls"] = "rises"

    def says(self) -> tuple[str, str]:
        ends = "turns once and then rises" if self.after == "rises" else "does not turn"
        return f"n = 2: a falls at every t; b falls at first, {ends}, to log(alpha/(1 - alpha))", "alpha in (0, 1/2)"

    def steps(self) -> tuple[Step, ...]:
        return (
            *memory_flow.constant_steps(Fraction(3, 4)),
            *memory_flow.turn_steps(1 if self.after == "rises" else -1),
        )


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


@dataclass(frozen=True, kw_only=True)
class FirstGap(ProofRun):
    """Theorem 2's first gap with the value matrix that phases 1 and 2 leave, by the exact chain."""

    kind = "association/proof-first-gap"

    num_tokens: Annotated[int, Bound(least=3)] = 16
    length: Annotated[int, Bound(least=3)] = 128
    most: str = "0.4"  # of alpha
    sign: Literal["negative", "positive"] = "negative"

    def cross_check(self) -> None:
        exact_decimal("most", self.most, 1)

    def says(self) -> tuple[str, str]:
        words = (
            f"N = {self.num_tokens}, T = {self.length}: after one step of W_QK from the W_V of phase 2 the logit of "
            f"(q, then j) less that of (q, then N+1) is {self.sign}"
        )
        return words, f"alpha in (0, {self.most}]"

    def steps(self) -> tuple[Step, ...]:
        sign = 1 if self.sign == "positive" else -1
        function = partial(_signed_gap, sign, self.num_tokens, self.length)
        return (Positive(f"the gap is {self.sign}", function, ((Fraction(0), exact_decimal("most", self.most, 1)),)),)


def _signed_gap(sign: int, num_tokens: int, length: int, alpha: Any) -> Any:
    return sign * first_gap.gap(alpha, num_tokens, length)


@dataclass(frozen=True, kw_only=True)
class RestatedTheorem2(ProofRun):
    """Theorem 2's two gaps as T tends to infinity, with the W_V of (26): ȳ drawn without the trigger, or with it."""

    kind = "association/proof-restated-theorem-2"

    target: Literal["any other token", "any token"] = "any other token"

    def says(self) -> tuple[str, str]:
        words = (
            f"ȳ is {self.target}, T -> infinity, W_V of (26): after one step of W_QK the logit of (q, then j), j "
            f"not q, "
            "exceeds that of (q, then N+1) and that of (k, then l) for every k other than q and every l"
        )
        return words, "every N >= 3, alpha in (0, 1), beta_1 >= beta_2 > 0"

    def steps(self) -> tuple[Step, ...]:
        return restated.steps(also_q=self.target == "any token")
