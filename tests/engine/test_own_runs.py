"""A claim that is asked for by its own name computes the runs that its verdict reads, and no other."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from lemmata.core import OutsideSetting, Runs, Scale, of_config
from lemmata.core.condition import meet
from lemmata.core.judge import asked_for
from lemmata.core.registry import select_one
from lemmata.core.run import NotComputed
from lemmata.run import Store

SMOKE = ("--scale", "smoke", "--jobs", "1", "--store", "mine")


def nothing_computed(id: str, scale: str = "smoke") -> Runs:
    return Runs({}, Scale(scale), absent=select_one(id, "judge").experiment.runs(Scale(scale)))


def test_a_claim_computes_its_own_runs(cli: Cli) -> None:
    assert cli("check", "toy/sure", *SMOKE)[0] == 0
    assert len(Store(Path("mine")).digests()) == 2, "of three: those of its subject and of its control"
    code, out, _ = cli("list", "toy/noisy", "--scale", "smoke", "--store", "mine")
    assert code == 0
    assert [line.split()[1] for line in out.splitlines() if "toy/sure" in line] == ["holds"]
    cli("confirm", "toy/coin", "--replications", "2", *SMOKE)
    assert len(Store(Path("mine")).digests()) == 2 + 2 * 2
    cli("check", "toy/noisy", *SMOKE)
    assert len(Store(Path("mine")).digests()) == 2 + 2 * 2 + 1, "of a whole experiment all"


@pytest.mark.parametrize(
    ("id", "scale", "names"),
    [
        ("ic-recall/thm-4.2", "laptop", {"stages", "lowest"}),
        ("ic-recall/lemma-b.6", "laptop", {"pushed/saddle", "pushed/minimum"}),
        ("lego/fig-1a", "paper", {"transitive"}),  # and then the other, which its reading takes second
        ("association/fig-3", "laptop", {"main", "fine-tuned"}),
    ],
)
def test_what_a_claim_asks_for_before_anything_is_computed(id: str, scale: str, names: set[str]) -> None:
    selection, runs = select_one(id, "judge"), nothing_computed(id, scale)
    claim = next(one for one in selection.experiment.claims if one.id == id)
    assert asked_for(claim, runs, selection.experiment.needs) == names
    assert names <= set(runs)


def lacking(reading: Callable[[], Any]) -> frozenset[str]:
    with pytest.raises(NotComputed) as stop:
        reading()
    return stop.value.names


def test_runs_that_are_not_there_have_names_and_are_asked_for_together() -> None:
    runs = nothing_computed("ic-recall/warmup-dynamics")
    assert "stages" in runs
    assert len(runs) == 6
    assert lacking(lambda: runs["stages"]) == {"stages"}
    assert lacking(lambda: runs.group("pushed")) == {"pushed/saddle", "pushed/minimum"}
    assert lacking(runs.items) == lacking(runs.values) == set(runs)


def test_conditions_on_configs_come_before_any_computing() -> None:
    @of_config
    def never(config: Any) -> str:
        return "no setting is one of this rule"

    runs = nothing_computed("ic-recall/warmup-dynamics")
    with pytest.raises(OutsideSetting):
        meet({"pushed": never}, runs)
    with pytest.raises(OutsideSetting):
        runs.watched({"pushed": never})["pushed/saddle"]
    assert lacking(lambda: runs.watched({"pushed": never})["stages"]) == {"stages"}
