"""Runs that prove where Algorithm 1's second stage ends, n = 3: Theorem 4.2 with an explicit temperature."""

from dataclasses import dataclass
from fractions import Fraction

from lemmata.papers.ic_recall.proof import escape, reduction, stage_one, transitions
from lemmata.papers.ic_recall.run.proofs import QUARTER, decimals, ordered
from lemmata.proofs import ProofRun, Step, exact_decimal

HIGHEST = Fraction(1, 11)  # of T: no unequal minimum stands above it

DESCENT = (
    "n = 3: gradient descent from the saddle, pushed by a law with a density within a radius of T/10, with steps of at "
    "most 1/(2l), l the gradient's Lipschitz constant, converges with probability 1 to the unequal minimum of the "
    "pairwise line"
)


@dataclass(frozen=True, kw_only=True)
class Convergence(ProofRun):
    """Theorem 4.2's conclusion at every T up to `until`, whatever delta."""

    kind = "ic-recall/proof-convergence"

    until: str = "0.0883"
    barrier: str = "0.04"  # an x that the lighter pair's weight does not fall below
    best: str = "0.0547"  # an x at which the loss is below that of one pair alone, at T = until

    def cross_check(self) -> None:
        self._numbers()

    def _numbers(self) -> tuple[Fraction, ...]:
        return decimals(self, until=HIGHEST, barrier=QUARTER, best=QUARTER)

    def says(self) -> tuple[str, str]:
        return f"{DESCENT}, which is the lowest over the simplex of attention", f"T in (0, {self.until}], every delta"

    def steps(self) -> tuple[Step, ...]:
        until, barrier, best = self._numbers()
        return (
            *reduction.reduction_steps(1),
            *transitions.saddle(1),
            *transitions.turning_points(until, barrier, 2),
            *escape.convergence(until, barrier),
            *escape.both_pairs_are_better(until, best),
        )


@dataclass(frozen=True, kw_only=True)
class NotTheLowest(ProofRun):
    """Temperatures at which the same descent ends at a minimum that is not the lowest."""

    kind = "ic-recall/proof-not-the-lowest"

    since: str = "0.0884"
    until: str = "0.09"
    barrier: str = "0.035"
    split: str = "0.005"  # the loss rises up to this x, and stays above that of one pair from it on, at T = since

    def cross_check(self) -> None:
        self._numbers()
        ordered(self, "since", "until")

    def _numbers(self) -> tuple[Fraction, ...]:
        return decimals(self, since=HIGHEST, until=HIGHEST, barrier=QUARTER, split=QUARTER)

    def says(self) -> tuple[str, str]:
        return f"{DESCENT}, whose loss is above that of one pair alone", f"T in [{self.since}, {self.until}]"

    def steps(self) -> tuple[Step, ...]:
        since, until, barrier, split = self._numbers()
        return (
            *transitions.saddle(1),
            *transitions.turning_points(until, barrier, 2),
            *escape.convergence(until, barrier),
            *escape.one_pair_is_best(since, split),
        )


@dataclass(frozen=True, kw_only=True)
class StageOne(ProofRun):
    """Lemma B.4: where gradient descent from theta = 0 ends."""

    kind = "ic-recall/proof-stage-one"

    limit: str = "0.25"  # of v_2 and v_4

    def cross_check(self) -> None:
        exact_decimal("limit", self.limit, Fraction(1, 2))

    def says(self) -> tuple[str, str]:
        first = Fraction(1, 2) - exact_decimal("limit", self.limit, Fraction(1, 2))
        words = (
            "n = 3: gradient descent from theta = 0 with steps of at most 1/l, l the gradient's Lipschitz constant, "
            f"has v_1, v_3 tend to {float(first):.10g}, v_2, v_4 to {self.limit}, and v_5, v_6 to 0"
        )
        return words, "every T > 0"

    def steps(self) -> tuple[Step, ...]:
        return stage_one.stage_one_steps(exact_decimal("limit", self.limit, Fraction(1, 2)))
