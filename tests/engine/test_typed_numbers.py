"""No measured number is typed into prose: pages and strings of claims read verdicts by reference, or compute."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from lemmata.commands.docs import DOCS, TOP, readme_of
from lemmata.core.registry import experiments, papers
from pages import PAGES
from typed_numbers import typed_numbers

OURS = [paper for paper in papers().values() if paper.package.startswith("lemmata.")]
PROVED = {"proofs.md"}  # its numbers are the constants of proofs, which certificates check
GUIDES = [path for path in sorted(DOCS.glob("*.md")) if path.name not in PAGES.keys() | PROVED]
PROSE = [TOP / "README.md", *GUIDES]
PROSE += [readme_of(paper) for paper in OURS]
SAID = {"caption", "notes", "remark", "title", "text", "y_label", "x_label"}


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.relative_to(TOP).as_posix())
def test_pages_hold_no_typed_number(path: Path) -> None:
    assert typed_numbers(path.read_text()) == []


@pytest.mark.parametrize("id", [paper.id for paper in OURS])
def test_the_strings_of_claims_hold_no_typed_number(id: str) -> None:
    said = [(claim.id, claim.remark) for one in experiments(id).values() for claim in one.claims]
    said += [(one.id, one.notes) for one in experiments(id).values()]
    said += [(file.name, text) for file in papers()[id].folder.glob("claims/*.py") for text in _captions(file)]
    found = [(where, number) for where, text in said if isinstance(text, str) for _, number in typed_numbers(text)]
    assert found == []


def _captions(file: Path) -> Iterator[str]:
    """What is said in a drawing: constant words of captions and labels; computed ones stand as `…`."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.keyword) and node.arg in SAID:
            for said in ast.walk(node.value):
                if isinstance(said, ast.JoinedStr):
                    yield "".join(str(one.value) if isinstance(one, ast.Constant) else "…" for one in said.values)
                elif isinstance(said, ast.Constant) and isinstance(said.value, str):
                    yield said.value


@pytest.mark.parametrize(
    "text",
    [
        "It gives 0.94 of them.",
        "between .58 and .90",
        "in 83% of cases",
        "its attention is nine times as diluted",
        "12 times as fast",
        "a 5x speed-up",
        "13 of 16 seeds",
        "learned about 100 steps before",
        "96 steps before the context",
        "it takes 4 min on one core",
        "98 MB",
        "twice as bright",
        "a fortieth of what is lacking",
    ],
)
def test_measured_numbers_are_found(text: str) -> None:
    assert typed_numbers(f"first\n{text}")[0][0] == 2


@pytest.mark.parametrize(
    "text",
    [
        "Theorem 4.2, Figures 3 and 4.1 and Appendix D.2; appendix B.3's mechanism, equation (7)",
        "with N = 16, n = 3, T = 0.1 and α = .3 on two cores",
        "Python 3.11, lemmata 0.3.0, of 2025-11-18",
        '`0.94` and $0.94$ and ([0.94](claims/fig_3.py "{fig-3.part:.2f}"))',
        "| 0.94 | 12 times |",
        "<!-- findings: generated -->\n0.94\n<!-- findings: end -->",
        "```\n0.94\n```",
        "the 95% interval over eight seeds",
        "one layer, two heads, three stages",
        "when T <= 0.5",
    ],
)
def test_places_settings_and_code_are_not_meant(text: str) -> None:
    assert typed_numbers(text) == []
