"""The cells of section 7's map: what both actions reached with one block, world, number of sentences and epochs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lemmata.core import RunResult, Runs
from lemmata.papers.lego.claims._diagonals import DECAY, LESS, Clause, Diagonal
from lemmata.papers.lego.claims._length_curves import ALL_RIGHT, FALLEN, LEARNED, Model, base
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
    made, first = run.config, base(run)
    right, longer = first.curve().mean(axis=0), np.array(made.lengths) > (made.stages or made.lengths)[0]
    gains = {SELF: np.nan, SHORT: np.nan}
    if made.stages and longer.any():
        taught = Model(run, SELF, made.stages[0]).curve().mean(axis=0) - right
        short = Model(run, SHORT, made.task.length).curve().mean(axis=0) - right
        best = np.flatnonzero(longer)[np.argmax(taught[longer])]
        gains = {SELF: float(taught[best]), SHORT: float(short[best])}
    drops = [Diagonal(run, clause).drop for clause in ("predicate", "answer")]
    return Learner(made.task.action, made.task.length, made.lengths, right, *drops, gains[SELF], gains[SHORT])


def _of_sizes(run: RunResult) -> Iterator[tuple[tuple[int, int], Learner]]:
    made: DataSizes = run.config
    lengths = np.array(made.lengths)
    quadruple = lengths[np.argmin(np.abs(lengths - 4 * made.task.length))]
    for size in made.sizes:
        for epochs in made.epochs:
            cell = {"size": size, "epochs": epochs}
            right = _by_length(run, ALL_RIGHT, branch=BASE, **cell)
            drops = [
                float(run.column(f"{clause}_drop", branch=BASE, length=quadruple, **cell).mean())
                for clause in ("predicate", "answer")
            ]
            gains = [np.nan, np.nan]
            longer = lengths > made.stage
            if made.stage_steps and epochs == made.epochs[-1] and longer.any():
                taught, short = (_by_length(run, ALL_RIGHT, branch=branch, **cell) - right for branch in (SELF, SHORT))
                best = np.flatnonzero(longer)[np.argmax(taught[longer])]
                gains = [float(taught[best]), float(short[best])]
            yield (size, epochs), Learner(made.task.action, made.task.length, made.lengths, right, *drops, *gains)


def _by_length(run: RunResult, name: str, **where: object) -> np.ndarray:
    return run.column(name, **where).reshape(len(run.config.seeds), -1).mean(axis=0)
