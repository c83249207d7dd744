"""What a change reaches, for every key of every run of every experiment, planned and not computed: the key is refused,
or the head of the result names it with the claims that rest on it, and no claim is judged whose runs did not change.
One key of six here, all of them with `--walk-all` (`make test-all`)."""

import zlib
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pytest

from lemmata.commands.compute import expected_reads
from lemmata.core import Experiment, UserError
from lemmata.core.registry import Selection, papers, select
from lemmata.run import Changes, change
from walking import SMOKE, Case, cases, name


class Plan(NamedTuple):
    key: str
    selection: Selection
    made: Changes

    @property
    def id(self) -> tuple[str, str]:
        return self.selection.experiment.id, self.key


@cache
def with_runs_kept(experiment_id: str) -> tuple[Selection, Experiment]:
    (selection,) = select([experiment_id])
    return selection, replace(selection.experiment, runs=cache(selection.experiment.runs))


def planned(case: Case) -> Plan | None:
    """None if it is refused, in one line."""
    selection, experiment = with_runs_kept(case[0])
    refusal = ""
    try:
        return Plan(next(iter(case[1])), selection, change(experiment, SMOKE, case[1]))
    except UserError as error:
        refusal = str(error)
    assert refusal.count("\n") == 0
    return None


@cache
def plans(paper: str, share: int) -> list[Plan]:
    """Keys that can be changed, one of so many, and what that does."""
    mine = [case for case in cases() if case[0].startswith(f"{paper}/")]
    chosen = [case for case in mine if zlib.crc32(name(case).encode()) % share == 0]
    return [plan for case in chosen if (plan := planned(case))]


@pytest.fixture
def share(request: pytest.FixtureRequest) -> int:
    return 1 if request.config.getoption("--walk-all") else 6


@pytest.mark.parametrize("paper", sorted(papers()))
def test_a_key_is_named_with_the_claims_that_rest_on_it(paper: str, share: int) -> None:
    assert len(plans(paper, share)) >= 90 / share
    known: dict[str, dict] = {}
    for plan in plans(paper, share):
        (id, key), made = plan.id, plan.made
        if id not in known:
            known[id] = expected_reads(plan.selection, made.after)
        reads = known[id]
        assert any(line.startswith(f"changed: {key} = ") for line in made.words()), (id, key)
        (line,) = made.resting(reads)
        named = [] if line.endswith(": none") else line.split(": ", 1)[1].split(", ")
        resting = [claim for claim, names in reads.items() if names is None or set(names) & set(made.touched)]
        assert named == resting, (id, key)


@pytest.mark.parametrize("paper", sorted(papers()))
def test_no_claim_is_judged_whose_runs_did_not_change(paper: str, share: int) -> None:
    left_out = 0
    for plan in plans(paper, share):
        made = plan.made
        assert made.touched, plan.id
        assert {name for name in made.after if made.after[name] != made.before[name]} == set(made.touched)
        for run in (made.touched[0], *made.untouched[:1]):
            why = made.why_left_out([run])
            assert (why is None) == (run in made.touched), (*plan.id, run)
            left_out += why is not None
            assert why is None or plan.key in why
    assert left_out > 0, "some experiment has runs that a key does not reach"
