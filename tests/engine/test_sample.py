"""Decisions under uncertainty: intervals cover what they should, and a rule decides where its interval lets it."""

from typing import Any

import numpy as np
import pytest

from lemmata.core import (
    SHARE,
    Claim,
    Part,
    Rule,
    Runs,
    Seeds,
    Successes,
    at_least,
    at_most,
    exactly,
    falls,
    judge,
    mean_near,
    near,
    rises,
    slope_near,
)
from lemmata.core.sample import LEVEL, shown_interval
from lemmata.core.to_json import to_json
from lemmata.report.values import brief

SURE, TORN = np.array([0.9, 0.92, 0.88, 0.91]), np.array([0.95, 0.8, 0.7, 0.85])
X = np.geomspace(1, 100, 5)
NOISE = np.array([[0.1, -0.2, 0.1, 0.0, 0.1], [-0.1, 0.1, 0.2, -0.1, 0.0], [0.0, 0.1, -0.2, 0.1, -0.1]])
CASES: list[tuple[Rule, Any, str]] = [
    (at_least(0.8), Seeds(SURE), "holds"),
    (at_least(0.8), Seeds(TORN), "undecided"),
    (at_least(0.97), Seeds(SURE), "fails"),
    (at_most(0.95), Seeds(SURE), "holds"),
    (at_most(0.83), Seeds(TORN), "undecided"),
    (at_most(0.8), Seeds(SURE), "fails"),
    (near(0.9, atol=0.1), Seeds(SURE), "holds"),
    (near(0.9, atol=0.1), Seeds(TORN), "undecided"),
    (near(0.5, atol=0.1), Seeds(SURE), "fails"),
    (near(0.1), Seeds([0.1, 0.1, 0.1]), "holds"),  # no spread: nothing is in doubt
    (near(0.1), Seeds([0.2, 0.2]), "fails"),
    (at_least(0.8), Seeds([]), "undecided"),
    (at_least(0.8), Seeds([0.9]), "undecided"),  # one seed shows no spread
    (at_least(0.8), Seeds([0.9], exact=True), "holds"),
    (at_least(0.8), Seeds([0.9, float("nan")]), "undecided"),
    (at_least([0.8, 0.8]), Seeds(np.stack([SURE, TORN], axis=1)), "undecided"),
    (at_least([0.97, 0.8]), Seeds(np.stack([SURE, TORN], axis=1)), "fails"),
    (rises(), Seeds(X + NOISE), "holds"),
    (rises(), Seeds(np.ones(5) + NOISE), "undecided"),
    (falls(), Seeds(X + NOISE), "fails"),
    (slope_near(-2.0, tolerance=0.2), (X, Seeds(X**-2 * np.exp(NOISE))), "holds"),
    (slope_near(-2.0, tolerance=0.01), (X, Seeds(X**-2 * np.exp(NOISE))), "undecided"),
    (slope_near(-1.0, tolerance=0.2), (X, Seeds(X**-2 * np.exp(NOISE))), "fails"),
    (exactly(1), Seeds([1, 1, 1]), "holds"),
    (exactly(1), Seeds([1, 2, 1]), "fails"),
    (mean_near(0.9, errors=4), Seeds(SURE), "holds"),
    (at_least(0.75), Successes(14, 20), "undecided"),  # where p = .86 stands behind it
    (at_least(0.75), Successes(91, 100), "holds"),
    (at_least(0.75), Successes(20, 20), "holds"),
    (at_least(0.9), Successes(20, 20), "undecided"),
    (at_least(0.75), Successes(2, 20), "fails"),
    (at_most(0.1), Successes(0, 100), "holds"),
]


@pytest.mark.parametrize(("rule", "measured", "status"), CASES, ids=lambda case: getattr(case, "unit", None))
def test_a_rule_decides_where_the_interval_lets_it(rule: Rule, measured: Any, status: str) -> None:
    verdict = rule(rule.expected(Runs({})), measured)
    assert verdict.status == status
    if status != "undecided":
        assert (verdict.margin >= 0) == (status == "holds")


def test_undecided_says_how_many_would_tell() -> None:
    verdict = at_least(0.8)(0.8, Seeds(TORN))
    assert verdict.detail == "mean 0.825 over 4 seeds, 95% interval 0.6594 to 0.9906; about 70 seeds would tell"
    assert "several can tell" in at_least(0.8)(0.8, Seeds([0.9])).detail
    assert "any feasible number of seeds" in at_least(0.9)(0.9, Seeds([0.8, 1.0])).detail
    assert "trials would tell" in at_least(0.75)(0.75, Successes(14, 20)).detail


@pytest.mark.parametrize(("spread", "count"), [(0.1, 5), (0.05, 3), (0.3, 8)])
def test_the_number_that_would_tell_does(spread: float, count: int) -> None:
    """Seeds with the same mean and standard deviation decide from the number on, and not just below it."""

    def made(n: int) -> Seeds:
        values = np.tile([-1.0, 1.0], n)[:n]
        values = (values - values.mean()) / values.std(ddof=1)
        return Seeds(0.82 + spread * values)

    verdict = at_least(0.8)(0.8, made(count))
    assert verdict.status == "undecided"
    needed = int(verdict.detail.split("about ")[1].split()[0])
    assert at_least(0.8)(0.8, made(needed)).status == "holds"
    assert at_least(0.8)(0.8, made(needed - 1)).status == "undecided"


@pytest.mark.parametrize("count", [3, 5, 20])
def test_the_interval_over_seeds_covers_the_mean_as_often_as_it_says(count: int) -> None:
    low, high = Seeds(np.random.default_rng(0).normal(1.0, 2.0, size=(count, 4000))).interval()
    covered = np.mean((low <= 1.0) & (high >= 1.0))
    assert abs(covered - LEVEL) < 4 * (LEVEL * (1 - LEVEL) / 4000) ** 0.5


@pytest.mark.parametrize("share", [0.05, 0.5, 0.86])
def test_the_interval_of_a_share_covers_it_at_least_as_often_as_it_says(share: float) -> None:
    low, high = Successes(np.random.default_rng(0).binomial(20, share, size=4000), 20).interval()
    assert np.mean((low <= share) & (high >= share)) >= LEVEL - 4 * (LEVEL * (1 - LEVEL) / 4000) ** 0.5


def test_words_say_what_decides() -> None:
    assert at_least(0.8, over_seeds=True).describe() == "mean over seeds >= 0.8, with its 95% interval"
    assert near(0.5, atol=0.05, over_seeds=True).describe() == "|mean over seeds - 0.5| <= 0.05, with its 95% interval"
    assert falls(0.05, over_seeds=True).describe() == (
        "mean over seeds is decreasing, within 0.05, with its 95% interval"
    )
    assert brief(to_json(Seeds([1.0, 3.0]))) == "2 (95% interval −10.71 to 14.71, 2 seeds)"
    assert brief(to_json(Successes(1, 1))) == "1 (95% interval 0.025 to 1, 1 trial)"


@pytest.mark.parametrize(
    ("wrong", "status", "control"), [(SURE - 0.5, "holds", "fails"), (TORN, "undecided", "undecided")]
)
def test_a_control_must_fail_with_its_interval(wrong: np.ndarray, status: str, control: str) -> None:
    claim = Claim(
        id="c",
        locus="here",
        statement="s",
        subject=lambda runs: SURE,
        wrong=lambda runs: wrong,
        parts=Part(Seeds, at_least(0.8, over_seeds=True)),
    )
    judgement = judge(claim, Runs({}))
    assert (judgement.status, judgement.control_status) == (status, control)
    assert ("seeds would tell" in judgement.detail) == (control == "undecided")


def test_what_is_shown_of_an_interval_ends_where_values_do() -> None:
    values = np.array([0.9, 0.7, 1.0])
    share, free = Seeds(values, bounds=SHARE), Seeds(values)
    assert free.summary()["high"] > 1
    assert share.summary()["high"] == 1
    assert share.summary()["low"] == free.summary()["low"]
    assert share.interval() == free.interval()
    assert shown_interval(Seeds([0.4], bounds=SHARE)) == (-np.inf, np.inf)  # one seed says nothing, not "0 to 1"
    low, high = shown_interval(Seeds(np.array([[0.0, 0.5], [0.1, 0.6]]), bounds=SHARE))
    assert low.tolist()[0] == 0
    assert np.all(high <= 1)
    beyond = Seeds([1.1, 1.3], bounds=SHARE)  # no share has such a mean
    assert shown_interval(beyond) == beyond.interval()


def test_bounds_decide_nothing() -> None:
    values = np.array([0.9, 0.7, 1.0])
    of_share, of_number = (
        near(0.8, atol=0.2, over_seeds=True)(0.8, one) for one in (Seeds(values, bounds=SHARE), Seeds(values))
    )
    assert (of_share.status, of_share.margin) == (of_number.status, of_number.margin) == ("undecided", of_number.margin)
    assert "to 1;" in of_share.detail
    assert "to 1.246;" in of_number.detail
