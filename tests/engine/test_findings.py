"""A finding is said where the verdicts it rests on are there, with their numbers, and not otherwise."""

from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Cli
from lemmata.commands.docs import documented
from lemmata.core.registry import experiments, papers
from lemmata.record import NOT_RUN, STALE, Finding, Number, Record, findings
from lemmata.testing import findings_problems
from pages import findings_of

OURS = {id: paper for id, paper in papers().items() if paper.package.startswith("lemmata.")}
FINDING = Finding(
    text="{mean} of it, {last} at the end, {most} at most, {printed} printed.",
    rests_on={"a": "holds", "b": "erratum"},
    shown_by="fig-1",
    numbers={
        "mean": Number("a", "part"),
        "last": Number("a", "curve", at=-1, form="+.1f"),
        "most": Number("a", "summary", at="max", form=".0f"),
        "printed": Number("b", of="predicted", form="d"),
    },
)
SAMPLE = {"mean": 0.456, "low": 0.4, "high": 0.5, "level": 0.95, "seeds": 3}
SUMMARY = {"shape": [100], "min": 1.0, "mean": 2.0, "max": 7.0}
CURVE = {**SAMPLE, "mean": [0.1, -0.25]}
EVIDENCE = {
    "p/a": Record(id="p/a", status="holds", measured={"part": SAMPLE, "curve": CURVE, "summary": SUMMARY}),
    "p/b": Record(id="p/b", status="erratum", measured=1, predicted=3),
}


def test_numbers_are_read_from_the_evidence() -> None:
    checked = FINDING.checked("p", EVIDENCE)
    assert (checked.state, checked.text) == ("found", "0.46 of it, −0.2 at the end, 7 at most, 3 printed.")


def test_it_waits_for_claims_that_are_not_judged() -> None:
    checked = FINDING.checked("p", {"p/a": EVIDENCE["p/a"], "p/b": Record(id="p/b", status=NOT_RUN)})
    assert (checked.state, checked.text) == ("waits", "`b`")
    assert FINDING.checked("p", {}).state == "waits"


def test_it_is_not_said_under_other_verdicts() -> None:
    checked = FINDING.checked("p", EVIDENCE | {"p/a": replace(EVIDENCE["p/a"], status="undecided")})
    assert (checked.state, checked.text) == ("otherwise", "`a` is undecided")
    checked = FINDING.checked("p", EVIDENCE | {"p/b": replace(EVIDENCE["p/b"], predicted=None)})
    assert checked.state == "otherwise"


def test_a_number_comes_from_a_verdict_it_rests_on() -> None:
    with pytest.raises(ValueError, match="does not rest"):
        Finding(text="{x}", rests_on={"a": "holds"}, shown_by="a", numbers={"x": Number("b")})


def test_a_finding_about_nothing_is_a_problem(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = Finding(text="It is 0.35 by Lemma 1.2.", rests_on={"no-such": "holds"}, shown_by="nowhere")
    monkeypatch.setattr("lemmata.testing.paper_checks.findings", lambda paper: (lost,))
    where = "toy/findings.py, finding 1"
    assert list(findings_problems(papers()["toy"])) == [
        f"{where} rests on 'no-such', and no claim has that id",
        f"{where} is shown by 'nowhere', and no file of claims/ does",
        f"{where} quotes 0.35; a finding reads its numbers from verdicts",
    ]


@pytest.mark.parametrize("id", OURS)
def test_every_paper_says_what_was_found(id: str) -> None:
    known = {claim.id: one.id for one in experiments(id).values() for claim in one.claims}
    assert 1 <= len(findings(OURS[id])) <= 2
    for finding in findings(OURS[id]):
        assert f"{id}/{finding.shown_by}" in {known[f"{id}/{name}"] for name in finding.rests_on}
    assert list(findings_problems(OURS[id])) == []
    checked = findings_of(OURS[id])
    stale = {one.id for one in documented(OURS[id]) if one.detail == STALE}
    for one in checked:  # one whose rule was changed since waits for its new reference
        rests = {f"{id}/{name}" for name in one.finding.rests_on}
        assert one.state == "found" or (one.state == "waits" and rests & stale), one.text
    assert not any(sign in one.text for one in checked for sign in "{}")


def test_show_prints_what_was_found_of_a_paper(cli: Cli) -> None:
    """Nothing is judged in an empty folder: the sentences are the reference's, and say so."""
    code, out, _ = cli("show", "lego")
    words = " ".join(out.split())
    assert code == 0
    assert OURS["lego"].title in words
    for checked in findings_of(OURS["lego"]):
        assert f"{checked.text} (lego/{checked.finding.shown_by}) reference: lemmata " in words
    assert "experiment lego/separation" in words
    assert "`lemmata show ID` shows an experiment or a claim." in words
    assert "No finding is written down for it." in cli("show", "toy")[1]
