"""Generated documentation is as its generator would write it now."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from PIL import Image

import lemmata
import screenshots
from conftest import Cli
from lemmata.commands.docs import DOCS, documented, page_of
from lemmata.core.registry import papers
from lemmata.record import STALE, current_rules, read_baseline
from lemmata.report.markdown import replaced
from pages import PAGES, claim_page, closure, guide_texts, line_of, readme_text

TOP = Path(__file__).parents[2]
OURS = {id: paper for id, paper in papers().items() if paper.package.startswith("lemmata.")}


@pytest.mark.parametrize("id", OURS)
def test_a_papers_page_is_up_to_date(id: str) -> None:
    paper, records, page = OURS[id], documented(OURS[id]), page_of(OURS[id])
    assert (paper.folder / "README.md").read_text() == page, f"run `lemmata docs {id}`"
    for one in records:
        assert f"`{one.id}`" in page
        assert one.status or one.detail == STALE, f"{one.id} has no documented verdict"
        assert one.rule.split(" ")[0] in claim_page(one)


@pytest.mark.parametrize("id", OURS)
def test_every_kept_failure_has_its_sentence(id: str) -> None:
    kept = read_baseline(OURS[id]).claims
    assert kept
    assert [claim for claim, one in kept.items() if one.status == "fails" and not one.remark.strip()] == []


def test_a_release_has_one_version() -> None:
    """Code, package, citation and changelog; what computed the kept verdicts is no later one."""
    cited = yaml.safe_load((TOP / "CITATION.cff").read_text())
    package = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["version"]
    released = re.findall(r"^## ([\d.]+) \((.+)\)$", (TOP / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
    assert (cited["version"], cited["date-released"]) == released
    assert package == lemmata.__version__ == released[0]
    for paper in OURS.values():
        computed = {version for one in read_baseline(paper).claims.values() for version in one.version.split(", ")}
        assert max(map(_numbers, computed - {""})) <= _numbers(package)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_readme_is_up_to_date_and_names_every_paper() -> None:
    text = (TOP / "README.md").read_text()
    assert text == readme_text(), "run `lemmata docs`"
    for paper in OURS.values():
        assert line_of(paper) in text


@pytest.mark.parametrize("id", OURS)
def test_citation_names_the_paper(id: str) -> None:
    cited = {entry["notes"]: entry for entry in yaml.safe_load((TOP / "CITATION.cff").read_text())["references"]}
    assert cited[id]["title"] == OURS[id].title
    assert ", ".join(author["name"] for author in cited[id]["authors"]) == OURS[id].authors
    assert cited[id]["year"] == OURS[id].year
    assert cited[id].get("url", "") == OURS[id].link


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date_and_in_the_site(name: str) -> None:
    assert (DOCS / name).read_text() == PAGES[name](), "run `lemmata docs`"
    assert f": {name}\n" in (TOP / "mkdocs.yml").read_text()


@pytest.mark.parametrize("path", [path for path in sorted(DOCS.glob("*.md")) if path.name not in PAGES], ids=str)
def test_the_numbers_of_a_guide_are_those_of_the_verdicts(path: Path) -> None:
    assert path.read_text() == guide_texts()[path], "run `lemmata docs`"


@pytest.mark.parametrize("name", [*screenshots.REPORT, *screenshots.VIEWS, "live-change", "live-watch"])
def test_a_picture_shows_the_verdicts_that_are_kept(name: str) -> None:
    with Image.open(DOCS / f"{name}.png") as picture:
        assert picture.info.get(screenshots.KEY) == screenshots.verdicts_digest(), "run `make pictures`"


def test_kept_verdicts_hold_each_parts_outcome(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    monkeypatch.setattr("lemmata.commands.keep_verdicts._write", lambda paper, kept: written.append(kept))
    monkeypatch.setattr("lemmata.commands.docs.write_json", lambda path, data: path)
    monkeypatch.setattr("lemmata.commands.docs.page_of", lambda paper: "")
    monkeypatch.setattr("lemmata.commands.docs.write_whole", lambda path, text: path)
    cli("check", "toy", "--scale", "smoke", "--jobs", "1")
    cli("docs", "toy", "--scale", "smoke")
    kept = json.loads(written[0].to_text())["claims"]
    assert kept["toy/bound"]["control"] == {"ratio": "fails", "negative": "holds"}
    assert kept["toy/bound"]["measured"] == {"ratio": 0.5, "negative": 0.0}
    assert kept["toy/rate"]["control"] == {"": "fails"}
    rule = current_rules(["toy"])["toy/rate"]
    assert (kept["toy/rate"]["digest"], kept["toy/rate"]["code"]) == (rule.digest, rule.code)
    assert (kept["toy/rate"]["version"], kept["toy/rate"]["device"]) == (lemmata.__version__, "cpu")
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", kept["toy/rate"]["date"])


def test_markers_are_filled_and_text_around_them_stays() -> None:
    text = "above\n<!-- claims: generated -->\nold\n<!-- claims: end -->\nbelow\n"
    assert replaced(text, "claims", "new") == text.replace("old", "new")
    assert replaced(text, "errata", "new") == text


def test_a_claim_is_followed_through_names_that_are_passed_on() -> None:
    files, engine = closure(TOP / "src/lemmata/papers/association/claims/fig_3.py", "lemmata.papers.association")
    names = [file.parts[-2:] for file in files]
    assert names[0] == ("claims", "fig_3.py")
    assert {("model", "transformer.py"), ("run", "recall_training.py"), ("task", "recall.py")} <= set(names)
    assert not [file for file in (*files, *engine) if file.name == "__init__.py"]
