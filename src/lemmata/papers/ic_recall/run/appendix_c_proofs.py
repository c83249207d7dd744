"""Runs that prove: constants of Lemmas C.2 and C.3, enclosed."""

from dataclasses import dataclass
from fractions import Fraction

from lemmata.core import Count
from lemmata.papers.ic_recall.proof import appendix_c
from lemmata.papers.ic_recall.run.proofs import FIFTH, Bits, Subjects, decimals, full_world, ordered
from lemmata.proofs import ProofRun, Step


@dataclass(frozen=True, kw_only=True)
class CurvatureAfterStep(ProofRun):
    """Lemma C.2: the curvature after Stage 1 along the escaping direction, times -T."""

    kind = "ic-recall/proof-curvature-after-step"

    n: Subjects = 7
    factor: Count = 100  # eta_1 = factor T^(3/2) log(1/T)
    least: str = "0.000001"  # of T
    most: str = "0.004"
    low: str = "0.0569582"
    high: str = "0.0759019"
    bits: Bits = 192

    def cross_check(self) -> None:
        full_world(self.n)
        self._numbers()
        ordered(self, "least", "most")
        ordered(self, "low", "high")

    def _numbers(self) -> tuple[Fraction, ...]:
        return decimals(self, least=FIFTH, most=FIFTH, low=1, high=1)

    def says(self) -> tuple[str, str]:
        words = (
            f"n = {self.n}: after one step of rate {self.factor} T^(3/2) log(1/T) on the population of a full world, "
            f"the curvature along (1, 1, -1, -1, 0, 0)/2 times -T is between {self.low} and {self.high}"
        )
        return words, f"T in [{self.least}, {self.most}]"

    def steps(self) -> tuple[Step, ...]:
        least, most, low, high = self._numbers()
        return appendix_c.curvature_steps(self.n, self.factor, (least, most), (low, high), self.bits)


@dataclass(frozen=True, kw_only=True)
class GapGrowth(ProofRun):
    """Lemma C.3: how fast g grows while p(r_1) < 0.9991, and how long that takes."""

    kind = "ic-recall/proof-gap-growth"

    most: str = "0.004"  # of T
    growth: str = "0.0001"
    time: str = "350"  # C_2, in t eta_2 <= C_2 T log(1/T)

    def cross_check(self) -> None:
        self._numbers()

    def _numbers(self) -> tuple[Fraction, ...]:
        return decimals(self, most=Fraction(1, 100), growth=1, time=10**6)

    def says(self) -> tuple[str, str]:
        words = (
            "gradient flow, p_conf = 1, r_1 and r_2 alone: while p(r_1) < 0.9991 the gap g > 0 has T g'/g > "
            f"{self.growth}, and from g = T^4 it takes at most a time of {self.time} T log(1/T)"
        )
        return words, f"T in (0, {self.most}], v_1 + v_3 >= 1/3, v_2 + v_4 >= 7/25"

    def steps(self) -> tuple[Step, ...]:
        return appendix_c.growth_steps(*self._numbers())
