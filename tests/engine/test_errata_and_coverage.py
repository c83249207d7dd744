"""Errata in three forms, one entry a slip; and how much of a paper is judged."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Cli, Refused
from lemmata.commands.docs import documented
from lemmata.core import Correction
from lemmata.core.registry import experiments, papers
from lemmata.record import Record, Stated, coverage
from lemmata.report.errata import errata_json, errata_latex, errata_markdown
from lemmata.testing import coverage_problems, package_problems, paper_checks as testing
from pages import coverage_section

CORRECTION = Correction(severity="constant", printed="n_y^2", corrected="n_y", reason="50% & more")
SLIP = Record(
    id="p/lemma-1", locus="Lemma 1", statement="The variance is n_y.", status="erratum", correction=CORRECTION
)
ROOT = replace(CORRECTION, root="lemma-1")
FOLLOWS = replace(SLIP, id="p/thm-2", locus="Theorem 2", correction=ROOT, statement="So is the sum's.")
HOLDS = replace(FOLLOWS, id="p/thm-3", status="holds")
LATEX = replace(CORRECTION, root="lemma-9", latex=r"$\alpha_1$", severity="typographical")
ALONE = replace(SLIP, id="p/eq-4", locus="Equation (4)", correction=LATEX)
GRAVE = replace(SLIP, id="p/thm-9", correction=replace(CORRECTION, severity="statement"))
ROWS = [FOLLOWS, SLIP, HOLDS, ALONE]


def test_one_entry_a_slip_and_what_follows_beneath() -> None:
    rows = errata_json(ROWS)
    assert [row["id"] for row in rows] == ["p/lemma-1", "p/eq-4"], "a root that is no erratum leaves the claim its own"
    assert [row["id"] for row in rows[0]["follows"]] == ["p/thm-2"]
    text = errata_markdown(ROWS)
    assert text.index("### `p/lemma-1`") < text.index("#### Follows: `p/thm-2`") < text.index("### `p/eq-4`")
    assert "p/thm-3" not in text
    assert errata_markdown([HOLDS]) == "None."
    assert [row["id"] for row in errata_json([*ROWS, GRAVE])] == ["p/thm-9", "p/lemma-1", "p/eq-4"], "by severity"


def test_latex_is_escaped_and_a_replacement_stands_as_it_is(toy: Path) -> None:
    text = errata_latex(papers()["toy"], ROWS)
    assert r"\item[printed] n\_y\textcolor{misprint}{\textasciicircum{}2}" in text, "what is wrong is marked"
    assert r"\item[right] n\_y" in text
    assert r"50\% \& more" in text
    assert r"\item[replacement] $\alpha_1$" in text
    assert text.count(r"\begin{description}") == text.count(r"\end{description}") == 3
    assert text.count("{") == text.count("}")


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs LaTeX")
def test_every_papers_errata_are_a_document_that_compiles(cli: Cli, tmp_path: Path) -> None:
    for paper in papers().values():
        (tmp_path / "errata.tex").write_text(cli("errata", paper.id, "--format", "tex")[1])
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "errata.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, f"{paper.id}: {done.stdout[-800:]}"


def test_the_command_prints_each_form(cli: Cli) -> None:
    code, out, _ = cli("errata", "toy")
    assert code == 0
    for words in ("1 + rate", "1 - rate", "what survives: That x decays", "read from: a scan of the first page"):
        assert words in out
    assert "`toy/typo`" in out
    _, out, _ = cli("errata", "toy", "--format", "tex")
    assert r"$1 - \eta$" in out
    assert r"decays \& stays" in out
    _, out, _ = cli("errata", "toy", "--format", "json")
    (row,) = json.loads(out)["toy"]
    assert (row["id"], row["follows"]) == ("toy/typo", [])
    _, out, _ = cli("show", "toy/typo", "--scale", "smoke")
    assert "That x decays & stays positive." in out


def test_errata_of_no_such_paper(refused: Refused) -> None:
    refused("errata", "tory", says="did you mean 'toy'")


def test_a_root_must_be_a_slip_of_the_paper(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(package_problems(papers()["toy"])) == []
    found = dict(experiments("toy"))
    decay = found["toy/decay"]
    typo = decay.claims[1]
    assert typo.correction
    wrong = replace(typo, correction=replace(typo.correction, root="rate"))
    changed = found | {"toy/decay": replace(decay, claims=(decay.claims[0], wrong))}
    monkeypatch.setattr(testing, "experiments", lambda paper_id: changed)
    assert list(package_problems(papers()["toy"])) == [
        "toy/typo: the root of its correction, 'rate', is no slip of the paper"
    ]


def test_coverage_names_every_claim_and_no_other(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = papers()["toy"]
    assert list(coverage_problems(paper)) == []
    stated = coverage(paper)
    assert stated
    monkeypatch.setattr(testing, "coverage", lambda paper: (*stated[1:], Stated("Lemma 3"), Stated("4", ("rat",))))
    assert list(coverage_problems(paper)) == [
        "toy/coverage.py names 'rat', and no claim has that id",
        "toy/coverage.py names no statement that 'rate' judges",
        "toy/coverage.py names no statement that 'typo' judges",
        "toy/coverage.py: Lemma 3 has no claim and no reason why",
    ]


def test_coverage_is_counted(toy: Path) -> None:
    paper = papers()["toy"]
    text = coverage_section(paper, coverage(paper), documented(paper))
    assert "4 statements: 3 judged, by 7 claims; 1 not." in text
    assert "| Theorem 4 | – | It is about infinitely many steps. |" in text
    assert "not listed yet; 7 claims" in coverage_section(paper, None, documented(paper))
