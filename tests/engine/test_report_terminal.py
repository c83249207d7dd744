"""Listings for the command line: complete on a pipe, bounded on a narrow terminal, never interpreted as markup."""

import io

import pytest
from rich.console import Console

from lemmata.core import Paper
from lemmata.record import Record
from lemmata.report.show import claim_panel
from lemmata.report.table_layout import rows_table
from lemmata.report.tables import ClaimList, papers_table, runs_table
from lemmata.report.terminal import make_console, verdict_counts
from lemmata.report.values import brief, duration, margin, number, shorten

RECORD = Record.from_json(
    {
        "id": "toy/eq-3",
        "status": "erratum",
        "predicted": {"mean": 3.5, "variance": 5.8333333},
        "corrected": {"mean": 3.5, "variance": 2.9166666},
        "measured": {"mean": 3.5, "variance": 2.9166666},
        "margin": 0.98765,
        "control_status": "fails",
        "locus": "Equation (3)",
        "statement": "The variance of X[red]not markup[/red] is (n² − 1)/12.",
        "rule": "|measured - predicted| <= 1e-12",
        "remark": "",
        "printed_formula": "Var = (n² − 1)/6",
        "corrected_formula": "Var = (n² − 1)/12",
        "reason": "Divided once too often.",
        "experiment": "toy/fig-1",
        "title": "Learning curves",
        "paper": "toy",
        "severity": "constant",
        "protocol": "the width",
        "seconds": 83.21,
        "scale": "laptop",
        "runs": ["0123456789abcdef"],
    }
)
NEVER_JUDGED = Record(id="toy/lemma-1", locus="Lemma 1", statement="One.", rule="exactly", experiment="toy/fig-1")


def printed(renderable: object, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(renderable)
    return console.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]


def test_a_list_of_claims_has_what_matters():
    text = printed(ClaimList([RECORD, NEVER_JUDGED]))
    for piece in (
        "✎ erratum",
        "toy/eq-3",
        "+0.988",
        "fails",
        "83.2 s",
        "Equation (3)",
        "toy/lemma-1",
        "experiment toy/fig-1: Learning curves (2 claims)",
    ):
        assert piece in text
    assert "✎ 1 erratum (0 exact)" in printed(verdict_counts([RECORD, NEVER_JUDGED]))


def test_claim_panel_shows_both_formulas_and_the_evidence():
    text = printed(claim_panel(RECORD), 200)
    for piece in (
        "X[red]not markup[/red]",
        "(n² − 1)/6",
        "(n² − 1)/12",
        "No number is kept of it here",
        "ours: the width",
        "constant",
        "≤ 1e−12",
    ):
        assert piece in text
    undecided_judgement = printed(claim_panel(NEVER_JUDGED))
    assert "measured" not in undecided_judgement
    assert "Lemma 1" in undecided_judgement


@pytest.mark.parametrize("width", [40, 60, 200])
def test_no_line_is_wider_than_the_terminal(width: int):
    paper = Paper(id="toy", title="A toy paper", authors="A", year=2026, sentence="One sentence.")
    for renderable in (
        ClaimList([RECORD]),
        claim_panel(RECORD),
        ClaimList([RECORD, NEVER_JUDGED]),
        papers_table([paper], [RECORD]),
        runs_table([{"digest": "ab" * 8, "kind": "toy/run", "rows": 12_345, "seconds": 0.5, "config": {"n": 5}}]),
        rows_table(["a", "b"], [(1, "x" * 300)]),
    ):
        assert max(len(line) for line in printed(renderable, width).splitlines()) <= width


def test_query_results_keep_every_digit_and_character():
    text = printed(rows_table(["x[0]", "y"], [(0.1234567890123456, None), (2.0, "[bold]z")]))
    for piece in ("0.1234567890123456", "[bold]z", "x[0]", "–"):
        assert piece in text


def test_a_pipe_gets_wide_plain_text():
    stream = io.StringIO()
    console = make_console(stream)
    console.print(ClaimList([RECORD]))
    assert console.width >= 160
    assert "\x1b" not in stream.getvalue()


def test_a_plain_encoding_does_not_raise():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    make_console(stream).print(claim_panel(RECORD))
    stream.flush()
    assert b"toy/eq-3" in raw.getvalue()


def test_numbers_as_text():
    assert [margin(x) for x in (0.5, -2.0, float("nan"), "nan", "-inf", None)] == ["+0.5", "−2", "–", "–", "−∞", "–"]
    assert [duration(x) for x in (0.1234, 12.34, 99.7, 125, 7384)] == [
        "0.12 s", "12.3 s", "1 min 40 s", "2 min 05 s", "2 h 03 min",
    ]  # fmt: skip
    assert [number(x) for x in (True, 12, 1234567, 0.1, -1e-9, None, "inf")] == [
        "true", "12", "1\u202f234\u202f567", "0.1", "−1e−09", "–", "inf",
    ]  # fmt: skip
    assert brief({"a": [1, 2.5], "b": {"shape": [3, 4], "min": 0.0, "mean": 1.0, "max": 2.0}}) == (
        "a = [1, 2.5], b = 3 × 4 values from 0 to 2, mean 1"
    )
    assert shorten("one two, three", 9) == "one two …"
