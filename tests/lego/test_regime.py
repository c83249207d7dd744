"""The claims on the exact population: what they read from runs, on made-up ones; cells do not depend on each other."""

from typing import Any

import numpy as np
import pytest

from lemmata.core import RunResult, Runs, Scale, Unattended, Undecided, judge
from lemmata.papers.lego.claims._growth import assumed, worlds
from lemmata.papers.lego.claims._population import FIVE_POINTS, at_excess, families, finished, reached, times
from lemmata.papers.lego.claims._theory_runs import symmetric_run, transitive_run
from lemmata.papers.lego.claims.regime_map import MAP, all_roles, cells, compare, draw
from lemmata.papers.lego.claims.stabilizer import SHOWN
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.papers.lego.task import action

RECORDS = times(0, 6, 1)
TINY: dict[str, Any] = {"vocabulary": 20, "lengths": (2, 4), "test_sentences": 4, "records": (1.0, 10.0), "seeds": (0,)}


def test_a_cell_does_not_depend_on_the_others() -> None:
    many = PopulationRun(action="C3", **TINY, clips=(1.5, 2.0), widths=(4, 5), losses=("sum", "second"))
    alone = PopulationRun(action="C3", **TINY, clips=(2.0,), widths=(5,), losses=("second",))
    table, wanted = many.execute(Unattended()).metrics, alone.execute(Unattended()).metrics
    here = (table["clip"] == 2.0) & (table["width"] == 5) & (table["losses"] == "second")
    assert here.sum() == 2
    for name in ("loss", "epsilon_22", "third_diagonal"):
        np.testing.assert_allclose(table[name][here], wanted[name], rtol=1e-9, err_msg=name)
    other = (table["clip"] == 2.0) & (table["width"] == 5) & (table["losses"] == "sum")
    assert table["third_diagonal"][other][-1] != table["third_diagonal"][here][-1]


def made_up(action_name: str, factor: float, stage_one_excess: float = 0.0) -> RunResult:
    """Two settings whose excess falls tenfold a decade of time, with epsilon `factor` times its root; accuracy falls
    with epsilon and length."""
    config = PopulationRun(
        action=action_name, vocabulary=404, clips=(2.0, 3.0), records=RECORDS, lengths=(2, 8, 32, 128), seeds=(0,)
    )
    excess = np.tile(100 / np.array(RECORDS), 2)
    epsilon = factor * np.sqrt(excess)
    accuracy = np.exp(-0.01 * epsilon[:, None] * np.array(config.lengths)).reshape(2, len(RECORDS), -1)
    columns = {"scale": 0.02, "width": 12, "seed": 0, "ceiling": 1.0, "losses": "sum"}
    table = {name: np.full(len(excess), value) for name, value in columns.items()}
    table |= {"clip": np.repeat(config.clips, len(RECORDS)), "time": np.tile(RECORDS, 2), "excess": excess}
    table |= {"epsilon_22": epsilon, "time_reached": np.tile(RECORDS, 2)}
    arrays = {"accuracy": accuracy, "greedy": accuracy, "one_step.excess": np.full(2, stage_one_excess)}
    return RunResult(config, table, arrays, {})


def test_what_is_read_at_equal_loss() -> None:
    run = made_up("C6", 0.1)
    np.testing.assert_allclose(at_excess(run, "epsilon_22", 0.01), 0.1 * np.sqrt(0.01))
    np.testing.assert_allclose(at_excess(run, "epsilon_22", 0.03), 0.1 * np.sqrt(0.03))
    with pytest.raises(Undecided):
        at_excess(run, "epsilon_22", 1e-9)
    assert np.all(np.diff(reached(run), axis=1) >= 0)
    assert finished(run) is None
    assert "above its floor" in str(finished(made_up("C6", 0.1, stage_one_excess=0.2)))


def test_the_map_is_judged_where_both_converge() -> None:
    def roles(factor: float, stage_one_excess: float = 0.0) -> Runs:
        names = {"transitive": made_up("C6", 0.1), "symmetric": made_up("S5", factor, stage_one_excess)}
        return Runs({**names, "transitive too": made_up("S3:self", 0.11)})

    apart = judge(MAP, roles(1.0))
    assert (apart.status, apart.control_status) == ("holds", "fails")
    assert judge(MAP, roles(0.12)).status == "fails"
    assert judge(MAP, roles(1.0, stage_one_excess=1.0)).status == "undecided"
    found = compare(roles(1.0)["transitive"], roles(1.0)["symmetric"])
    np.testing.assert_allclose(found.concentrated, 10)
    assert (found.settings, found.of) == (2, 2)
    assert len(draw(roles(1.0)).table["clip"]) == 2


def test_worlds_are_comparable() -> None:
    for scale in (Scale("smoke"), Scale("laptop"), Scale("paper")):
        assert len({run.vocabulary for run in all_roles(scale).values()}) == 1
        for family in ("five points", "order twelve"):
            found = [run for name, run in families(scale).items() if name.startswith(family)]
            assert len({run.vocabulary for run in found}) == 1
            assert all(SHOWN in run.records for run in found)
    five = [run for name, run in families(Scale("laptop")).items() if name.startswith("five")]
    assert tuple(run.action for run in five) == FIVE_POINTS
    assert [action(run.action).stabilizer_size for run in five] == [1, 2, 4, 12, 24]
    paper = cells("S5", Scale("paper"))
    axes = (paper.scales, paper.clips, paper.widths, paper.losses, paper.records)
    assert np.prod([len(axis) for axis in axes]) >= 2000
    assert transitive_run(Scale("laptop")).lengths == symmetric_run(Scale("laptop")).lengths


def test_theorem_41_is_asked_under_its_assumptions() -> None:
    for scale in (Scale("laptop"), Scale("paper")):
        for name, run in worlds(scale).items():
            if name.startswith("world/"):
                assert run.scales == (None,)  # sigma_0 = d^-1/2
                known = {"one_step.excess": np.zeros(len(run.settings()))}
                assert assumed(RunResult(run, {}, known)) is None
    small = PopulationRun(action="C6", vocabulary=100, lengths=(2,))
    assert "more than log d" in str(assumed(RunResult(small, {}, {})))
    wide = PopulationRun(action="C6", vocabulary=404, widths=(40,), lengths=(2,))
    assert "log² d" in str(assumed(RunResult(wide, {}, {})))
    assert "not simply transitive" in str(assumed(RunResult(PopulationRun(action="S5", lengths=(2,)), {}, {})))
