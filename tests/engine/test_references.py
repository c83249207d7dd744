"""Numbers in Markdown: read from kept verdicts by reference, and none typed."""

import json
from pathlib import Path

import pytest

from lemmata.core import Paper, UserError
from lemmata.core.registry import papers
from lemmata.record.baseline import VERDICTS
from lemmata.report.references import read, with_numbers

SAMPLE = {"mean": 0.9328, "low": 0.9, "high": 0.95, "level": 0.95, "seeds": 8}
KEPT = {
    "toy/bound": {
        "status": "holds",
        "control": {"ratio": "fails", "negative": "holds"},
        "measured": {"ratio": SAMPLE, "negative": [[1.0, 2.0], [3.0, -4.0]]},
        "predicted": {"ratio": 0.5, "negative": 0.0},
    },
    "toy/rate": {"status": "fails", "control": {"": "fails"}, "measured": 1234.5, "predicted": 1.0},
}


@pytest.fixture
def paper(toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paper:
    """The toy paper with kept verdicts."""
    path = tmp_path / VERDICTS
    path.write_text(
        json.dumps({"scale": "laptop", "seconds": 1, "claims": KEPT, "paper": {"toy/rate": KEPT["toy/rate"]}})
    )
    monkeypatch.setattr("lemmata.record.baseline.VERDICTS", str(path))
    return papers()["toy"]


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("bound.ratio:.3f", "0.933"),
        ("bound.ratio", "0.93"),
        ("bound.ratio:.0%", "93%"),
        ("bound.ratio@low:.1f", "0.9"),
        ("bound.ratio@seeds:d", "8"),
        ("bound.ratio predicted", "0.50"),
        ("bound.negative@1,1:.1f", "−4.0"),
        ("bound:status", "holds"),
        ("rate:,.0f", "1,234"),
        ("rate:.1f at paper", "1234.5"),
    ],
)
def test_what_a_reference_says(paper: Paper, reference: str, said: str) -> None:
    assert read(reference, paper)[0] == said
    assert read(f"toy/{reference}")[0] == said


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("bount.ratio", "did you mean 'bound'"),
        ("bound.ration", "did you mean 'ratio'"),
        ("bound", "has no part ''"),
        ("bound.ratio@7", "no such number"),
        ("bound.negative:.2f", "no such number"),
        ("bound:status at paper", "scale paper"),
    ],
)
def test_a_reference_to_nothing_is_one_clear_error(paper: Paper, reference: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=why) as checked:
        with_numbers(f'A\n[1](x.py "{{{reference}}}")', tmp_path / "README.md", paper)
    assert str(checked.value).startswith(f"README.md:2: {{{reference}}}: ")


def test_text_and_target_are_written_again_and_nothing_else(paper: Paper) -> None:
    path = paper.folder / "README.md"
    rest = ', `[1](x "{no.such}")` and [a link](x.py "title").\n```\n[](x "{no}")\n```\n'
    made = with_numbers('Of [?](old.py "{bound.ratio:.2f}")' + rest, path, paper)
    assert made == 'Of [0.93](claims/doubtful.py "{bound.ratio:.2f}")' + rest
    assert with_numbers(made, path, paper) == made
