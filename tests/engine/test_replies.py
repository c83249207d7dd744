"""An author's answer stands beside the verdict wherever that is shown, and changes no verdict."""

import json
import shutil
from pathlib import Path

import pytest

from conftest import TOY, Cli, Refused
from lemmata.core import UserError, registry
from lemmata.core.registry import papers
from lemmata.record import replies
from lemmata.testing.paper_checks import package_problems

TEXT = "claim: rate\nfrom: A. Author\ndate: 2026-01-02\n\nThe rate is meant\nper step, not per epoch.\n"


@pytest.fixture
def answered(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = tmp_path / "toy"
    shutil.copytree(TOY, copy)
    paper = papers()["toy"]
    monkeypatch.setenv(registry.PATHS, str(copy))
    monkeypatch.setattr(type(paper), "folder", copy)
    registry.forget()
    (copy / "replies").mkdir()
    (copy / "replies" / "one.md").write_text(TEXT)
    return copy / "replies" / "one.md"


def test_it_stands_beside_the_verdict(cli: Cli, answered: Path) -> None:
    cli("check", "toy", "--scale", "smoke", "--jobs", "1")
    out = " ".join(cli("show", "toy/rate", "--scale", "smoke")[1].split())
    assert "A. Author, 2026-01-02: The rate is meant per step" in out
    assert "disputed" in out
    (row,) = json.loads(cli("show", "toy/rate", "--scale", "smoke", "--json")[1])
    assert (row["status"], row["disputed"], row["replies"][0]["by"]) == ("holds", True, "A. Author")
    (other,) = json.loads(cli("show", "toy/bound", "--scale", "smoke", "--json")[1])
    assert (other["disputed"], other["replies"]) == (False, [])
    cli("report", "toy", "--scale", "smoke", "--out", "report")
    page = "".join(path.read_text() for path in Path("report").glob("*.html"))
    assert "per step, not per epoch" in page
    assert ">disputed<" in page


def test_what_is_settled_is_said_and_disputed_no_longer(cli: Cli, answered: Path) -> None:
    answered.write_text(TEXT.replace("\n\n", "\nsettled: the unit is named now\n\n"))
    (row,) = json.loads(cli("show", "toy/rate", "--scale", "smoke", "--json")[1])
    assert (row["disputed"], row["replies"][0]["settled"]) == (False, "the unit is named now")
    assert "Settled: the unit is named now" in " ".join(cli("show", "toy/rate", "--scale", "smoke")[1].split())


@pytest.mark.parametrize("text", [TEXT.replace("from: A. Author\n", ""), TEXT.split("\n\n")[0], "", "no: head"])
def test_a_reply_without_its_head_or_text_is_one_line(answered: Path, refused: Refused, text: str) -> None:
    answered.write_text(text)
    refused("show", "toy/rate", "--scale", "smoke", says="one.md: a reply")


def test_a_reply_is_to_a_claim(answered: Path) -> None:
    answered.write_text(TEXT.replace("claim: rate", "claim: rat"))
    assert any("'rat', which is no claim" in problem for problem in package_problems(papers()["toy"]))
    answered.write_text("claim: rate\n\ntext")
    with pytest.raises(UserError, match="is missing"):
        replies(papers()["toy"])
