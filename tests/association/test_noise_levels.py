"""Rules whose bars were set at the paper's noise level decide nothing where those bars mean something else."""

from dataclasses import replace

import numpy as np
import pytest

from lemmata.core import Claim, OutsideSetting, RunConfig, RunResult, Runs, Scale
from lemmata.core.condition import each_condition
from lemmata.core.registry import experiments
from lemmata.papers.association.claims._other_settings import ends, learning_rates, noise_levels, parts_by
from lemmata.papers.association.run.recall_training import RecallTraining

RECALL = ("fig-3", "fig-4", "fig-7", "fig-8", "fig-9", "fig-10", "fig-11", "fig-12", "fig-13")
RECALL += ("noise-first", "any-alpha", "any-rate")
BOUND_TO_HALF = {"fig-3", "fig-3-98", "fig-4", "fig-4-clean", "fig-8", "fig-10", "any-rate"}


def with_noise(config: RunConfig, alpha: float) -> RunConfig:
    return replace(config, task=replace(config.task, alpha=alpha)) if isinstance(config, RecallTraining) else config


def outside(claim: Claim, runs: dict[str, RunConfig]) -> list[str]:
    """Why a claim's rule has no meaning for these configs, a reason a run."""
    return [
        why.reason
        for named, condition in each_condition(claim.needs)
        for name, config in runs.items()
        if (name == named or name.startswith(f"{named}/"))
        and condition.reads == "config"
        and isinstance(why := condition(config), OutsideSetting)
    ]


@pytest.mark.parametrize("alpha", [0.2, 0.8])
def test_thresholds_set_at_one_half_do_not_hold_elsewhere(alpha: float) -> None:
    found = set()
    for name in RECALL:
        one = experiments("association")[f"association/{name}"]
        runs = {run: with_noise(config, alpha) for run, config in one.runs(Scale("laptop")).items()}
        found |= {claim.id.split("/")[1] for claim in one.claims if outside(claim, runs)}
    assert found == BOUND_TO_HALF | ({"noise-first", "fig-3-margin"} if alpha == 0.2 else set())


@pytest.mark.parametrize("scale", ["laptop", "paper"])  # the smoke scale has too few tokens for thresholds
def test_the_papers_own_noise_level_is_inside_every_setting(scale: str) -> None:
    for name in RECALL:
        one = experiments("association")[f"association/{name}"]
        assert [outside(claim, one.runs(Scale(scale))) for claim in one.claims] == [[]] * len(one.claims)


def unread(configs: dict[str, RunConfig]) -> Runs:
    return Runs({name: RunResult(config, {"x": np.zeros(1)}, {}) for name, config in configs.items()})


def test_a_noise_level_is_read_of_the_run_and_not_of_its_name_and_once() -> None:
    before = noise_levels(Scale("smoke"))
    changed = {name: with_noise(config, 0.8) for name, config in before.items()}
    for part in parts_by("alpha").values():
        assert part.axes(unread(before)) == {"α": [0.2, 0.7, 0.5]}
        assert part.axes(unread(changed)) == {"α": [0.8]}
    assert [run.config for run, _ in ends(unread(changed), "alpha")] == [changed["alpha/0.2"]]
    assert len(ends(unread(learning_rates(Scale("smoke"))), "rate")) == 2
