"""Appendix D's stage 2 in worlds of three sizes and two C_B: what its claims read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lemmata.core import OutsideSetting, Protocol, RunResult, Runs, Scale, Seeds, TooShort, Undecided, of_result
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._population import FINISHED
from lemmata.papers.lego.probe.two_steps import Neurons, Step
from lemmata.papers.lego.run.attention_course import AttentionCourse
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.features import magnitude

SIGMA = 1e-6  # sigma_0, the d^-1/2 of d = 10^12
SINGLE = 0.02  # of psi: how far the neuron of a combination may be from reading psi
TAKEN_OVER = 0.5  # step 2 has taken over where Q_44 moves at least half as fast as Q_43
CONSTANT = 0.3  # of Q_43, where stage 2.2 ends: a constant, yet above 1/log d (the paper's 0.0001 is below it here)
EVERY = 4  # record of stage 2.3 is read

OURS = Protocol(
    r"$\sigma_0 = 10^{-6}$, the $d^{-1/2}$ of $d = 10^{12}$",
    "at the d^{-1/2} of these d several neurons would share a combination; appendix D starts from one each",
)


def courses(scale: Scale) -> dict[str, AttentionCourse]:
    return {
        f"course/{clip:g}/{d}": course(clip, d, scale) for clip in clips(scale) for d in sizes.COURSE_SIZES.at(scale)
    }


def second_alone(scale: Scale) -> dict[str, AttentionCourse]:
    """The smallest worlds by the loss of step 2 alone: without step 1's nothing tells the predicate from the answer."""
    d = sizes.COURSE_SIZES.at(scale)[0]
    return {f"second/{clip:g}/{d}": course(clip, d, scale, loss="second") for clip in clips(scale)}


def clips(scale: Scale) -> tuple[float, ...]:
    return sizes.GROWTH_CLIPS.at(scale)


def course(clip: float, d: int, scale: Scale, **settings: Any) -> AttentionCourse:
    given = {"width": sizes.COURSE_WIDTH.at(scale), "seeds": sizes.seeds(sizes.COURSE_SEEDS, scale)}
    named = {"action": sizes.COURSE_ACTION.at(scale), "vocabulary": d, "clip": clip, "scale": SIGMA}
    return AttentionCourse(**named | given | settings)


@dataclass(frozen=True)
class Cell:
    """One seed of one world."""

    run: RunResult
    seed: int  # its place among the run's seeds

    @property
    def config(self) -> Any:
        return self.run.config

    @property
    def d(self) -> int:
        return self.config.vocabulary

    @property
    def log_d(self) -> float:
        return float(np.log(self.d))

    @cached_property
    def psi(self) -> float:
        """What a neuron reads where it says B."""
        model = self.config.model_config()
        return magnitude(model.bound, model.sigma * self.log_d, model.smoothing, model.power)

    def neurons(self, fresh: bool = False) -> Neurons:
        """As stage 1 left them, or as they were drawn."""
        model, before = self.config.model_config(), "fresh." if fresh else ""
        acting, values = (self.run.arrays[f"{before}{name}"][self.seed] for name in ("actions", "values"))
        bias = model.sigma * self.log_d
        return Neurons(acting, values, bias, model.smoothing, model.power, model.bound, model.vocab)

    @cached_property
    def single(self) -> bool:
        """One neuron has learned each combination (Theorem B.1), and stage 1 is at its floor."""
        table = action(self.config.action).table
        neurons = self.neurons()
        g, y = np.indices(table.shape)
        read = (neurons.actions[:, table, g] + neurons.values[:, table, y]) / 2 / self.psi
        best = np.sort(read, axis=0)
        alone = np.all(np.abs(best[-1] - 1) < SINGLE) and np.all(best[-2] < SINGLE)
        return bool(alone and self.run.arrays["excess"][self.seed] <= FINISHED)

    @cached_property
    def delta(self) -> float:
        """The delta of Lemma D.3, in units of psi: how far any feature is from (17), or any confounding pair from
        cancelling."""
        table, neurons = action(self.config.action).table, self.neurons()
        g, y = np.indices(table.shape)
        of = neurons.of_combinations(table)
        acting, value = neurons.actions[of, table] / self.psi, neurons.values[of, table] / self.psi
        own = np.arange(len(table))[:, None], np.arange(table.shape[1])[None]
        right_g, right_y = acting[(*own, g)], value[(*own, y)]
        wrong_g = np.where(np.eye(len(table), dtype=bool)[:, None], 0, acting + right_y[..., None])
        wrong_y = np.where(np.eye(table.shape[1], dtype=bool)[None], 0, value + right_g[..., None])
        return float(max(np.abs(one).max() for one in (right_g - 1, right_y - 1, wrong_g, wrong_y)))

    @property
    def scores(self) -> np.ndarray:
        return self.run.arrays["scores"][self.seed]

    @property
    def times(self) -> np.ndarray:
        return self.run.arrays["times"][self.seed]

    def step(self, number: int, records: Any = slice(None), *, fresh: bool = False) -> Step:
        return Step(self.neurons(fresh), action(self.config.action).table, self.scores[records], number)

    def slopes(self, records: Any = slice(None), *, fresh: bool = False, steps: tuple[int, ...] = (1, 2)) -> np.ndarray:
        """|X| times minus the gradient of Algorithm 1's loss: [record, score]."""
        return np.sum([self.step(number, records, fresh=fresh).gradients() for number in steps], axis=0)

    def first(self, least: float) -> int:
        """The record at which Q_43 has come so far."""
        far = self.scores[:, 0] >= least
        if not far.any():
            raise TooShort(f"Q_43 never came to {least:g} at d = {self.d}")
        return int(np.argmax(far))

    @property
    def third_stage(self) -> np.ndarray:
        """The records of stage 2.3 that are read, the last one among them."""
        return np.append(np.arange(self.first(CONSTANT), len(self.times) - 1, EVERY), len(self.times) - 1)


@of_result
def in_range(run: RunResult) -> Undecided | None:
    """Some seed has one neuron a combination; the course came to its end, with epsilon above sigma_0 log d."""
    cells = [Cell(run, seed) for seed in range(len(run.config.seeds))]
    if not action(run.config.action).simply_transitive:
        return OutsideSetting(f"{run.config.action} is not simply transitive")
    if not any(cell.single for cell in cells):
        return TooShort("in no seed has one neuron learned each combination")
    if np.any(run.arrays["times"][:, -1] < 0.999 * run.config.records[-1]):
        return TooShort("the flow ran out of evaluations before its last time")
    return None


NEEDS = {"course": in_range}


def cells(runs: Runs, group: str = "course") -> list[list[list[Cell]]]:
    """[seed, C_B, d], of the seeds that have one neuron a combination in every world of the courses."""
    table: dict[str, list[RunResult]] = {}
    for name, run in runs.group(group).items():
        table.setdefault(name.split("/")[0], []).append(run)
    rows = [sorted(row, key=lambda run: run.config.vocabulary) for row in table.values()]
    seeds = range(min(len(run.config.seeds) for row in rows for run in row))
    found = [[[Cell(run, seed) for run in row] for row in rows] for seed in seeds]
    found = [one for one in found if all(cell.single for row in one for cell in row)]
    if not found:
        raise Undecided("no seed has one neuron a combination in every world")
    return found


def read(runs: Runs, reading: Callable[[Cell], Any], group: str = "course") -> Seeds:
    """A reading of every cell: [seed, C_B, d, ...]."""
    return Seeds(np.array([[[reading(cell) for cell in row] for row in seed] for seed in cells(runs, group)]))


def vocabularies(runs: Runs) -> list[int]:
    return [cell.d for cell in cells(runs)[0][0]]


def constants(runs: Runs) -> list[float]:
    return [row[0].config.clip for row in cells(runs)[0]]


def each(runs: Runs) -> Iterator[Cell]:
    return (cell for seed in cells(runs) for row in seed for cell in row)


AXES: dict[str, Any] = {"C_B": constants, "d": vocabularies}


def left_out(runs: Runs) -> str:
    some = next(iter(runs.group("course").values()))
    return (
        f"{len(cells(runs))} of {len(some.config.seeds)} seeds have one neuron a combination in every world; d = "
        f"{', '.join(map(str, vocabularies(runs)))}, C_B = {', '.join(f'{c:g}' for c in constants(runs))}."
    )
