"""A run that proves: up to which temperature k pairs in context can be told apart."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from lemmata.core import Bound, Some, require
from lemmata.papers.ic_recall.proof import pair_temperature
from lemmata.papers.ic_recall.run.proofs import decimals, ordered
from lemmata.proofs import ProofRun, Step, exact_decimal


@dataclass(frozen=True, kw_only=True)
class PairTemperature(ProofRun):
    """Bounds of the highest temperature at which some attention has a loss below log 2."""

    kind = "ic-recall/proof-pair-temperature"

    k: Annotated[int, Bound(least=2, most=6)] = 2
    low: str = "0.0854"
    high: str = "0.0855"
    weights: Some[str] = ("0.0657", "0.4343")  # a token, of the pairs, lightest first: they recall at T = low
    # What shows that nothing recalls at T = high: the price of weight, two coefficients and the least cost of each
    # difference of neighbours; none: boxes over all weights.
    prices: Some[str] | None = None

    def cross_check(self) -> None:
        require(len(self.weights) == self.k, "weights", self.weights, f"k = {self.k} numbers")
        if self.prices is not None:
            require(len(self.prices) == self.k + 3, "prices", self.prices, f"k + 3 = {self.k + 3} numbers")
        require(self.prices is not None or self.k <= 4, "prices", None, "k + 3 numbers: boxes do for k <= 4 alone")
        self._numbers()
        ordered(self, "low", "high")

    def _numbers(self) -> tuple[Fraction, Fraction, tuple[Fraction, ...], pair_temperature.Prices | None]:
        low, high = decimals(self, low=1, high=1)
        weights = tuple(exact_decimal("weights", one, 1) for one in self.weights)
        if self.prices is None:
            return low, high, weights, None
        price, odd, even, *least = (exact_decimal("prices", one, 100) for one in self.prices)
        return low, high, weights, pair_temperature.Prices(price, odd, even, tuple(least))

    def says(self) -> tuple[str, str]:
        words = (
            f"k = {self.k}, all bijections of {self.k + 1} subjects: the highest temperature at which some attention "
            f"has a loss below log 2 is between {self.low} and {self.high}"
        )
        return words, "every attention, every T > 0"

    def steps(self) -> tuple[Step, ...]:
        return pair_temperature.pair_temperature_steps(self.k, *self._numbers())
