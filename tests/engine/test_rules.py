"""Every rule accepts what it should, refuses what it should, and says by how much; a claim's verdict follows."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    Part,
    Protocol,
    Rule,
    RunResult,
    Runs,
    Scale,
    Undecided,
    at_least,
    at_most,
    exactly,
    falls,
    judge,
    mean_near,
    near,
    of_result,
    rises,
    slope_near,
)
from lemmata.core.run import Recorded
from lemmata.core.to_json import to_json
from lemmata.record import claim_digest
from lemmata.record.record_of import record_of

X = np.geomspace(1, 100, 5)
NOTHING = Runs({})
EMPTY = Experiment(title="", runs=lambda scale: {}, claims=(), draw=lambda runs: Artefact(None, {}, ""))
CASES: list[tuple[Rule, Any, Any]] = [  # rule, a measurement inside, one outside
    (near(1.0, atol=0.1), 1.05, 1.2),
    (near(np.array([1.0, 2.0]), rtol=1e-3), [1.0005, 2.0], [1.0, 2.1]),
    (near(1.0), 1.0, 1.0 + 1e-12),
    (exactly(["a", 2]), ["a", 2], ["a", 3]),
    (at_most(2.0), 1.9, 2.1),
    (at_least(2.0, slack=0.1), 1.95, 1.8),
    (at_least(lambda runs: 2.0), 2.5, 1.8),
    (mean_near(0.0, errors=4), [0.1, -0.1, 0.05, -0.04], [1.1, 1.0, 0.9, 1.05]),
    (slope_near(-2.0, tolerance=0.05), (X, 3 * X**-2.0), (X, X**-1.5)),
    (falls(), [3, 2, 1], [3, 1, 2]),
    (rises(slack=0.5), [1, 2, 1.6], [1, 2, 1]),
]


@pytest.mark.parametrize(("rule", "inside", "outside"), CASES, ids=lambda case: type(case).__name__)
def test_rules(rule: Rule, inside: Any, outside: Any) -> None:
    expected = rule.expected(NOTHING)
    good, bad = rule(expected, inside), rule(expected, outside)
    assert (good.status, bad.status) == ("holds", "fails")
    assert good.margin >= 0 > bad.margin


def test_words_of_a_rule_carry_its_numbers() -> None:
    assert at_least(0.8).describe() == "measured >= 0.8"
    assert near(0.5, atol=0.05).describe() == "|measured - 0.5| <= 0.05"
    assert near(lambda runs: 1.0, rtol=1e-9).describe() == "|measured - predicted| <= 1e-09 |predicted|"
    assert falls(0.05).describe() == "measured is decreasing, within 0.05"


@pytest.mark.parametrize("rule", [near(1.0, atol=1e9), at_most(1.0, slack=1e9), at_least(1.0, slack=1e9)])
def test_what_is_not_a_number_decides_nothing(rule: Rule) -> None:
    assert rule(1.0, float("nan")).status == "undecided"
    for diverged in (rule(1.0, float("inf")), rule(1.0, float("-inf"))):
        assert diverged.status == "undecided" or (diverged.status == "fails" and np.isfinite(diverged.margin))


def test_too_little_evidence_is_undecided() -> None:
    assert near(1.0)(1.0, Undecided("too small")).status == "undecided"
    assert mean_near(0.0, min_seeds=5)(0.0, [0.0, 0.1]).status == "undecided"
    assert near([])([], []).status == "undecided"
    with pytest.raises(Undecided, match="different shapes"):
        near(1.0)([1.0, 2.0], [1.0, 2.0, 3.0])


def make_claim(predicted: float, measured: Any, wrong: Any, corrected: float | None = None, **more: Any) -> Claim:
    part = Part(lambda subject: subject, near(predicted, atol=0.1))
    if corrected is not None:
        more["correction"] = Correction(severity="constant", printed="x", corrected="y")
        part = Part(lambda subject: subject, near(predicted, atol=0.1), corrected=lambda runs: corrected)
    return Claim(
        id="c", locus="here", statement="s", subject=lambda runs: measured, wrong=lambda runs: wrong, parts=part, **more
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
        (make_claim(1, Undecided("why"), 5), "undecided", "fails"),
        (make_claim(1, 1, Undecided("why")), "undecided", "undecided"),
    ],
)
def test_judge(claim: Claim, status: str, control: str) -> None:
    judgement = judge(claim, NOTHING)
    assert (judgement.status, judgement.control_status) == (status, control)
    assert record_of(judgement).status == status


def run(**metrics: Any) -> RunResult:
    return RunResult(None, Recorded({name: np.asarray(values) for name, values in metrics.items()}), Recorded())


def test_what_is_missing_is_undecided_with_its_reason() -> None:
    runs = Runs({"main": run(loss=[1.0], seed=[0])})
    for subject, reason in (
        (lambda runs: runs["other"], "no run 'other'"),
        (lambda runs: runs.group("other"), "no run 'other'"),
        (lambda runs: runs["main"].metrics["gain"], "records no 'gain'"),
        (lambda runs: runs["main"].column("loss", seed=7), "seed = 7"),
    ):
        claim = Claim(
            id="c", locus="", statement="", subject=subject, wrong=subject, parts=Part(np.mean, near(1.0, atol=0.1))
        )
        judgement = judge(claim, runs)
        assert judgement.status == "undecided"
        assert reason in judgement.detail


def test_needs_of_a_run_and_of_a_group() -> None:
    @of_result
    def short(run: RunResult) -> str | None:
        return "too short" if len(run.metrics["loss"]) < 2 else None

    runs = Runs({"a/1": run(loss=[1.0, 2.0]), "a/2": run(loss=[1.0])})
    assert judge(make_claim(1, 1, 5), runs).status == "holds"
    assert judge(make_claim(1, 1, 5, needs={"a": short}), runs).detail == "too short"
    assert judge(make_claim(1, 1, 5, needs={"b": short}), runs).status == "undecided"


def test_named_parts_and_a_remark_that_computes() -> None:
    claim = Claim(
        id="c",
        locus="",
        statement="",
        subject=lambda runs: (1.0, 5.0),
        wrong=lambda runs: (9.0, 5.0),
        parts={"first": Part(lambda s: s[0], near(1.0)), "second": Part(lambda s: s[1], at_most(3))},
        remark=lambda runs: f"{len(runs)} runs",
    )
    judgement = judge(claim, NOTHING)
    assert judgement.status == "fails"
    assert "second" in judgement.detail
    assert judgement.measured == {"first": 1.0, "second": 5.0}
    assert claim.rule == "first: |measured - 1| <= 0; second: measured <= 3"
    assert record_of(judgement).remark == "0 runs"


def test_plain_is_json_data() -> None:
    data = {"a": np.float64(1.5), "b": np.arange(3), "c": float("inf")}
    assert to_json(data) == {"a": 1.5, "b": [0, 1, 2], "c": "Infinity"}
    assert to_json(np.zeros((10, 10)))["shape"] == [10, 10]
    assert to_json(np.eye(2)) == [[1.0, 0.0], [0.0, 1.0]]


def test_a_failure_in_settings_of_ours_is_not_the_papers() -> None:
    claim = Claim(
        id="c",
        locus="",
        statement="",
        subject=lambda runs: 1.0,
        wrong=lambda runs: 0.5,
        parts=Part(float, at_least(2.0)),
        protocol=Protocol("the width", below_paper=True),
    )
    small, papers_own = judge(claim, Runs({}, Scale("laptop"))), judge(claim, Runs({}, Scale("paper")))
    assert (small.status, papers_own.status) == ("fails", "fails")
    assert (small.protocol, papers_own.protocol) == ("the width", "")
    assert [record_of(one).protocol for one in (small, papers_own)] == ["the width", "exact"]
    held = replace(claim, parts=Part(float, at_least(0.9)))
    assert judge(held, Runs({}, Scale("laptop"))).protocol == "the width"
    unprinted = replace(claim, protocol=Protocol("the width"))
    assert {judge(unprinted, Runs({}, Scale(name))).protocol for name in ("laptop", "paper")} == {"the width"}
    others = (replace(claim, protocol=Protocol()), replace(claim, protocol=Protocol("the depth")))
    assert claim_digest(EMPTY, claim) not in {claim_digest(EMPTY, other) for other in others}
