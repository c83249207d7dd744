"""A claim that is asked for by its own name computes the runs that its verdict reads, and no other."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from lemmata.core import OutsideSetting, Runs, Scale, of_config
from lemmata.core.condition import meet
from lemmata.core.judge import requested_by
from lemmata.core.registry import select, select_one
from lemmata.core.run import NotComputed
from lemmata.run import Store, evaluate

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
    assert requested_by(claim, runs, selection.experiment.needs) == names
    assert names <= set(runs)


def test_a_claim_with_an_experiment_of_its_own_computes_nothing_for_the_drawing(store: Store) -> None:
    selections = select(["ic-recall/thm-4.2"])
    assert set(selections[0].experiment.runs(Scale("smoke"))) == {"stages", "escape", "lowest"}
    (result,) = evaluate(selections, Scale("smoke"), store, own_runs=True)
    assert set(result.runs.by_name) == {"stages", "lowest"}
    assert result.judgements[0].status == "holds"
    assert len(store.digests()) == 2


def lacking(reading: Callable[[], Any]) -> frozenset[str]:
    with pytest.raises(NotComputed) as stop:
        reading()
    return stop.value.names


def test_runs_that_are_not_there_have_names_and_are_asked_for_together() -> None:
    runs = nothing_computed("ic-recall/lemma-b.6")
    assert "pushed/saddle" in runs
    assert len(runs) == 2
    assert lacking(lambda: runs["pushed/saddle"]) == {"pushed/saddle"}
    assert lacking(lambda: runs.group("pushed")) == {"pushed/saddle", "pushed/minimum"}
    assert lacking(runs.items) == lacking(runs.values) == set(runs)


def test_conditions_on_configs_come_before_any_computing() -> None:
    @of_config
    def never(config: Any) -> str:
        return "no setting is one of this rule"

    runs = nothing_computed("ic-recall/thm-4.2")
    with pytest.raises(OutsideSetting):
        meet({"stages": never}, runs)
    with pytest.raises(OutsideSetting):
        runs.watched({"stages": never})["stages"]
    assert lacking(lambda: runs.watched({"stages": never})["lowest"]) == {"lowest"}
