"""A control is a subject of its own, not arithmetic on the measurement; and each part says what it does there."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Cli
from lemmata.core import Claim, Part, RunResult, Runs, at_least, judge
from lemmata.core.claim import Judgement
from lemmata.core.registry import experiments, papers
from lemmata.record import Record
from lemmata.record.record import PartFacts
from lemmata.record.record_of import record_of
from lemmata.testing import package_problems, paper_checks as testing
from lemmata.testing.controls import control_problem
from pages import claim_page, controls_section

Reading = Callable[[Runs], Any]


def measured(runs: Runs, name: str = "main") -> np.ndarray:
    return runs[name].arrays["x"]


def looped(runs: Runs) -> np.ndarray:
    total = np.zeros(3)
    for name in runs:
        total = total + measured(runs, name)
    return total


def flipped(values: np.ndarray) -> np.ndarray:
    """With a helper of its own."""

    def turned(one: np.ndarray) -> np.ndarray:
        return one[::-1]

    found = turned(values)
    return found


def mean(runs: Runs) -> np.ndarray:
    found = measured(runs)
    return np.full_like(found, found.mean())


def negative(run: RunResult) -> RunResult:
    return replace(run, arrays={name: -values for name, values in run.arrays.items()})


def turned(run: RunResult) -> RunResult:
    return replace(run, arrays={name: values[::-1] for name, values in run.arrays.items()})


def scaled(values: np.ndarray, by: float) -> np.ndarray:
    return values * by


def named(name: str) -> Reading:
    return lambda runs: measured(runs, name)


ARITHMETIC: list[tuple[Reading, Reading]] = [
    (measured, lambda runs: 1 - measured(runs)),
    (measured, lambda runs: -measured(runs)),
    (measured, lambda runs: measured(runs) + 0.1),
    (measured, lambda runs: measured(runs)[::-1]),
    (measured, lambda runs: flipped(measured(runs))),
    (measured, lambda runs: np.random.permutation(measured(runs))),
    (measured, lambda runs: runs["main"].arrays["x"] ** 2),
    (measured, mean),
    (lambda runs: runs["main"].arrays["x"], mean),
    (looped, lambda runs: looped(runs).max() - looped(runs)),
    (named("main"), lambda runs: 1 - measured(runs, "main")),
    (lambda runs: {"a": measured(runs)}, lambda runs: {"a": 1 - measured(runs)}),
    (lambda runs: scaled(measured(runs), 2.0), lambda runs: scaled(measured(runs)[::-1], 2.0)),
    (lambda runs: [measured(runs)], lambda runs: [2 * one for one in [measured(runs)]]),
    (lambda runs: runs["main"], lambda runs: negative(runs["main"])),
]
SUBJECTS: list[tuple[Reading, Reading]] = [
    (measured, lambda runs: measured(runs, "other")),
    (measured, partial(measured, name="other")),
    (named("main"), named("other")),
    (measured, lambda runs: 1 - measured(runs, "other")),
    (measured, lambda runs: runs["main"].arrays["y"] / 2),
    (measured, lambda runs: measured(runs)[0]),
    (looped, measured),
    (lambda runs: (measured(runs), measured(runs, "other")), lambda runs: (measured(runs, "other"), measured(runs))),
    (lambda runs: scaled(measured(runs), 2.0), lambda runs: scaled(measured(runs), 3.0)),
    (lambda runs: measured(runs, "main"), lambda runs: measured(runs, "ma" + "ster")),
    (lambda runs: runs["main"], lambda runs: turned(runs["main"])),
    (lambda runs: looped(runs["main"].config.lengths), lambda runs: looped(runs["main"].config.lengths[::-1])),
]


def problem(subject: Reading, wrong: Reading) -> str | None:
    return control_problem(replace(experiments("lego")["lego/distractors"].claims[0], subject=subject, wrong=wrong))


@pytest.mark.parametrize("number", range(len(ARITHMETIC)))
def test_arithmetic_on_the_measurement_is_seen(number: int) -> None:
    assert "arithmetic on what is measured" in (problem(*ARITHMETIC[number]) or "")


@pytest.mark.parametrize("number", range(len(SUBJECTS)))
def test_another_reading_is_a_subject(number: int) -> None:
    assert problem(*SUBJECTS[number]) is None


def test_a_constant_and_the_subject_itself_are_no_controls() -> None:
    assert "reads no run" in (problem(measured, lambda runs: np.zeros(3)) or "")
    assert problem(measured, lambda runs: measured(runs)) == "its control is its subject"
    assert problem(named("main"), named("main")) == "its control is its subject"


def test_a_paper_with_such_a_control_is_refused(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = dict(experiments("toy"))
    decay = found["toy/decay"]
    wrong = replace(decay.claims[0], wrong=lambda runs: 1 - runs["main"].arrays["x"])
    changed = found | {"toy/decay": replace(decay, claims=(wrong, *decay.claims[1:]))}
    monkeypatch.setattr(testing, "experiments", lambda paper_id: changed)
    assert list(package_problems(papers()["toy"])) == [
        "toy/rate: its control is arithmetic on what is measured: 1 - runs['main'].arrays['x']"
    ]


def judged(parts: dict[str, Part], subject: Any = 1.0, wrong: Any = 0.0) -> Judgement:
    claim = Claim(id="c", locus="", statement="", subject=lambda runs: subject, wrong=lambda runs: wrong, parts=parts)
    return judge(claim, Runs({}))


def test_each_part_is_judged_on_the_control() -> None:
    large, any_size = Part(float, at_least(0.5)), Part(float, at_least(0.0))
    found = judged({"large": large, "not negative": any_size})
    assert (found.status, found.control_status) == ("holds", "fails")
    assert found.control == {"large": "fails", "not negative": "holds"}
    assert record_of(found).control == {"large": "fails", "not negative": "holds"}
    assert judged({"not negative": any_size}).status == "undecided", "every part passed: so did the control"


def test_a_part_may_have_a_wrong_subject_of_its_own() -> None:
    large, any_size = Part(float, at_least(0.5)), Part(float, at_least(0.0), wrong=lambda runs: -1.0)
    found = judged({"large": large, "not negative": any_size})
    assert (found.status, found.control_status) == ("holds", "fails")
    assert found.control == {"large": "fails", "not negative": "fails"}


def test_context_does_not_make_a_control_fail() -> None:
    context = Part(float, at_least(0.5), carries=False)
    found = judged({"large": context, "not negative": Part(float, at_least(0.0))})
    assert (found.status, found.control_status) == ("undecided", "holds")
    assert found.control["large"] == "fails"


def test_show_page_and_documentation_say_which_parts_fail(cli: Cli) -> None:
    cli("check", "toy/bound", "--scale", "smoke", "--jobs", "1")
    _, out, _ = cli("show", "toy/bound", "--scale", "smoke")
    lines = [line.strip() for line in out.splitlines()]
    assert any(line.startswith("which") and line.endswith("on the control") for line in lines)
    assert any(line.startswith("✗ ratio") and line.endswith("fails") for line in lines)
    assert any(line.startswith("✓ negative") and line.endswith("holds (context)") for line in lines)
    _, out, _ = cli("show", "toy/bound", "--scale", "smoke", "--json")
    (row,) = json.loads(out)
    assert row["control"] == {"ratio": "fails", "negative": "holds"}
    documented = Record.from_json(row)
    assert "| ratio | ≤ 0.1 | 0.5 | measured ≤ 0.1 | fails |" in claim_page(documented)
    section = controls_section(papers()["toy"], [documented, Record(id="toy/rate", parts={"": PartFacts("")})])
    assert "2 parts: 1 fails, 1 holds (context)." in section
    assert "1 of 2 claims" in section
    assert "| `toy/bound` | negative | holds (context) |" in section
    cli("reproduce", "toy/doubtful", "--scale", "smoke", "--jobs", "1")
    page = (Path("report") / "toy.html").read_text()
    assert "on the control" in page
    assert "holds (context)" in page


def test_a_part_that_passes_is_printed_in_bold() -> None:
    record = Record(id="p/c", control={"": "holds"}, parts={"": PartFacts("")})
    assert "| `p/c` | – | **holds** |" in controls_section(papers()["lego"], [record])
