"""A sweep: every combination of listed values, a verdict a cell, one table, one figure, and little beside computing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Cli, Refused
from lemmata.core import Scale, UserError
from lemmata.core.registry import select
from lemmata.record import Element, PartRecord, Record
from lemmata.record.cell import Cell, Judged
from lemmata.report.sweep import reasons, sweep_columns, sweep_figure
from lemmata.report.sweep_curves import curves_figure
from lemmata.run import Store, axis, cells, sweep

SMOKE = ("--scale", "smoke", "--jobs", "1")
RATES, STEPS = ("--set", "rate=0.25,0.5,3"), ("--set", "steps=5,20")
BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "sweep.py"


def test_lists_are_read_as_they_are_written() -> None:
    assert axis("temperature=0.01, 0.02").values == ("0.01", "0.02")
    assert axis("seeds=[0,1],[2,3]").values == ("[0,1]", "[2,3]")
    assert axis("rate=1,1").values == ("1",)
    for wrong in ("rate", "rate=", "=1", "rate=1,,2"):
        with pytest.raises(UserError, match="write key=value,value"):
            axis(wrong)


def test_a_range_is_so_many_values_from_one_to_another() -> None:
    assert axis("task.alpha=0.1:0.8:8").values == ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8")
    assert axis("steps=10:30:3").values == ("10", "20", "30")
    for wrong in ("rate=0:1:1", "rate=0:1:2000", "rate=1.2.3:1:4"):
        with pytest.raises(UserError, match="range"):
            axis(wrong)


def test_over_numbers_what_was_measured_is_a_curve_with_the_rules_band_and_verdicts_as_marks() -> None:
    def judged(rate: str, steps: str, measured: float, status: str) -> Judged:
        element = Element(where={}, predicted=1.0, measured=measured, low=measured - 0.1, high=measured + 0.1)
        about = {"rule": "", "asks": "{}", "unit": "", "margin": 0.0, "detail": "", "count": 1, "elements": (element,)}
        part = PartRecord(part="x", allowance=(0.5, 0.0), status=status, **about)
        return Judged(Cell({"rate": rate, "steps": steps}), {"p/a": Record(id="p/a", status=status, evidence=(part,))})

    values = {"rate": ["0.1", "0.2", "0.3"], "steps": ["5", "20"]}
    cells = [
        judged(rate, steps, float(rate) * 4 + int(steps) / 20, "holds" if rate == "0.1" else "fails")
        for rate in values["rate"]
        for steps in values["steps"]
    ]
    figure = curves_figure(cells, values)
    assert figure
    (panel,) = figure.axes
    assert (panel.get_title(loc="left"), panel.get_xlabel()) == ("a: x", "rate")
    assert [line.get_xdata().tolist() for line in panel.lines if len(line.get_xdata()) == 3] == [[0.1, 0.2, 0.3]] * 4
    assert {line.get_marker() for line in panel.lines} >= {"o", "X"}
    assert [text.get_text() for text in figure.legends[0].texts][:2] == ["steps = 5", "steps = 20"]
    assert curves_figure(cells, {"rate": ["a", "b"]}) is None


def test_a_sweep_is_one_table_and_one_figure(cli: Cli) -> None:
    code, out, _ = cli("sweep", "toy/decay", *RATES, *STEPS, *SMOKE)
    assert code == 0
    assert out.count("erratum") == 4
    assert out.count("refused") == 4  # two cells, two claims
    assert "2 cells are not possible, as rate = 3.0 is not possible: above 0 and below 2" in out
    table = (Path("report-sweep") / "sweep.csv").read_text().splitlines()
    names = [
        f"{claim}{more}" for claim in ("toy/rate", "toy/typo") for more in ("", " margin", " predicted", " measured")
    ]
    assert table[0].split(",") == ["rate", "steps", *names]
    assert len(table) == 7
    first = dict(zip(table[0].split(","), table[1].split(","), strict=True))
    assert (first["rate"], first["toy/rate predicted"], first["toy/typo predicted"]) == ("0.25", "0.75", "1.25")
    assert first["toy/rate measured"] == first["toy/typo measured"] == "0.75"
    assert "✓ holds 0.75 +1" in out
    assert (Path("report-sweep") / "sweep.png").stat().st_size > 1000
    about = json.loads((Path("report-sweep") / "sweep.json").read_text())
    assert about["command"] == "lemmata sweep toy/decay --scale smoke --set rate=0.25,0.5,3 --set steps=5,20"


def test_a_sweep_continues_and_says_so_in_json(cli: Cli) -> None:
    _, _, err = cli("sweep", "toy/decay", "--set", "rate=0.25,0.5", *SMOKE)
    assert "[2/2]" in err
    code, out, err = cli("sweep", "toy/decay", "--set", "rate=0.25,0.5,0.75", *SMOKE, "--json")
    assert "[1/1]" in err  # the other two are stored, one of them as the paper's own run
    rows = json.loads(out)
    assert code == 0
    assert [row["set"] for row in rows] == [{"rate": "0.25"}, {"rate": "0.5"}, {"rate": "0.75"}]
    assert [row["claims"]["toy/rate"]["status"] for row in rows] == ["holds"] * 3
    assert len({run for row in rows for run in row["runs"]}) == 3


def test_claims_that_no_cell_reaches_are_left_out(toy: Path, store: Store) -> None:
    (selection,) = select(["toy/noisy"])
    found = cells(selection, Scale("smoke"), [axis("centre=0.0,5.0")])
    judged = list(sweep(selection, Scale("smoke"), found, store))
    assert set(judged[0].records) == {"toy/sure", "toy/coin", "toy/close"}
    assert not any(one.is_exact for one in judged[0].records.values()), "no verdict on the paper"
    assert sweep_columns(judged)["centre"] == ["0.0", "5.0"]


def test_what_is_undecided_says_why_once() -> None:
    def cell(value: str, detail: str) -> Judged:
        return Judged(Cell({"k": value}), {"p/a": Record(id="p/a", status="undecided", detail=detail)})

    assert reasons([cell("1", "too short"), cell("2", "too short"), cell("3", "one seed")]) == [
        "undecided: p/a at k = 1: too short",
        "undecided: p/a at k = 3: one seed",
    ]
    many = reasons([cell(str(i), f"reason {i}") for i in range(20)])
    assert (len(many), many[-1]) == (9, "12 more reasons: --json")


@pytest.mark.parametrize(("lists", "drawn"), [(1, True), (2, True), (3, False)])
def test_the_figure_is_a_line_or_a_plane(lists: int, drawn: bool) -> None:
    keys = {f"k{i}": ["1", "2", "3"] for i in range(lists)}
    values = [{}]
    for key, listing in keys.items():
        values = [{**one, key: value} for one in values for value in listing]
    records = {"p/a": Record(id="p/a", status="holds"), "p/b": Record(id="p/b", status="fails")}
    figure = sweep_figure([Judged(Cell(one), records) for one in values], keys)
    assert (figure is not None) == drawn
    if figure:
        assert len(figure.axes) == 2
        assert figure.axes[0].get_title(loc="left") == "p/a"
        assert figure.axes[0].get_xlabel() == f"k{lists - 1}"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("toy/decay",), "at least one"),
        (("toy/decay", "--set", "rat=1,2"), "did you mean 'rate'"),
        (("toy/decay", "--set", "rate=3,4"), "above 0 and below 2"),
        (("toy/decay", "--set", "rate=0.1", "rate=0.2"), "each key once"),
        (("toy", "--set", "rate=0.1"), "takes one"),
        (("toy/decay", "--set", "rate=0.1", "--out", "/proc/nowhere"), "cannot be written"),
    ],
)
def test_an_impossible_sweep_is_refused(refused: Refused, words: tuple[str, ...], says: str) -> None:
    refused("sweep", *words, *SMOKE, says=says)


def test_a_long_sweep_keeps_nothing() -> None:
    """Memory stays flat. What a cell costs beside its computing is measured by the same script, not here."""
    requested = [sys.executable, BENCHMARK, "--cells", "100", "--json"]
    done = subprocess.run(requested, check=True, capture_output=True, text=True, timeout=120)
    found = json.loads(done.stdout)
    assert found["cells"] == 100
    assert found["grown_mb"] < 30
