"""The map of regimes: cells are independent, kinds are told apart, families have one vocabulary."""

from typing import Any

import numpy as np
import pytest

from lemmata.core import RunResult, Runs, Scale, Unattended, UserError, judge
from lemmata.papers.lego.claims._theory_runs import symmetric_run, transitive_run
from lemmata.papers.lego.claims.regime_map import KINDS, MAP, cells, compare, draw, mapped_steps
from lemmata.papers.lego.claims.short_to_long import doubling_lengths, worlds
from lemmata.papers.lego.claims.stabilizer import FIVE_POINTS, families
from lemmata.papers.lego.run.regime import RegimeCells
from lemmata.papers.lego.task import action

TINY: dict[str, Any] = {
    "action": "C2",
    "variables": 5,
    "scales": (0.1,),
    "steps": 2,
    "every": 2,
    "batch": 4,
    "one_step_steps": 20,
    "lengths": (2,),
    "test_sentences": 4,
}


def test_a_cell_does_not_depend_on_the_others() -> None:
    many = RegimeCells(**TINY, clips=(1.0, 2.0), widths=(2, 3), rates=(0.1, 0.5)).execute(Unattended())
    alone = RegimeCells(**TINY, clips=(2.0,), widths=(3,), rates=(0.5,)).execute(Unattended())
    table = many.metrics
    here = (table["clip"] == 2.0) & (table["width"] == 3) & (table["rate"] == 0.5)
    assert here.sum() == 2
    for name, values in alone.metrics.items():
        np.testing.assert_allclose(table[name][here], values, rtol=1e-6, err_msg=name)
    other = (table["clip"] == 2.0) & (table["width"] == 3) & (table["rate"] == 0.1)
    assert table["third_diagonal"][other][-1] != table["third_diagonal"][here][-1]


def made_up(action: str, reached: list[float], accuracy: float = 1.0) -> RunResult:
    """A map of as many cells as lengths are given, at one number of steps."""
    config = cells(action, Scale("laptop"))
    count = len(reached)
    names = ("default_scale", "clip", "width", "rate", "sentences", "seed")
    table = {name: np.ones(count) for name in names}
    table |= {
        "step": np.full(count, config.every),
        "reached": np.array(reached),
        "one_step_accuracy": np.full(count, accuracy),
    }
    return RunResult(config, table, {}, {})


def test_kinds_of_cells_and_the_claim_over_all_that_can_tell() -> None:
    one, other = made_up("C6", [20, 10, 10, 40, 0, 9]), made_up("S5", [10, 10, 20, 40, 0, 0])
    found = compare(one, other)
    wanted = ["transitive farther", "equal", "symmetric farther", "both to the end", "neither learns T²"]
    assert [KINDS[kind] for kind in found["kind"]] == [*wanted, "transitive farther"]
    unlearned = compare(one, made_up("S5", [10, 10, 20, 40, 0, 0], accuracy=0.5))
    assert {KINDS[kind] for kind in unlearned["kind"]} == {"stage 1 fails"}
    always = Runs({"transitive": made_up("C6", [30.0] * 20), "symmetric": made_up("S5", [10.0] * 20)})
    verdict = judge(MAP, always)
    assert (verdict.status, verdict.control_status) == ("holds", "fails")
    half = Runs({"transitive": made_up("C6", [30.0, 10.0] * 20), "symmetric": made_up("S5", [10.0, 30.0] * 20)})
    assert judge(MAP, half).status == "fails"
    assert len(draw(half).table["kind"]) == 40
    few = Runs({"transitive": one, "symmetric": other})
    assert judge(MAP, few).status == "undecided"


def test_grids() -> None:
    paper = cells("S5", Scale("paper"))
    axes = (paper.scales, paper.clips, paper.widths, paper.rates, paper.sentences)
    assert np.prod([len(axis) for axis in axes]) >= 200
    assert mapped_steps(made_up("C6", [1.0])) == [200, 400, 800]
    assert doubling_lengths(40)[0] == 2
    assert doubling_lengths(40)[-1] == 40
    assert list(doubling_lengths(160)) == sorted(set(doubling_lengths(160)))
    for group in ("linear/", "quadratic/"):
        assert sum(name.startswith(group) for name in worlds(Scale("laptop"))) >= 3
    five = [run for name, run in families(Scale("paper")).items() if name.startswith("five")]
    assert [action(run.action).stabilizer_size for run in five] == [1, 2, 4, 12, 24]
    assert tuple(run.action for run in five) == FIVE_POINTS
    for scale in (Scale("laptop"), Scale("paper")):
        for family in ("five points", "order twelve"):
            found = [run for name, run in families(scale).items() if name.startswith(family)]
            assert len({run.vocabulary_size for run in found}) == 1
    plans = [plan.name for plan in symmetric_run(Scale("laptop")).plans]
    assert {"T2", "self", "short", "true", "T2 sum"} <= set(plans)
    assert transitive_run(Scale("laptop")).lengths == symmetric_run(Scale("laptop")).lengths


def test_refusals() -> None:
    wrong: list[dict[str, Any]] = [
        {"lengths": (5,)},
        {"lengths": (3, 2)},
        {"rates": ()},
        {"clips": (0.0,)},
        {"every": 3},
    ]
    for changes in wrong:
        with pytest.raises(UserError):
            RegimeCells(**(TINY | changes))
