"""Runs that prove: each config is a statement with its constants, and builds the steps that show it."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Annotated, Literal

from lemmata.core import Bound, Count, Natural, require
from lemmata.papers.ic_recall.proof import one_large_step, pairs, reduction, transitions
from lemmata.papers.ic_recall.task import is_prime_power
from lemmata.proofs import Positive, ProofRun, Step, exact_decimal

Relation = Annotated[int, Bound(least=1, most=6)]
Subjects = Annotated[int, Bound(least=3)]
Bits = Annotated[int, Bound(least=64, most=4096)]
FIFTH, QUARTER = Fraction(1, 5), Fraction(1, 4)  # no T of a proof is above 1/5, no x of the pairwise line above 1/4


def decimals(run: ProofRun, **most: Fraction | int) -> tuple[Fraction, ...]:
    """Fields of a config, each a decimal above 0 and at most so much."""
    return tuple(exact_decimal(name, getattr(run, name), bound) for name, bound in most.items())


def full_world(n: int) -> None:
    """Refuse numbers of subjects for which no world of n(n-1) relations is known: it would be a projective plane of
    order n, and those known have prime powers."""
    require(is_prime_power(n), "n", n, "a prime power: no other full world is known")


def ordered(run: ProofRun, low: str, high: str) -> None:
    first, second = getattr(run, low), getattr(run, high)
    require(Decimal(first) < Decimal(second), low, first, f"below {high} = {second}")


@dataclass(frozen=True, kw_only=True)
class TurningPoints(ProofRun):
    """n = 3: the number of critical points on (0, 1/4) of the pairwise line, at every T up to `until`."""

    kind = "ic-recall/proof-turning-points"

    until: str = "0.09086"  # of T
    dip: str = "0.0348"  # an x at which the slope is negative there
    count: Natural = 2

    def cross_check(self) -> None:
        self._numbers()

    def _numbers(self) -> tuple[Fraction, ...]:
        return decimals(self, until=FIFTH, dip=QUARTER)

    def says(self) -> tuple[str, str]:
        where = f"T in (0, {self.until}]"
        return f"n = 3: the loss on the pairwise line has exactly {self.count} critical points in (0, 1/4)", where

    def steps(self) -> tuple[Step, ...]:
        until, dip = self._numbers()
        return transitions.turning_points(until, dip, self.count)


@dataclass(frozen=True, kw_only=True)
class Transition(ProofRun):
    """Bounds of a temperature of the phase diagram in the full world of n subjects."""

    kind = "ic-recall/proof-transition"

    of: Literal["exist", "global"] = "exist"
    n: Subjects = 3
    low: str = "0.09086"
    high: str = "0.09087"
    dip: str = "0.0348"  # an x that is better (a slope that is negative) at T = low
    split: str = "0.01"  # global: S rises up to this x, and stays above S(0) from it on, at T = high
    bits: Bits = 192

    def cross_check(self) -> None:
        full_world(self.n)
        self._numbers()
        ordered(self, "low", "high")

    def _numbers(self) -> tuple[Fraction, ...]:
        return decimals(self, low=FIFTH, high=FIFTH, dip=QUARTER, split=QUARTER)

    def says(self) -> tuple[str, str]:
        if self.of == "exist":
            words = (
                f"n = {self.n}: the highest temperature with an unequal minimum on the pairwise line is between "
                f"{self.low} and {self.high}"
            )
            return words, "every T > 0"
        words = (
            f"n = {self.n}: the lowest loss over the simplex of attention is on both pairs at every T up to "
            f"{self.low}, and on one pair alone from {self.high} on"
        )
        return words, f"T in (0, {self.low}] and [{self.high}, oo)"

    def steps(self) -> tuple[Step, ...]:
        low, high, dip, split = self._numbers()
        if self.of == "exist":
            return transitions.existence(self.n, low, high, dip, self.bits)
        return (*reduction.reduction_steps(1), *transitions.global_line(self.n, low, high, dip, split, self.bits))


@dataclass(frozen=True, kw_only=True)
class BestOnLine(ProofRun):
    """The reduction of the 5-simplex to the pairwise line."""

    kind = "ic-recall/proof-best-on-line"

    right: Relation = 1  # the relation that is asked for

    def says(self) -> tuple[str, str]:
        words = "the lowest loss over the simplex of attention is attained on (x, x, 1/2 - x, 1/2 - x, 0, 0), "
        return words + f"where r_{self.right} is asked for", "every T > 0 and every full world, n >= 3"

    def steps(self) -> tuple[Step, ...]:
        return reduction.reduction_steps(self.right)


@dataclass(frozen=True, kw_only=True)
class SaddleCurvature(ProofRun):
    """The sign of the curvature at the saddle along the escaping direction, n = 3."""

    kind = "ic-recall/proof-saddle-curvature"

    sign: Literal["negative", "positive"] = "negative"

    def says(self) -> tuple[str, str]:
        return f"n = 3: the curvature u (u/(2 + exp(u)) - 1) at the saddle is {self.sign}, u = 1/(8T)", "every T > 0"

    def steps(self) -> tuple[Step, ...]:
        return transitions.saddle(1 if self.sign == "negative" else -1)


@dataclass(frozen=True, kw_only=True)
class OneLargeStep(ProofRun):
    """Lemma C.1 for the population of a full world: how far p(r_1) is from 1/2 after the step."""

    kind = "ic-recall/proof-one-large-step"

    n: Subjects = 7
    factor: Count = 100  # eta_1 = factor T^(3/2) log(1/T)
    least: str = "0.00000001"
    most: str = "0.012848"  # no less than 1/(40 log n)
    bits: Bits = 192

    def cross_check(self) -> None:
        full_world(self.n)
        self._numbers()
        ordered(self, "least", "most")

    def _numbers(self) -> tuple[Fraction, ...]:
        return decimals(self, least=FIFTH, most=FIFTH)

    def says(self) -> tuple[str, str]:
        words = (
            f"n = {self.n}: after one step of rate {self.factor} T^(3/2) log(1/T) on the population of a full world "
            "v_1 = v_3, v_2 = v_4 and 0 < 1/2 - p(r_1) < exp(-1/sqrt(T))"
        )
        return words, f"T in [{self.least}, {self.most}]"

    def steps(self) -> tuple[Step, ...]:
        least, most = self._numbers()
        room = partial(one_large_step.room, n=self.n, factor=self.factor)
        return (Positive("exp(-1/sqrt(T)) > 1/2 - p(r_1)", room, ((least, most),), self.bits),)


@dataclass(frozen=True, kw_only=True)
class PairWeights(ProofRun):
    """k pairs in context: the attention that the lowest temperatures prefer."""

    kind = "ic-recall/proof-pair-weights"

    k: Annotated[int, Bound(least=2, most=7)] = 2
    first: Count = 1  # pair weights are first, first + 1, ..., over their double sum

    def says(self) -> tuple[str, str]:
        total = 2 * sum(range(self.first, self.first + self.k))
        weights = ", ".join(f"{i}/{total}" for i in range(self.first, self.first + self.k))
        words = (
            f"k = {self.k}, all bijections: as T -> 0 the best attention puts {weights} on each token of the pairs, "
            f"and there the smallest logit gap is 2/{(self.k * (self.k + 1)) ** 2}"
        )
        return words, "every attention, T -> 0"

    def steps(self) -> tuple[Step, ...]:
        return pairs.pair_steps(self.k, self.first)
