"""The limit of T log n: only 1/2 closes, and the bounds hold what is known of single worlds."""

from fractions import Fraction

import numpy as np
import pytest

from lemmata.papers.ic_recall.claims._proved import WORLDS
from lemmata.papers.ic_recall.proof import line, transition_limit
from lemmata.papers.ic_recall.run.transition_limit_proof import TemperatureOrder, TransitionLimit
from lemmata.proofs import ProofRun, exact, prove

pytest.importorskip("flint", reason="needs the extra `proofs`")


def outcome(run: ProofRun) -> str:
    return prove(run.proposition, run.steps()).outcome


def test_only_a_half_closes() -> None:
    wrong = ("0.500001", "0.499999", "0.25")
    assert outcome(TransitionLimit()) == "closed"
    assert [outcome(TransitionLimit(limit=one)) for one in wrong] == ["refuted"] * len(wrong)


def test_smaller_worlds_are_not_covered() -> None:
    assert outcome(TransitionLimit(first=10**4)) == "refuted"  # 1/sqrt(log n) is larger than `last`
    assert outcome(TransitionLimit(first=10**4, last="0.33")) == "refuted"


def test_certified_digits_lie_within_the_bounds() -> None:
    for world in WORLDS[1:]:
        log_n = np.log(world.n)
        for temperature in (world.best[0], world.exist[0]):
            assert 0.5 - 0.5 / np.sqrt(log_n) < float(temperature) * log_n < 0.5


@pytest.mark.parametrize("n", [10**5, 10**8, 2**61 - 1])
def test_the_bound_is_below_what_both_pairs_gain(n: int) -> None:
    """At the x and T of the argument (S(0) - S(x))/(n - 2) is at least what is shown to be positive."""
    v = Fraction(1 / np.sqrt(np.log(n)))
    t = (1 - v) / 2 * v * v
    x = Fraction(9, 10) * t
    gain = -line.excess(exact(x), exact(t), n) / (n - 2)
    bound = transition_limit.pair_is_worth_it(exact(v))
    assert bound > 0
    dropped = np.exp(-1 / float(v * (1 - v)))  # n exp(-1/(2T)), the relations without a match at x = 0
    assert float(bound) < float(gain) < float(bound) + 1.01 * dropped


def test_the_order_of_temperatures_ends_where_it_says() -> None:
    found = {until: outcome(TemperatureOrder(until=until)) for until in ("0.2", "0.202275", "0.202276")}
    assert found == {"0.2": "closed", "0.202275": "closed", "0.202276": "refuted"}


def test_the_excess_and_the_slope_rise_with_temperature() -> None:
    for n in (3, 101):
        for x in (Fraction(1, 50), Fraction(1, 7), Fraction(6, 25)):
            pairs = [(exact(Fraction(a, 1000)), exact(Fraction(a + 1, 1000))) for a in (20, 60, 120, 198)]
            assert all(line.excess(exact(x), low, n) < line.excess(exact(x), high, n) for low, high in pairs)
            if x < Fraction(1, 6):
                assert all(line.slope(exact(x), low, n) < line.slope(exact(x), high, n) for low, high in pairs)
