"""Runs that prove: where one pair takes over as the world grows, and in which order temperatures stand."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from lemmata.core import Bound
from lemmata.papers.ic_recall.proof import temperature_order, transition_limit
from lemmata.papers.ic_recall.run.proofs import decimals
from lemmata.proofs import ProofRun, Step, exact_decimal


@dataclass(frozen=True, kw_only=True)
class TransitionLimit(ProofRun):
    """T log n where the unequal minimum stops existing, and where it stops being the lowest, for every large n."""

    kind = "ic-recall/proof-transition-limit"

    first: Annotated[int, Bound(least=9)] = 10**5  # n from which on the bounds hold
    last: str = "0.294719"  # no less than 1/sqrt(log first)
    limit: str = "0.5"

    def cross_check(self) -> None:
        self._numbers()

    def _numbers(self) -> tuple[Fraction, ...]:
        return decimals(self, limit=1, last=Fraction(9, 10))

    def says(self) -> tuple[str, str]:
        words = (
            f"{self.limit} - 1/(2 sqrt(log n)) < T_g log n <= T_e log n < {self.limit}, where T_g and T_e are the "
            "highest temperatures at which an unequal minimum is the best attention, and exists: both tend to "
            f"{self.limit}"
        )
        return words, f"every full world with n >= {self.first}"

    def steps(self) -> tuple[Step, ...]:
        return transition_limit.transition_limit_steps(self.first, *self._numbers())


@dataclass(frozen=True, kw_only=True)
class TemperatureOrder(ProofRun):
    """What a rise of T does on the pairwise line, whatever n."""

    kind = "ic-recall/proof-temperature-order"

    until: str = "0.2"

    def cross_check(self) -> None:
        exact_decimal("until", self.until, 1)

    def says(self) -> tuple[str, str]:
        words = (
            "on the pairwise line the slope of S, times a positive number, rises with T (beyond x = 1/6 without r_2's "
            f"positive term), and S(x) - S(0) rises with T up to {self.until}"
        )
        return words, "every full world, x in (0, 1/4)"

    def steps(self) -> tuple[Step, ...]:
        return temperature_order.temperature_order_steps(exact_decimal("until", self.until, 1))
