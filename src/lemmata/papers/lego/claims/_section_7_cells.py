"""The cells of section 7's map: what both actions reached with one block, world, number of sentences and epochs."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lemmata.core import RunResult, Runs
from lemmata.papers.lego.claims._diagonals import DECAY, LESS, Clause, Diagonal
from lemmata.papers.lego.claims._length_curves import ALL_RIGHT, FALLEN, LEARNED, Model, base, paired
from lemmata.papers.lego.claims.fig_1a import MUCH_LONGER, NEAR_PERFECT
from lemmata.papers.lego.model import ExperimentalConfig
from lemmata.papers.lego.probe import length_reached
from lemmata.papers.lego.run.data_sizes import DataSizes
from lemmata.papers.lego.run.length_training import BASE, SELF, SHORT

# Fields of the model's config. The last is as the theory has it (Definition 3.5, Assumption 3.5), with a scale of
# scores from which both actions learn.
BLOCKS: dict[str, dict[str, Any]] = {
    "plain": {"attention": "full", "residual": True, "layer_norm": True, "score_scale": None},
    "no residual": {"attention": "full", "residual": False, "layer_norm": True, "score_scale": None},
    "block-sparse": {"attention": "block-sparse", "residual": False, "layer_norm": False, "score_scale": 0.3},
}
FARTHER = 1.1  # a length reached counts as greater from this ratio on
LEVEL = 0.9  # a length is reached where this share of sentences has all clauses right


@dataclass(frozen=True)
class Learner:
    """One action in one cell; numbers are means over seeds."""

    action: str
    trained_at: int
    lengths: tuple[int, ...]
    right: np.ndarray  # all clauses, by length
    predicate_drop: float  # along the positions, at four times the training length
    answer_drop: float
    gain: float  # by one stage of self-training, the largest over lengths beyond it; NaN where there was none
    control: float  # by as many steps more at the training length, there

    @property
    def learned(self) -> bool:
        return bool(self.right[self.lengths.index(self.trained_at)] >= LEARNED)

    @property
    def reached(self) -> float:
        return float(length_reached(self.lengths, self.right, LEVEL))

    def drop(self, clause: Clause) -> float:
        return self.predicate_drop if clause == "predicate" else self.answer_drop


@dataclass(frozen=True)
class Cell:
    block: str
    variables: int
    sentences: int
    epochs: int
    final: bool  # the most epochs of its run
    transitive: Learner
    symmetric: Learner

    def exchanged(self) -> "Cell":
        made = (self.block, self.variables, self.sentences, self.epochs, self.final)
        return Cell(*made, transitive=self.symmetric, symmetric=self.transitive)

    @property
    def learned(self) -> bool:
        return self.transitive.learned and self.symmetric.learned

    @property
    def kind(self) -> str:
        one, other = self.transitive.reached, self.symmetric.reached
        if not self.learned:
            return "not learned"
        if min(one, other) >= self.transitive.lengths[-1]:
            return "both to the end"
        return (
            "transitive farther" if one > FARTHER * other else "symmetric farther" if other > FARTHER * one else "equal"
        )

    @property
    def figure_1a(self) -> bool:
        """At one of the much longer lengths the first is nearly perfect and most sentences of the second fail."""
        longer = np.array(self.transitive.lengths) >= MUCH_LONGER * self.transitive.trained_at
        gap = (self.transitive.right >= NEAR_PERFECT) & (self.symmetric.right <= FALLEN)
        return self.learned and bool(np.any(gap & longer))

    @property
    def figure_6(self) -> bool:
        return self.learned and _decays(self.symmetric, self.transitive, "predicate")

    @property
    def figure_7(self) -> bool:
        return self.learned and _decays(self.transitive, self.symmetric, "answer")


def _decays(one: Learner, other: Learner, clause: Clause) -> bool:
    """One's attention drops along the positions, the other's by no more than half of that."""
    return one.drop(clause) >= DECAY and other.drop(clause) <= LESS * one.drop(clause)


def cells(runs: Runs) -> list[Cell]:
    """Those of the figures' own runs, and of every block and world of the map."""
    one, other = runs["transitive"], runs["symmetric"]
    made = one.config
    place = (block_of(made.model), made.task.variables, made.sequences, made.epochs)
    found = [Cell(*place, final=True, transitive=_of_figures(one), symmetric=_of_figures(other))]
    for name in dict.fromkeys(name.rpartition("/")[0] for name in runs if "/" in name):
        made = runs[f"{name}/transitive"].config
        first, second = (dict(_of_sizes(runs[f"{name}/{family}"])) for family in ("transitive", "symmetric"))
        for (size, epochs), learner in first.items():
            place = (block_of(made.model), made.task.variables, size, epochs, epochs == made.epochs[-1])
            found.append(Cell(*place, transitive=learner, symmetric=second[size, epochs]))
    return found


def block_of(model: ExperimentalConfig) -> str:
    same = (name for name, block in BLOCKS.items() if all(getattr(model, key) == value for key, value in block.items()))
    return next(same, "other")


def _of_figures(run: RunResult) -> Learner:
    made = run.config
    stage = made.stages[0] if made.stages else made.lengths[-1]
    right = base(run).curve().mean(axis=0)
    then = [Model(run, SELF, stage), Model(run, SHORT, made.task.length)] if made.stages else []
    pairs = (paired(base(run).curve(), model.curve()) for model in then)
    moved = [(after - before).mean(axis=0) for before, after in pairs]
    drops = [Diagonal(run, clause).drop for clause in ("predicate", "answer")]
    return _learner(made, right, drops, moved, stage)


def _of_sizes(run: RunResult) -> Iterator[tuple[tuple[int, int], Learner]]:
    made: DataSizes = run.config
    quadruple = min(made.lengths, key=lambda length: abs(length - 4 * made.task.length))

    def read(name: str, **where: Any) -> np.ndarray:
        return run.column(name, **where).reshape(len(made.seeds), -1).mean(axis=0)

    for size, epochs in itertools.product(made.sizes, made.epochs):
        cell = {"size": size, "epochs": epochs}
        right = read(ALL_RIGHT, branch=BASE, **cell)
        went_on = made.stage_steps and epochs == made.epochs[-1]
        moved = [read(ALL_RIGHT, branch=branch, **cell) - right for branch in (SELF, SHORT) if went_on]
        drops = [read(f"{clause}_drop", branch=BASE, length=quadruple, **cell)[0] for clause in ("predicate", "answer")]
        yield (size, epochs), _learner(made, right, drops, moved, made.stage)


def _learner(made: Any, right: np.ndarray, drops: Sequence[float], moved: list[np.ndarray], stage: int) -> Learner:
    """`moved`: what self-training, and as many steps at the first length, add at each length; nothing if not done."""
    longer = np.flatnonzero(np.array(made.lengths) > stage)
    best = longer[np.argmax(moved[0][longer])] if moved and len(longer) else None
    return Learner(
        action=made.task.action,
        trained_at=made.task.length,
        lengths=made.lengths,
        right=right,
        predicate_drop=float(drops[0]),
        answer_drop=float(drops[1]),
        gain=float("nan") if best is None else float(moved[0][best]),
        control=float("nan") if best is None else float(moved[1][best]),
    )
