"""The page shows every claim with its evidence, escapes what papers say, and stands alone."""

import base64
import re
from html.parser import HTMLParser
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    Paper,
    Part,
    RunResult,
    Runs,
    Scale,
    Undecided,
    at_most,
    exactly,
    judge,
    near,
)
from lemmata.core.claim import Judgement
from lemmata.core.registry import Selection
from lemmata.record import ExperimentResult
from lemmata.report.figure import draw
from lemmata.report.page import Report, write_page
from lemmata.report.page_entry import Entry
from lemmata.report.plots import band, ceiling, heatmap, legend, new_figure, panel_label

PAPER = Paper(
    id="toy",
    title="A toy paper on <sums> & products",
    authors="A. Author, B. Author",
    sentence="Sums of `n` odd numbers are squares.",
    year=2026,
)
COMMAND = "lemmata reproduce toy/fig-1 --scale smoke"


def itself(subject):
    return subject


def constant(value):
    return lambda results: value


CLAIMS = (
    Claim(
        id="toy/lemma-1.2",
        locus="Lemma 1.2, p. 3",
        statement="The sum of the first n odd numbers is n² for every n < 100 & beyond <script>alert(1)</script>.",
        subject=constant(np.arange(200.0) ** 2),
        wrong=constant(np.arange(200.0) ** 3),
        parts=Part(itself, near(constant(np.arange(200.0) ** 2), rtol=1e-12)),
    ),
    Claim(
        id="toy/eq-3",
        locus="Equation (3), proof of Theorem 2",
        statement="The mean and the variance of a fair die.",
        subject=constant((3.5, 35 / 12, 6)),
        wrong=constant((3.0, 1.0, 6)),
        parts={
            "mean": Part(itemgetter(0), near(3.5, atol=1e-12)),
            "variance": Part(itemgetter(1), near(35 / 6, atol=1e-12), corrected=35 / 12),
            "faces": Part(itemgetter(2), exactly(6)),
        },
        correction=Correction(
            severity="constant",
            printed="Var = (n² − 1)/6",
            corrected="Var = (n² − 1)/12",
            reason="The second moment is divided by `n` only once.",
        ),
    ),
    Claim(
        id="toy/fig-1",
        locus="Figure 1",
        statement="Accuracy rises to its ceiling within fifty steps.",
        subject=constant(Undecided("ten steps are too few to tell")),
        wrong=constant(0.99),
        parts=Part(itself, at_most(0.9)),
    ),
    Claim(
        id="toy/thm-9",
        locus="Theorem 9",
        statement="The matrix is the identity.",
        subject=constant(np.eye(3) + 0.25),
        wrong=constant(np.ones((3, 3))),
        parts=Part(itself, near(np.eye(3), atol=1e-6)),
        remark="The proof needs an assumption that the figure's setting does not meet.",
    ),
)


def draw_curves(runs: Runs) -> Artefact:
    steps = np.arange(50)
    noise = np.random.default_rng(0).normal(size=(10, 50))
    accuracy = np.minimum(1, 1 - np.exp(-steps / 10) + 0.03 * noise)
    figure, (left, right) = new_figure(1, 2)
    band(left, steps, accuracy, label="full attention")
    band(left, steps, accuracy**2, label="position block")
    ceiling(left, 1.0, "ceiling")
    left.set(xlabel="step", ylabel="accuracy")
    left.set_title("Test accuracy")
    legend(left)
    heatmap(right, np.eye(4) * 0.8 + 0.05, ["s₁", "a₁", "s₂", "EoS"], ["s₁", "a₁", "s₂", "EoS"])
    right.set_title("Attention")
    panel_label(left, "a")
    panel_label(right, "b")
    caption = "(a) Accuracy, mean ± 1 std over 10 seeds; dashed: ceiling < 1. (b) Attention."
    return Artefact(figure, {"step": steps, "accuracy": accuracy.mean(axis=0)}, caption)


EXPERIMENT = Experiment(
    id="toy/fig-1",
    title="Learning curves",
    runs=lambda scale: {},
    claims=CLAIMS,
    draw=draw_curves,
    notes="Our choice: n = 6.",
)
TABLE = Experiment(id="toy/table-2", title="No figure", runs=lambda scale: {}, claims=(), draw=draw_curves)


class Of(Selection):
    """A selection whose paper is not registered anywhere."""

    paper = PAPER


class Config:
    digest, seeds = "0123456789abcdef", tuple(range(10))


def entries() -> list[Entry]:
    runs = Runs({"main": RunResult(Config, {}, {}, {"seconds": 12.3})}, Scale("smoke"))
    judged = ExperimentResult(Of(EXPERIMENT, CLAIMS), runs, tuple(judge(claim, runs) for claim in CLAIMS))
    empty = ExperimentResult(Of(TABLE, ()), Runs({}, Scale("smoke")), ())
    return [
        Entry(judged, draw(judged), COMMAND, tuple(judged.records())),
        Entry(empty, Artefact(None, {}, "Not drawn."), "lemmata reproduce toy/table-2"),
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    write_page(Report(entries=entries(), scale=Scale("smoke")), out)
    return out


@pytest.fixture(scope="module")
def html(folder: Path) -> str:
    return (folder / "index.html").read_text(encoding="utf-8")


class Balance(HTMLParser):
    """Collects elements and complains about a closing tag that closes nothing."""

    VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


def parsed(html: str) -> Balance:
    parser = Balance()
    parser.feed(html)
    parser.close()
    return parser


def test_the_page_is_balanced_html(html: str):
    assert parsed(html).open == []


def test_every_claim_has_an_anchor_and_a_row(html: str):
    elements = parsed(html).attributes
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    links = [attributes["href"] for tag, attributes in elements if tag == "a"]
    assert len(set(ids)) == len(ids)
    for claim in CLAIMS:
        assert claim.id in ids
        assert f"#{claim.id}" in links
    local = {link[1:] for link in links if link and link.startswith("#")}
    assert local <= set(ids)


def test_what_papers_say_is_escaped(html: str):
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "A toy paper on &lt;sums&gt; &amp; products" in html


def test_verdicts_and_evidence_are_shown(html: str):
    for status in ("holds", "erratum", "undecided", "fails"):
        assert f"1 {status}</span>" in html
    for text in (
        "Var = (n² − 1)/6",
        "Var = (n² − 1)/12",
        "ten steps are too few to tell",
        "row 1, column 2",
        "188 more: lemmata check toy/lemma-1.2 --scale smoke --json",
        "exact",
        "<code>n</code> odd numbers",
        "does not meet",
        COMMAND,
        "0123456789ab",
        "seeds 0–9",
        "12.3 s",
    ):
        assert text in html, text
    assert 'id="errata/toy"' in html
    assert html.count("Severity: constant") == 2, "once in the list of errata, once with the claim"
    assert "1 fails, at the paper's own settings." in html.replace("&#x27;", "'")


def test_the_page_stands_alone(folder: Path, html: str):
    for tag, attributes in parsed(html).attributes:
        assert tag not in ("script", "link", "iframe")
        for name in ("src", "href"):
            target = attributes.get(name)
            if target is None:
                continue
            assert not re.match(r"(?i)(https?:)?//", target)
            if not target.startswith(("#", "data:image/png;base64,")):
                assert (folder / target).is_file(), target
    assert "@import" not in html
    assert "url(" not in html
    encoded = re.search(r"data:image/png;base64,([^\"]+)", html)
    assert encoded is not None
    assert base64.b64decode(encoded[1]) == (folder / "toy/fig-1.png").read_bytes()


def test_a_second_report_has_the_same_bytes(folder: Path, tmp_path: Path):
    write_page(Report(entries=entries(), scale=Scale("smoke")), tmp_path)
    first = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    second = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert first == second
    assert {path.name for path in first} == {
        "index.html",
        "fig-1.png",
        "fig-1.svg",
        "fig-1.csv",
        "fig-1.json",
        "table-2.json",
    }


def test_a_control_that_holds_is_not_hidden(tmp_path: Path):
    claim = CLAIMS[0]
    judgement = Judgement(claim, "undecided", 1.0, 1.0, 1.0, "holds", "the control did not fail its check")
    result = ExperimentResult(Of(EXPERIMENT, CLAIMS), Runs({}), (judgement,))
    entry = Entry(result, Artefact(None, {}, "Not drawn."), COMMAND, tuple(result.records()))
    text = write_page(Report(entries=[entry], scale=Scale("smoke")), tmp_path).read_text(encoding="utf-8")
    assert '<span class="control bad">holds</span>' in text
    assert "the control did not fail its check" in text
    assert 'id="errata"' not in text
