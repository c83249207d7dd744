"""The page is there at once, grows as experiments are judged, the cheapest first, and says what is still to come."""

import contextlib
import multiprocessing
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Cli
from lemmata.commands import cheapest_first as order
from lemmata.commands.cheapest_first import cheapest_first
from lemmata.commands.findings import Findings
from lemmata.core import Scale
from lemmata.core.registry import papers, select
from lemmata.record import Finding, Number, Record
from lemmata.report import incremental
from lemmata.run import Store, compute_all, evaluate, evaluate_each

SMOKE = Scale("smoke")
FINDING = Finding(
    text="It decays by {ratio} a step.", rests_on={"rate": "holds"}, shown_by="decay", numbers={"ratio": Number("rate")}
)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("lemmata.commands.findings", "lemmata.commands.cheapest_first"):
        monkeypatch.setattr(f"{module}.findings", lambda paper: (FINDING,) if paper.id == "toy" else ())


def names(selections: Iterator | list) -> list[str]:
    return [one.experiment.id for one in selections]


def test_experiments_come_by_cost_and_those_of_findings_sooner(
    toy: Path, store: Store, found: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    selections = select(["toy"])
    known = {claim.id for one in selections for claim in one.claims}
    dear = dict.fromkeys(known, 10.0) | {"toy/rate": 30.0, "toy/typo": 30.0}
    monkeypatch.setattr(order, "_seconds", lambda paper, scale: dear)
    first, *rest = names(cheapest_first(selections, SMOKE, store))
    assert first == "toy/decay", "30 seconds, but a finding rests on it"
    assert rest == [id for id in names(selections) if id != "toy/decay"], "of equal cost: in reading order"
    monkeypatch.setattr(order, "findings", lambda paper: ())
    assert names(cheapest_first(selections, SMOKE, store))[-1] == "toy/decay"
    monkeypatch.setattr(order, "_seconds", lambda paper, scale: {"toy/typo": 1e9})
    assert names(cheapest_first(selections, SMOKE, store))[0] == "toy/decay", "a cost that nobody knows comes last"
    last = selections[-1].experiment
    compute_all(last.runs(SMOKE).values(), store)
    free = [one.experiment.id for one in selections if one.experiment.runs(SMOKE) == last.runs(SMOKE)]
    assert names(cheapest_first(selections, SMOKE, store))[: len(free)] == free, "what is there costs nothing"


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_experiment_is_judged_when_its_runs_are_there(toy: Path, store: Store, jobs: int) -> None:
    selections = select(["toy"])[::-1]
    seen = []
    for item in evaluate_each(selections, SMOKE, store, jobs=jobs):
        assert all(digest in store for digest in item.run_ids)
        seen.append(item.experiment.id)
        if len(seen) == 1 and jobs == 1:
            wanted = {config.digest for one in selections for config in one.experiment.runs(SMOKE).values()}
            assert set(store.digests()) < wanted, "the first is judged before all is computed"
    assert sorted(seen) == sorted(names(selections))
    assert names(evaluate(selections, SMOKE, store)) == names(selections), "together: in the order asked for"


def test_whoever_stops_reading_stops_the_workers(toy: Path, store: Store) -> None:
    with contextlib.closing(evaluate_each(select(["toy"]), SMOKE, store, jobs=2)) as judged:
        next(judged)
    for worker in multiprocessing.active_children():
        worker.join(timeout=20)
    assert multiprocessing.active_children() == []


def test_findings_are_the_references_until_they_are_found_here(toy: Path, found: None, monkeypatch) -> None:
    kept = Record(id="toy/rate", status="holds", measured=0.5, scale="laptop", version="7", device="cpu")
    monkeypatch.setattr("lemmata.commands.findings.documented", lambda paper: [kept])
    findings = Findings([papers()["toy"]])
    (one,) = findings.checked({}, {"toy/rate"})["toy"]
    assert one.text == "It decays by 0.50 a step."
    assert one.note == "reference: lemmata 7, laptop scale, cpu; still to come here"
    (one,) = findings.checked({}, set())["toy"]
    assert one.note.endswith("not judged here")
    (one,) = findings.checked({"toy/rate": Record(id="toy/rate", status="undecided")}, set())["toy"]
    assert one.note.endswith("not seen in this report, where `rate` is undecided")
    (one,) = findings.checked({"toy/rate": Record(id="toy/rate", status="holds", measured=0.25)}, set())["toy"]
    assert (one.text, one.note) == ("It decays by 0.25 a step.", "")


def test_every_version_of_the_page_says_how_far_it_is(cli: Cli, found: None, monkeypatch) -> None:
    versions, saved = [], []
    write, save = incremental.write_report, incremental.save_entry
    monkeypatch.setattr(incremental, "PAUSE", 0.0)
    monkeypatch.setattr(incremental, "SHARE", float("inf"))
    monkeypatch.setattr(
        incremental, "write_report", lambda made, out: versions.append(made["index.html"]) or write(made, out)
    )
    monkeypatch.setattr(incremental, "save_entry", lambda entry, *rest: saved.append(entry) or save(entry, *rest))
    code, out, _ = cli("reproduce", "toy", "--scale", "smoke", "--jobs", "1")
    assert code == 0
    assert out.count("index.html") == 2, "said at once, and at the end"
    total = len(select(["toy"]))
    counts = [re.search(r"(\d+) of (\d+) experiments judged; still to come: toy/", text) for text in versions]
    assert [count and (int(count[1]), int(count[2])) for count in counts[:total]] == [(i, total) for i in range(total)]
    assert "nothing is to come" in versions[-1]
    assert versions[-1] == Path("report/index.html").read_text()
    assert len(saved) == total, "no figure is drawn again for a new version"
    assert "It decays by 0.5" in versions[-1]
    places = [versions[-1].index(text) for text in ("It decays by", 'id="findings"', 'id="verdicts"')]
    assert places == sorted(places), "findings first, then their figures, then verdicts"
    assert '<details id="verdicts"' in versions[-1]
