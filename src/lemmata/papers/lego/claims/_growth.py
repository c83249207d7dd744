"""Worlds of growing d under the assumptions of Theorem 4.1: what its claims share."""

import math
from typing import NamedTuple

import numpy as np

from lemmata.core import OutsideSetting, RunResult, Runs, Scale, TooShort, Undecided, log_slope, of_result
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._population import FINISHED, by_record, reached
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.papers.lego.task import action

START, DEGREE = (
    None,
    0.25,
)  # T_2 = 1; c of T_2 = d^(C_B - 1 + c), and c = 0 is as long as the last gradient takes to act
DEGREES = (START, 0.0, DEGREE)
NAMES = ("T₂ = 1", "d^(C_B - 1)", f"d^(C_B - 1 + {DEGREE:g})")
SPARE = 13  # of a vocabulary: actions, values and the blank
POWER = 0.25  # the least exponent that counts as a power of d
ENOUGH = 0.6  # of the seeds must finish stage 1; the others are left out, and counted


def worlds(scale: Scale) -> dict[str, PopulationRun]:
    """Worlds of growing d at every C_B, each recorded at the times of `DEGREES`: all of Theorem 4.1's assumptions,
    n_y <= log d, n_y <= m <= log^2 d, sigma_0 = d^-1/2."""
    return {
        f"world/{clip:g}/{d}": PopulationRun(
            action=sizes.GROWTH_ACTION.at(scale),
            vocabulary=d,
            scales=(None,),
            clips=(clip,),
            widths=(sizes.GROWTH_WIDTH.at(scale),),
            records=tuple(1.0 if c is None else d ** (clip - 1 + c) for c in DEGREES),
            one_step=ToTheFloor(finest=0.001, steps=60_000),
            lengths=tuple(length for length in sizes.GROWTH_LENGTHS.at(scale) if length < d - SPARE),
            test_sentences=sizes.GROWTH_TEST.at(scale),
            seeds=sizes.seeds(sizes.GROWTH_SEEDS, scale),
        )
        for clip in sizes.GROWTH_CLIPS.at(scale)
        for d in sizes.GROWTH_SIZES.at(scale)
    }


@of_result
def assumed(run: RunResult) -> Undecided | None:
    """Assumption 4.1, and the widths of the theorem; then what every claim about stage 2 needs."""
    acting, log_d = action(run.config.action), math.log(run.config.vocabulary)
    if not acting.simply_transitive:
        return OutsideSetting(f"{acting.name} is not simply transitive")
    if acting.num_values > log_d:
        return OutsideSetting(f"{acting.num_values} values are more than log d = {log_d:.1f}")
    if any(not acting.num_values <= width <= log_d**2 for width in run.config.widths):
        return OutsideSetting(f"m must lie between {acting.num_values} and log² d = {log_d**2:.0f}")
    if kept(run).mean() < ENOUGH:
        above = f"{acting.name}: stage 1 ended above its floor in {np.sum(~kept(run))} of {len(kept(run))} seeds"
        return TooShort(above)
    return None


def kept(run: RunResult) -> np.ndarray:
    """By cell: whether its stage 1 came to the floor. The theorem is of high probability; here and there a neuron
    takes two combinations, and no time will mend it."""
    return np.repeat(run.arrays["one_step.excess"] <= FINISHED, len(run.config.losses))


class Growth(NamedTuple):
    """Worlds of growing d with one C_B, at the time of one degree."""

    runs: list[RunResult]
    degree: float | None

    @property
    def record(self) -> int:
        return DEGREES.index(self.degree)

    def power(self, values: list[float]) -> float:
        d = np.array([run.config.vocabulary for run in self.runs], float)
        if len(np.unique(d)) < 3:
            raise Undecided("a power of d needs worlds of three sizes")
        if not np.all(np.isfinite(np.log(np.maximum(values, 0)))):
            raise Undecided(f"a power of d needs positive numbers, not {values}")
        return log_slope(d, np.array(values))

    def attention(self) -> float:
        """The exponent of 1/d in eps^{2,2}, of its geometric mean over seeds."""
        each = [by_record(run, "epsilon_22")[kept(run), self.record] for run in self.runs]
        return -self.power([float(np.exp(np.log(epsilon).mean())) for epsilon in each])

    def length(self) -> float:
        """The exponent of d in the length reached by equation (5)."""
        found = [float(reached(run)[kept(run), self.record].mean()) for run in self.runs]
        for run, length in zip(self.runs, found, strict=True):
            if length >= 0.99 * max(run.config.lengths):
                raise Undecided(f"the world of d = {run.config.vocabulary} reaches the longest chain that is tested")
        return self.power([max(length, 1.0) for length in found])

    def error(self, length: int = 8) -> float:
        """The exponent of d in 1 - Acc_L."""
        if any(length not in run.config.lengths for run in self.runs):
            raise Undecided(f"accuracy at length {length} was not read")
        places = [run.config.lengths.index(length) for run in self.runs]
        pairs = zip(self.runs, places, strict=True)
        return self.power([float(run.arrays["error"][kept(run), self.record, k].mean()) for run, k in pairs])


def clips(runs: Runs, group: str) -> list[str]:
    """The values of C_B of a group's worlds, in the order they were given."""
    return list(dict.fromkeys(name.split("/")[0] for name in runs.group(group)))


def grown(runs: Runs, group: str, degree: float | None) -> Growth:
    return Growth(by_size(runs, group), degree)


def by_size(runs: Runs, group: str) -> list[RunResult]:
    return sorted(runs.group(group).values(), key=lambda run: run.config.vocabulary)
