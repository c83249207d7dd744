"""The ledger: no rule changes in silence, and what had been seen, or was confirmed since, is said with the verdict."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from conftest import TOY, Refused
from lemmata.core import Experiment, Part, near
from lemmata.core.registry import experiments, papers
from lemmata.record import LEDGER, CurrentRule, Line, claim_digest, current_rule, ledger, line_of
from lemmata.run.store import now
from lemmata.testing import ledger_problems, paper_checks as testing

OURS = [id for id, paper in papers().items() if paper.package.startswith("lemmata.")]


@pytest.mark.parametrize("id", OURS)
def test_every_rule_is_in_its_papers_ledger_as_it_stands(id: str) -> None:
    assert (papers()[id].folder / LEDGER).is_file()
    assert list(ledger_problems(papers()[id])) == []
    for line in ledger(papers()[id]):
        assert line.seen
        assert line.why


def test_the_digest_is_of_statement_parts_and_runs(toy: Path) -> None:
    experiment = experiments("toy")["toy/decay"]
    claim = experiment.claims[0]
    part = claim.named_parts()[""]
    first = claim_digest(experiment, claim)
    for changed in (
        replace(claim, statement="x grows."),
        replace(claim, parts=replace(part, rule=near(part.rule.target, rtol=1e-9))),
        replace(claim, parts={"ratio": part}),
        replace(claim, parts=replace(part, rule=near(np.array([1.0, 2.0])))),
        replace(claim, parts=replace(part, corrected=3.0)),
    ):
        assert claim_digest(experiment, changed) != first
    named = replace(experiment, runs=lambda scale: {"other": experiment.runs(scale)["main"]})
    assert claim_digest(named, claim) != first
    same = replace(claim, remark="", parts=Part(lambda values: 0.0, part.rule))
    assert claim_digest(experiment, same) == first
    arrays = [replace(claim, parts=Part(part.read, near(np.array([1.0, x])))) for x in (2.0, 2.0 + 1e-15, 2.1)]
    digests = [claim_digest(experiment, one) for one in arrays]
    assert digests[0] == digests[1] != digests[2], "the last digits of a target are the library's"


def test_a_verdict_at_the_papers_size_outlives_a_change_of_what_a_laptop_runs(toy: Path) -> None:
    experiment = experiments("toy")["toy/decay"]
    claim = experiment.claims[0]

    def changed_at(name: str) -> Experiment:
        runs = experiment.runs
        return replace(experiment, runs=lambda scale: {} if scale.name == name else runs(scale))

    whole, at_paper = claim_digest(experiment, claim), claim_digest(experiment, claim, "paper")
    assert whole == claim_digest(experiment, claim, "laptop") != at_paper
    assert claim_digest(changed_at("laptop"), claim) != whole
    assert claim_digest(changed_at("laptop"), claim, "paper") == at_paper
    assert claim_digest(changed_at("paper"), claim, "paper") != at_paper
    assert claim_digest(experiment, replace(claim, statement="x grows."), "paper") != at_paper


def test_a_changed_rule_without_a_line_is_named_with_its_cure(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = papers()["toy"]
    claims = {claim.id: one for one in experiments("toy").values() for claim in one.claims}
    stale = [Line(claim=id, digest="0" * 20, date="2026-01-01", seen="nothing", why="first") for id in claims]
    monkeypatch.setattr(testing, "ledger", lambda paper: stale[1:])
    monkeypatch.setattr(testing, "LEDGER", "__init__.py")  # a file that is there
    problems = list(ledger_problems(paper))
    assert len(problems) == len(claims)
    assert (
        problems[0]
        == 'toy/rate is not in the ledger: `lemmata ledger toy/rate --write --why "..." --seen "..."` adds it'
    )
    assert (
        "toy/typo: its statement, parts, runs or code are not those of its ledger's line of 2026-01-01" in problems[1]
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(("--seen", "nothing"), "needs --why"), (("--why", "first"), "needs --seen"), ((), "needs --why")],
)
def test_a_line_says_why_and_what_was_seen(refused: Refused, arguments: tuple[str, ...], says: str) -> None:
    refused("ledger", "toy", "--write", *arguments, says=says)


@dataclass(frozen=True)
class Copy:
    """The toy paper in a folder of its own, which a test may change."""

    folder: Path

    def __call__(self, *words: str) -> tuple[int, str]:
        places = ("--paper-path", str(self.folder / "toy"))
        places += () if words[0] == "ledger" else ("--store", str(self.folder / "store"), "--scale", "smoke")
        environment = os.environ | {"PYTHONPATH": str(Path(testing.__file__).parents[2])}
        done = subprocess.run(
            [sys.executable, "-m", "lemmata", *words, *places], capture_output=True, text=True, env=environment
        )
        return done.returncode, done.stdout + done.stderr

    def show(self, id: str) -> dict:
        return json.loads(self("show", id, "--json")[1])[0]

    def edit(self, before: str, after: str) -> None:
        path = self.folder / "toy" / "claims" / "noisy.py"
        assert before in path.read_text()
        path.write_text(path.read_text().replace(before, after))


def test_a_rules_life(tmp_path: Path) -> None:
    shutil.copytree(TOY, tmp_path / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    toy = Copy(tmp_path)
    assert toy("ledger", "toy")[0] == 1
    code, out = toy("ledger", "toy", "--write", "--why", "first", "--seen", "nothing")
    assert (code, out.count("written: ")) == (0, 7)
    assert toy("ledger", "toy")[0] == 0
    assert toy.show("toy/sure")["badge"] == "registered"

    toy("confirm", "toy/sure", "--replications", "2", "--jobs", "1")
    row = toy.show("toy/sure")
    assert (row["replicated"], row["confirmed"]) == ("replicated 2 of 2", True)

    toy.edit("at_least(0, over_seeds=True)", "at_least(1, over_seeds=True)")
    code, out = toy("ledger", "toy/noisy")
    assert code == 1
    assert "not in the ledger as it stands: toy/sure" in out
    assert "toy/coin" not in out.split("not in the ledger", 1)[1]
    row = toy.show("toy/sure")
    assert (row["badge"], row["replicated"], row["confirmed"]) == (None, None, False), "they were of another rule"

    toy("ledger", "toy/sure", "--write", "--why", "a higher bar", "--seen", "two replications")
    toy("confirm", "toy/sure", "--replications", "2", "--jobs", "1")
    row = toy.show("toy/sure")
    assert (row["badge"], row["replicated"], row["confirmed"]) == ("exploratory", "replicated 2 of 2", False), (
        "the rule had seen this randomness"
    )
    toy("confirm", "toy/sure", "--replications", "1", "--first", "3", "--jobs", "1")
    row = toy.show("toy/sure")
    assert (row["replicated"], row["confirmed"]) == ("replicated 3 of 3", True)
    _, out = toy("ledger", "toy/sure")
    assert "a higher bar" in out
    assert "two replications" in out
    lines = json.loads((tmp_path / "toy" / LEDGER).read_text())
    assert [line["why"] for line in lines if line["claim"] == "toy/sure"] == ["first", "a higher bar"]
    toy("reproduce", "toy/noisy", "--jobs", "1", "--out", str(tmp_path / "page"))
    page = (tmp_path / "page" / "index.html").read_text()
    assert "confirmed on fresh randomness" in page
    assert "exploratory" in page


def test_only_a_changed_rule_loses_what_was_found_under_it(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = experiments("toy")["toy/decay"]
    claim = experiment.claims[0]
    last = line_of(experiment, claim, date="2026-03-01", seen="nothing", why="now", kind="moved")
    first = replace(last, digest="1" * 20, code="a", at_paper="1:a", date="2026-01-01", why="first", kind="changed")
    second = replace(first, digest="2" * 20, code="b", at_paper="2:b", date="2026-02-01")
    third = replace(second, digest="3" * 20, at_paper="3:b", kind="reworded")

    def rule(*lines: Line, scale: str | None = None) -> CurrentRule:
        monkeypatch.setattr(sys.modules[current_rule.__module__], "ledger", lambda paper: list(lines))
        return current_rule(experiment, claim, scale)

    kept = rule(first, second, third, last)
    assert kept.line == second
    found = [kept.accepts(line.digest, line.code) for line in (first, second, third, last)]
    assert found == [False, True, True, True]
    assert not kept.accepts(second.digest, "another code")
    large = rule(first, second, third, last, scale="paper")
    found = [large.accepts(*one) for one in (("1", "a"), ("2", "b"), ("3", "b"), (large.digest, large.code))]
    assert found == [False, True, True, True]
    changed = rule(first, second, replace(last, kind="changed"))
    assert changed.line
    assert not changed.accepts(second.digest, second.code)
    silent = rule(first, replace(last, code="of other code"))
    assert silent.line is None
    assert silent.accepts(last.digest, last.code)
    assert not silent.accepts(last.digest, "of other code")
    before_code_had_one = rule(replace(last, code="", at_paper="", kind="changed"))
    assert before_code_had_one.line
    assert before_code_had_one.accepts(last.digest)
    assert not rule(replace(last, kind="changed")).accepts(last.digest)


def test_words_may_change_and_code_may_move(tmp_path: Path) -> None:
    shutil.copytree(TOY, tmp_path / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    toy = Copy(tmp_path)
    toy("ledger", "toy", "--write", "--why", "first", "--seen", "nothing")
    toy("check", "toy/sure", "--jobs", "1")
    toy.edit("Draws around 1000 are positive on average.", "On average, draws around 1000 are positive.")
    assert toy("ledger", "toy", "--write", "--kind", "reworded", "--why", "the verb comes last")[0] == 0
    row = toy.show("toy/sure")
    assert (row["status"], row["badge"], row["rule_date"] < now()) == ("holds", "registered", True)
    toy.edit("return Seeds(draws(run))", "return Seeds(draws(run) * 2)")
    row = toy.show("toy/sure")
    assert (row["status"], row["badge"]) == (None, None)
    assert row["stale"].startswith("its rule has changed; `lemmata check toy/sure")
    assert "Stale, because the rule has changed: toy/sure." in toy("list", "toy/noisy")[1].replace("\n", " ")
    write = ("ledger", "toy", "--write", "--why", "twice", "--store", str(tmp_path / "store"))
    code, out = toy(*write, "--kind", "reworded")
    assert (code, "of toy/sure more than words has changed" in out.replace("\n", " ")) == (2, True)
    code, out = toy(*write, "--kind", "moved")
    assert (code, "--kind moved is not possible: of toy/noisy" in out.replace("\n", " ")) == (2, True)


@pytest.mark.parametrize(
    ("place", "what"),
    [
        ("verdicts/toy__sure@laptop.json", "holds at scale laptop"),
        ("confirmations/toy__sure@paper.json", "replications at scale paper"),
    ],
)
def test_of_a_judged_claim_something_was_seen(tmp_path: Path, place: str, what: str) -> None:
    shutil.copytree(TOY, tmp_path / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    toy, store = Copy(tmp_path), tmp_path / "store"
    (store / place).parent.mkdir(parents=True)
    (store / place).write_text('{"id": "toy/sure", "status": "holds", "rule": "another by now"}')
    write = ("ledger", "toy", "--write", "--why", "first", "--store", str(store), "--seen")
    code, out = toy(*write, "Nothing")
    assert (code, out.strip().count("\n")) == (2, 0)
    assert f"--seen 'Nothing' is not possible: toy/sure is judged in {str(store)!r} ({what}); say what" in out
    assert not (tmp_path / "toy" / LEDGER).exists(), "nothing is written of the others either"
    assert toy(*write, "its verdict")[0] == 0
    assert {line["seen"] for line in json.loads((tmp_path / "toy" / LEDGER).read_text())} == {"its verdict"}


def test_the_smoke_scale_shows_nothing_of_a_rule(tmp_path: Path) -> None:
    shutil.copytree(TOY, tmp_path / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    toy = Copy(tmp_path)
    assert toy("check", "toy/sure", "--jobs", "1")[0] == 0
    write = ("ledger", "toy", "--write", "--why", "first", "--store", str(tmp_path / "store"), "--seen", "nothing")
    assert toy(*write)[0] == 0
