"""What a verdict would have refuted: a change just below its resolution passes, one just above is rejected."""

import numpy as np
import pytest

from lemmata.core import Part, Rule, Seeds, Successes, at_least, at_most, exactly, falls, mean_near, near, slope_near
from lemmata.core.evidence import Evidence
from lemmata.core.resolution import Resolution, resolution


def of(rule: Rule, measured: object) -> Resolution:
    expected = rule.expected(None)
    found = resolution(Evidence("", rule, rule(expected, measured), expected, measured), lambda index: f"place {index}")
    assert found is not None
    return found


@pytest.mark.parametrize("sign", [-1, 1])
def test_an_equality_notices_its_tolerance_and_what_it_has_used_of_it(sign: int) -> None:
    assert of(near(2.0, rtol=0.01), 2.0).value == pytest.approx(0.01, rel=0.06)
    used = of(near(2.0, rtol=0.01), 2.0 * (1 + sign * 0.005)).value
    assert used == pytest.approx(0.015, rel=0.06), "the larger of both directions"
    assert of(near(2.0, atol=0.002), 2.0).words == "would notice 0.1%"
    assert of(near([1.0, -4.0], atol=0.1), np.array([1.0, -4.0])).value == pytest.approx(0.025, rel=0.06), (
        "the best place"
    )


def test_a_change_is_rejected_from_the_resolution_on() -> None:
    rule, measured = near(3.0, rtol=0.02, over_seeds=True), Seeds([2.98, 3.01, 3.02, 2.99])
    value = of(rule, measured).value
    assert value is not None
    for sign in (-1, 1):
        assert rule.compare(3.0 * (1 + sign * value * 1.05), measured).status == "fails"
    assert any(rule.compare(3.0 * (1 + sign * value * 0.9), measured).status != "fails" for sign in (-1, 1))


def test_loose_is_a_flag_of_equalities_and_bounds_of_the_paper() -> None:
    assert of(near(1.0, rtol=0.3), 1.0).is_loose
    assert not of(near(1.0, rtol=0.15), 1.0).is_loose
    assert of(at_most(40.0, paper="n >= 3"), np.array([1.0, 2.0])).is_loose
    assert not of(at_most(40.0), np.array([1.0, 2.0])).is_loose, "a threshold of ours is no bound"


def test_a_bound_of_the_paper_says_where_it_is_tight() -> None:
    found = of(at_most(np.array([4.0, 9.0]), paper="n >= 2"), np.array([1.0, 7.5]))
    assert (found.kind, found.words) == ("bound", "slack 1.2 at place 1")
    assert of(at_least(np.array([1.0, 2.0]), paper="n >= 2"), np.array([1.5, 2.2])).words == "slack 1.1 at place 1"


def test_the_other_kinds() -> None:
    x = np.array([1.0, 2.0, 4.0])
    slope = of(slope_near(2.0, 0.1), (x, x**2))
    assert slope.kind == "exponent"
    assert slope.value == pytest.approx(0.1, rel=0.06)
    assert of(near(0.0, atol=1e-9), 0.0).words == "would notice 1e-09 beside 0"
    assert of(exactly(3), 3).order == 0
    far = of(at_least(0.5, over_seeds=True), Seeds([0.9, 0.92, 0.94]))
    assert (far.kind, far.value) == ("distance", pytest.approx(0.42 / (0.02 / 3**0.5)))
    assert of(at_least(0.5), Successes(19, 20)).kind == "interval"
    assert of(falls(), np.array([3.0, 2.0, 1.0])).kind == "margin"
    assert of(mean_near(1.0), np.array([0.9, 1.0, 1.1, 1.0])).kind == "equality"


def test_what_does_not_hold_has_none() -> None:
    rule = near(1.0, rtol=0.1)
    assert resolution(Evidence("", rule, rule(1.0, 2.0), 1.0, 2.0)) is None
    assert Part(lambda x: x, rule).carries


def test_the_sharpest_comes_first() -> None:
    found = [of(exactly(1), 1), of(near(1.0, rtol=1e-6), 1.0), of(near(1.0, rtol=0.1), 1.0)]
    assert [one.order for one in found] == sorted(one.order for one in found)
