"""The numbers that decide: labelled, the deciding ones first, cut to five with a note on the rest."""

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from conftest import Cli
from lemmata.core import (
    Claim,
    Correction,
    Part,
    Rule,
    RunResult,
    Runs,
    Seeds,
    Successes,
    Undecided,
    at_least,
    at_most,
    exactly,
    falls,
    judge,
    mean_near,
    near,
    slope_near,
)
from lemmata.record import Record
from lemmata.record.record_of import record_of
from lemmata.report.evidence import ON_PAGE, claim_block, evidence_table
from lemmata.report.evidence_rows import left_over, lines
from lemmata.report.html import verdicts_html
from lemmata.report.show import claim_panel
from lemmata.report.verdicts import Verdicts
from pages import parts_table

TEMPERATURES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


def judged(part: Part | dict[str, Part], measured: Any, correction: Correction | None = None) -> Record:
    claim = Claim(
        id="toy/one",
        locus="Section 1",
        statement="One.",
        subject=lambda runs: measured,
        wrong=lambda runs: Undecided("no control is needed here"),
        parts=part,
        correction=correction,
    )
    return record_of(judge(claim, Runs({})), scale="laptop", seconds=1.0)


def printed(renderable: object, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(renderable)
    return console.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]


def test_elements_carry_the_labels_of_their_axes_and_the_nearest_come_first() -> None:
    values = np.array([0.9, 0.81, 0.95, 0.99, 0.85, 0.97, 0.88])
    record = judged(Part(lambda x: x, at_least(0.8), along={"T": TEMPERATURES}), values)
    (part,) = record.evidence
    assert part.count == 7
    assert [one.where for one in part.elements[:3]] == [{"T": 0.2}, {"T": 0.5}, {"T": 0.7}]
    assert [one.measured for one in part.elements] == sorted(values)
    found = list(lines(record))
    assert [line.label for line in found] == ["T = 0.2", "T = 0.5", "T = 0.7", "T = 0.1", "T = 0.3"]
    assert (found[0].predicted, found[0].measured, found[0].margin) == ("≥ 0.8", "0.81", "+0.0125")
    assert left_over(record) == "the 5 that decide are shown; 2 more: lemmata check toy/one --json"
    assert left_over(replace(record, evidence=(part, part))).startswith(
        "of each part the 5 that decide are shown; 4 more"
    )
    assert left_over(replace(record, margin=None)).startswith("the first 5 are shown; 2 more")


def test_what_is_outside_the_rule_comes_before_what_is_near() -> None:
    record = judged(Part(lambda x: x, near(1.0, atol=0.1)), np.array([1.099, 3.0, 1.0, 1.2]))
    statuses = [(one.where["position"], one.status) for one in record.evidence[0].elements]
    assert statuses == [(2, "fails"), (4, "fails"), (1, "holds"), (3, "holds")]


def test_labels_may_come_from_the_runs_and_positions_stand_in_where_they_do_not_fit() -> None:
    config = type("Config", (), {"sizes": (5, 7)})()
    runs = Runs({"main": RunResult(config, {}, {})})
    part = Part(lambda x: x, at_most(1.0), along={"n": lambda runs: runs["main"].config.sizes, "seed": (0, 1, 2)})
    claim = Claim(id="a", locus="", statement="", subject=lambda runs: np.zeros((2, 3)), wrong=len, parts=part)
    judgement = judge(claim, runs)
    assert record_of(judgement).evidence[0].elements[-1].where == {"n": 7, "seed": 2}
    assert judgement.reads == (), "labels are no evidence"
    shorter = judge(
        Claim(id="a", locus="", statement="", subject=lambda runs: np.zeros((2, 2)), wrong=len, parts=part), runs
    )
    assert record_of(shorter).evidence[0].elements[-1].where == {"row": 2, "column": 2}


X = np.arange(1, 4)
WORDS = [
    (at_least(0.5, over_seeds=True), Seeds([0.9, 1.1]), "≥ 0.5", "1, mean of 2 seeds [−0.2706, 2.271]"),
    (at_least(0.5, over_seeds=True, unit="prompts"), Seeds([1.0, 1.0]), "≥ 0.5", "1, mean of 2 prompts [1, 1]"),
    (at_least(0.5, over_seeds=True), Seeds([0.9]), "≥ 0.5", "0.9, one seed"),
    (at_least(0.5, over_seeds=True), Successes(2, 2), "≥ 0.5", "1, share of 2 trials [0.1581, 1]"),
    (exactly("a"), "a", "a", "a"),
    (near(2.0, rtol=0.01), 2.01, "2 ± 0.02", "2.01"),
    (at_most(2.0, slack=0.5), 2.01, "≤ 2 + 0.5", "2.01"),
    (mean_near(0.0), Seeds([0.1, -0.1, 0.0]), "0 within 4 standard errors", "0, mean of 3 seeds [−0.2484, 0.2484]"),
    (slope_near(-2.0, 0.1), (X, 1 / X**2), "slope −2 ± 0.1", "−2"),
]


@pytest.mark.parametrize(("rule", "measured", "predicted", "said"), WORDS)
def test_every_rule_has_its_numbers_in_words(rule: Rule, measured: Any, predicted: str, said: str) -> None:
    (line,) = lines(judged(Part(lambda x: x, rule), measured))
    assert (line.predicted, line.measured) == (predicted, said)


def test_a_sequence_is_told_by_its_worse_steps() -> None:
    record = judged(Part(lambda x: x, falls(), along={"step": (1, 2, 3, 4)}), np.array([9.0, 5.0, 6.0, 1.0]))
    checked = {one.where["step"]: one.status for one in record.evidence[0].elements}
    assert checked == {1: "holds", 2: "fails", 3: "fails", 4: "holds"}


def test_of_an_erratum_the_elements_come_first_that_the_printed_form_gets_wrong() -> None:
    part = Part(lambda x: x, near(np.array([1.0, 2.0, 3.0]), atol=0.1), corrected=np.array([1.0, 2.0, 4.0]))
    record = judged(part, np.array([1.05, 2.0, 4.0]), Correction(severity="constant", printed="a", corrected="b"))
    first = record.evidence[0].elements[0]
    assert (first.where, first.predicted, first.corrected) == ({"position": 3}, 3.0, 4.0)
    assert next(lines(record)).predicted == "printed 3 ± 0.1\ncorrected 4 ± 0.1"


def test_a_part_that_could_not_be_read_says_why() -> None:
    record = judged({"a": Part(lambda x: Undecided("nothing there"), at_least(0))}, None)
    (line,) = lines(record)
    assert (line.label, line.measured) == ("a", "nothing there")


@pytest.mark.parametrize("width", [60, 80, 160])
def test_every_label_and_number_is_shown_at_every_width(width: int) -> None:
    record = judged({"accuracy": Part(lambda x: x, at_least(0.8), along={"T": TEMPERATURES})}, np.linspace(0.7, 0.9, 7))
    for renderable in (Verdicts([record]), claim_panel(record)):
        text = printed(renderable, width)
        assert max(map(len, text.splitlines())) <= width
        words = " ".join(text.split())
        for piece in ("toy/one", "T = 0.1", "0.7", "0.733333", "≥ 0.8"):
            assert piece in words
        assert "T = 0.7" not in words


def test_every_renderer_shows_labels() -> None:
    """Terminal, report page, live page and notebooks, and the Markdown of the site."""
    record = judged({"accuracy": Part(lambda x: x, at_least(0.8), along={"T": TEMPERATURES})}, np.linspace(0.7, 0.9, 7))
    shown = {
        "verdicts": printed(Verdicts([record]), 160),
        "panel": printed(claim_panel(record), 160),
        "page": claim_block(record),
        "live page": evidence_table(record),
        "notebook": verdicts_html([record]),
        "site": parts_table(record),
    }
    for name, text in shown.items():
        assert "accuracy, T = 0.1" in text, name
        assert "0.733333" in text, name
        assert "≥ 0.8" in text, name
    assert len(TEMPERATURES) <= ON_PAGE
    assert "accuracy, T = 0.7" in shown["page"], "all of a short list"


def test_of_many_claims_the_deciding_number_alone() -> None:
    records = [judged(Part(lambda x: x, at_least(0.8)), np.array([0.7, 0.9])) for _ in range(7)]
    text = printed(Verdicts(records), 160)
    assert text.count("position 1") == 7
    assert "position 2" not in text
    assert "`lemmata show ID` shows more" in text


def test_check_prints_and_json_holds_every_element(cli: Cli) -> None:
    _, out, _ = cli("check", "toy/noisy", "--scale", "smoke", "--jobs", "1")
    assert "mean of 2 seeds [" in out
    _, out, _ = cli("check", "toy/noisy", "--scale", "smoke", "--json")
    sure = json.loads(out)[0]["evidence"][0]["rows"][0]
    assert {"predicted", "measured", "low", "high", "seeds", "where", "margin", "status"} <= sure.keys()
    _, out, _ = cli("show", "toy/sure", "--scale", "smoke")
    assert "mean of 2 seeds [" in out


def test_what_is_not_finite_is_shown_and_kept_as_json_can() -> None:
    parts = {"lead": Part(lambda x: x, at_least(1.0)), "lag": Part(lambda x: -x, at_most(1.0))}
    record = judged(parts, -np.inf)
    assert record.status == "fails"
    assert [line.measured for line in lines(record)] == ["−∞", "∞"]
    kept = json.loads(json.dumps(record.to_json(), allow_nan=False))
    assert kept["measured"] == {"lead": "-Infinity", "lag": "Infinity"}
    assert list(lines(Record.from_json(kept))) == list(lines(record))
    for shown in (printed(claim_panel(record), 160), evidence_table(record), parts_table(record)):
        assert "−∞" in shown
