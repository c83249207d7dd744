"""The map of section 7: its runs, and how cells are classified."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lemmata.core import RunResult, Scale, Unattended, UserError
from lemmata.papers.lego.claims._diagonals import Backwards, Diagonal, parts
from lemmata.papers.lego.claims._section_7_cells import BLOCKS, Cell, Learner, block_of
from lemmata.papers.lego.claims.section_7 import map_runs
from lemmata.papers.lego.claims.section_7_no_residual import with_controls
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.data_sizes import DataSizes
from lemmata.papers.lego.run.length_training import LengthTraining, length_training

LENGTHS = (5, 10, 20, 40)


def learner(*right: float, predicate: float = 0.0, answer: float = 0.0) -> Learner:
    return Learner("C6", 5, LENGTHS, np.array(right, float), predicate, answer, float("nan"), float("nan"))


def cell(one: Learner, other: Learner) -> Cell:
    return Cell("plain", 41, 2500, 300, final=True, transitive=one, symmetric=other)


@pytest.mark.parametrize(
    ("one", "other", "kind", "figure_1a"),
    [
        ((1, 1, 1, 0.96), (1, 0.95, 0.8, 0.3), "transitive farther", True),
        ((1, 1, 1, 0.94), (1, 0.95, 0.8, 0.3), "transitive farther", False),
        ((1, 1, 1, 0.96), (1, 1, 1, 0.9), "both to the end", False),
        ((1, 1, 0.5, 0), (1, 1, 0.9, 0.2), "symmetric farther", False),
        ((1, 1, 0.8, 0), (1, 1, 0.8, 0), "equal", False),
        ((1, 1, 1, 1), (0.9, 0.5, 0, 0), "not learned", False),
    ],
)
def test_kinds_of_cells(one: tuple[float, ...], other: tuple[float, ...], kind: str, figure_1a: bool) -> None:
    made = cell(learner(*one), learner(*other))
    assert made.kind == kind
    assert made.figure_1a is figure_1a
    assert made.exchanged().figure_1a is False


def test_figures_6_and_7_are_opposite_patterns() -> None:
    steady = learner(1, 1, 1, 1, predicate=0.02, answer=0.3)
    decaying = learner(1, 1, 1, 0, predicate=0.2, answer=0.1)
    assert cell(steady, decaying).figure_6
    assert cell(steady, decaying).figure_7
    assert not cell(decaying, steady).figure_6
    assert not cell(decaying, steady).figure_7


def test_every_run_of_the_map_is_of_the_block_it_is_named_after() -> None:
    for scale in ("smoke", "laptop", "paper"):
        for name, run in map_runs(Scale(scale)).items():
            wanted = name.split("/")[0] if "/" in name else "plain"
            assert isinstance(run, DataSizes | LengthTraining)
            assert block_of(run.model) == wanted
    assert set(BLOCKS) == {"plain", "no residual", "block-sparse"}


def few_sizes(**changes: Any) -> DataSizes:
    made = map_runs(Scale("smoke"))["plain/9/symmetric"]
    assert isinstance(made, DataSizes)
    return replace(made, **({"sizes": (16, 32)} | changes))


def test_a_size_gives_the_same_numbers_whatever_other_sizes_there_are() -> None:
    both, alone = (config.execute(Unattended()) for config in (few_sizes(), few_sizes(sizes=(16,))))
    keep = both.metrics["size"] == 16
    for name, column in alone.metrics.items():
        np.testing.assert_array_equal(both.metrics[name][keep], column, err_msg=name)
    assert set(both.metrics["branch"]) == {"base", "short", "self"}


def test_impossible_maps_are_refused() -> None:
    for changes, says in (
        ({"epochs": (10, 5)}, "increasing"),
        ({"lengths": (4, 8)}, "the training length 2"),
        ({"stage": 2}, "longer than 2"),
        ({"stage": 9}, "a chain of L steps"),
    ):
        with pytest.raises(UserError, match=says):
            few_sizes(**changes)


def test_one_diagonal_drops_more_than_the_other_or_less() -> None:
    made = replace(length_training(Scale(), "symmetric"), seeds=(0, 1, 2, 3), short_seeds=None)
    far = 4 * made.task.length

    def diagonal(fall: float) -> Diagonal:
        by_position = np.linspace(0.5 * (1 + fall), 0.5 * (1 - fall), far)
        wobble = np.array([0.99, 1.0, 1.01, 1.0])[:, None]
        arrays = {f"trained.predicate.{n}": wobble * by_position[:n] for n in (2 * made.task.length, far)}
        return Diagonal(RunResult(made, {}, arrays, {}), "predicate")

    found = parts("symmetric", "simply transitive", "predicate")
    steep, even = diagonal(0.3), diagonal(0.1)
    for one, other, status in ((steep, even, "holds"), (even, steep, "fails")):
        seen = {"symmetric": one, "simply transitive": other}
        part = found["simply transitive, drop less the other's"]
        assert part.rule(0.0, part.read(seen)).status == status
    part = found["symmetric, drop along positions"]
    assert part.rule(0.0, part.read({"symmetric": even, "simply transitive": steep})).status == "holds"
    assert part.rule(0.0, part.read({"symmetric": Backwards(even), "simply transitive": steep})).status == "fails"
    assert even.drop > 0


def test_a_block_without_residual_is_run_as_the_map_runs_it() -> None:
    paper = Scale("paper")
    runs = with_controls(paper)
    assert {runs[family] for family in FAMILIES} == {
        map_runs(paper)[f"no residual/170/{family}"] for family in FAMILIES
    }
    assert all(block_of(run.model) == "no residual" for run in runs.values())
