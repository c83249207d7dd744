"""Every rule accepts what it should, refuses what it should, and says by how much."""

from typing import Any

import numpy as np
import pytest

from lemmata.core import Undecided, judge, plain
from lemmata.core.legacy import (
    AtLeast,
    AtMost,
    Check,
    Claim,
    Close,
    Correction,
    Each,
    Exact,
    Monotone,
    Results,
    Slope,
    Within,
)

X = np.geomspace(1, 100, 5)
CASES: list[tuple[Check, Any, Any, Any]] = [  # rule, predicted, a measurement inside, one outside
    (Close(atol=0.1), 1.0, 1.05, 1.2),
    (Close(rtol=1e-3), np.array([1.0, 2.0]), [1.0005, 2.0], [1.0, 2.1]),
    (Close(), 1.0, 1.0, 1.0 + 1e-12),
    (Exact(), ["a", 2], ["a", 2], ["a", 3]),
    (AtMost(), 2.0, 1.9, 2.1),
    (AtLeast(slack=0.1), 2.0, 1.95, 1.8),
    (Within(errors=4), 0.0, [0.1, -0.1, 0.05, -0.04], [1.1, 1.0, 0.9, 1.05]),
    (Slope(tolerance=0.05), -2.0, (X, 3 * X**-2.0), (X, X**-1.5)),
    (Monotone(), "decreasing", [3, 2, 1], [3, 1, 2]),
    (Each({"a": Exact(), "b": AtMost()}), {"a": 1, "b": 2.0}, {"a": 1, "b": 1.0}, {"a": 1, "b": 3.0}),
]


@pytest.mark.parametrize(("check", "predicted", "inside", "outside"), CASES, ids=lambda case: type(case).__name__)
def test_rules(check: Check, predicted: Any, inside: Any, outside: Any) -> None:
    good, bad = check(predicted, inside), check(predicted, outside)
    assert (good.status, bad.status) == ("holds", "fails")
    assert good.margin >= 0 > bad.margin
    assert check.describe()


@pytest.mark.parametrize("check", [Close(atol=1e9), AtMost(slack=1e9), AtLeast(slack=1e9)])
def test_nan_never_holds(check: Check) -> None:
    assert check(1.0, float("nan")).status == "fails"


def test_too_little_evidence_is_undecided() -> None:
    assert Close()(1.0, Undecided("too small")).status == "undecided"
    assert Within(min_seeds=5)(0.0, [0.0, 0.1]).status == "undecided"
    assert Close()([], []).status == "undecided"


def make_claim(predict: float, measure: float, control: float, corrected: float | None = None) -> Claim:
    correction = None
    if corrected is not None:
        correction = Correction(predict=lambda _: corrected, printed="x", corrected="y")
    return Claim(
        id="p/c",
        locus="here",
        statement="s",
        predict=lambda _: predict,
        measure=lambda _: measure,
        control=lambda _: control,
        check=Close(atol=0.1),
        correction=correction,
    )


@pytest.mark.parametrize(
    ("claim", "status", "control"),
    [
        (make_claim(1, 1, 5), "holds", "fails"),
        (make_claim(1, 2, 5), "fails", "fails"),
        (make_claim(1, 1, 1), "undecided", "holds"),  # a control that passes: the rule cannot tell
        (make_claim(1, 2, 1, corrected=2), "erratum", "fails"),
        (make_claim(1, 2, 2, corrected=2), "undecided", "holds"),
        (make_claim(1, 3, 5, corrected=2), "fails", "fails"),
    ],
)
def test_judge(claim: Claim, status: str, control: str) -> None:
    judgement = judge(claim, Results(()))
    assert (judgement.status, judgement.control_status) == (status, control)
    assert judgement.row()["status"] == status


def test_plain_is_json_data() -> None:
    assert plain({"a": np.float64(1.5), "b": np.arange(3), "c": float("inf")}) == {"a": 1.5, "b": [0, 1, 2], "c": "inf"}
    assert plain(np.zeros((10, 10)))["shape"] == [10, 10]
    assert plain(np.eye(2)) == [[1.0, 0.0], [0.0, 1.0]]
