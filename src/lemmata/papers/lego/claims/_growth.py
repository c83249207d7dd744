"""Worlds of growing d under the assumptions of Theorem 4.1: what its claims, the time's law and the balance share."""

import math
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import OutsideSetting, RunResult, Runs, Scale, TooShort, Undecided, log_slope, of_result
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._population import FINISHED, by_record, reached, times
from lemmata.papers.lego.run.one_step_flow import ToTheFloor
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.papers.lego.task import action

CLIP = 3.0  # C_B
DEGREES = (0.0, 0.25, 0.5, 0.75)  # c of T_2 = d^(C_B - 1 + c); the first is the control's
POWER = 0.25  # the least exponent that counts as a power of d
ENOUGH = 0.6  # of the seeds must finish stage 1; the others are left out, and counted


def worlds(scale: Scale) -> dict[str, PopulationRun]:
    """Worlds of growing d, each recorded at T_2 = d^(C_B - 1 + c)."""
    return {f"world/{d}": world(d, scale) for d in sizes.GROWTH_SIZES.at(scale)}


def single_worlds(scale: Scale) -> dict[str, PopulationRun]:
    """One neuron for each combination, as (17) has it: at the paper's sigma_0 there are several at these d."""
    return {f"single/{d}": single(d, scale, lengths=(2,)) for d in sizes.GROWTH_SIZES.at(scale)}


def watched(scale: Scale) -> dict[str, PopulationRun]:
    """The smallest world along its whole course, by Algorithm 1's loss and by that of step 2 alone."""
    plan = {"records": times(-1, 7, 4), "lengths": (2,), "losses": ("sum", "second")}
    return {"watched": single(sizes.GROWTH_SIZES.at(scale)[0], scale, at_the_start=True, **plan)}


def single(d: int, scale: Scale, **settings: Any) -> PopulationRun:
    return world(d, scale, scales=(0.005,), widths=(sizes.GROWTH_SINGLE_WIDTH.at(scale),), **settings)


def world(d: int, scale: Scale, **settings: Any) -> PopulationRun:
    """All of Theorem 4.1's assumptions: n_y <= log d, n_y <= m <= log^2 d, sigma_0 = d^-1/2."""
    given = {
        "action": sizes.GROWTH_ACTION.at(scale),
        "vocabulary": d,
        "scales": (None,),
        "clips": (CLIP,),
        "widths": (sizes.GROWTH_WIDTH.at(scale),),
        "records": tuple(d ** (CLIP - 1 + c) for c in DEGREES),
        "one_step": ToTheFloor(finest=0.01, steps=60_000),
        "lengths": sizes.GROWTH_LENGTHS.at(scale),
        "test_sentences": sizes.GROWTH_TEST.at(scale),
        "seeds": sizes.seeds(sizes.GROWTH_SEEDS, scale),
    }
    return PopulationRun(**given | settings)


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
    """Worlds of growing d with T_2 = d^(C_B - 1 + c): for each wanted c the one that is read."""

    runs: list[RunResult]
    shift: dict[float, float]

    def record(self, degree: float) -> int:
        return DEGREES.index(self.shift.get(degree, degree))

    def power(self, values: list[float]) -> float:
        d = np.array([run.config.vocabulary for run in self.runs], float)
        if len(np.unique(d)) < 3:
            raise Undecided("a power of d needs worlds of three sizes")
        if not np.all(np.isfinite(np.log(np.maximum(values, 0)))):
            raise Undecided(f"a power of d needs positive numbers, not {values}")
        return log_slope(d, np.array(values))

    def attention(self, degree: float) -> float:
        """The exponent of 1/d in eps^{2,2}, of its geometric mean over seeds."""
        each = [by_record(run, "epsilon_22")[kept(run), self.record(degree)] for run in self.runs]
        found = [np.exp(np.log(epsilon).mean()) for epsilon in each]
        return -self.power([float(epsilon) for epsilon in found])

    def length(self, degree: float) -> float:
        """The exponent of d in the length reached by equation (5)."""
        found = [float(reached(run)[kept(run), self.record(degree)].mean()) for run in self.runs]
        if found[-1] >= 0.99 * max(self.runs[-1].config.lengths):
            raise Undecided("the largest world reaches the longest chain that is tested")
        return self.power([max(length, 1.0) for length in found])

    def error(self, degree: float, length: int) -> float:
        """The exponent of d in 1 - Acc_L."""
        if any(length not in run.config.lengths for run in self.runs):
            raise Undecided(f"accuracy at length {length} was not read")
        places = [run.config.lengths.index(length) for run in self.runs]
        pairs = zip(self.runs, places, strict=True)
        each = [run.arrays["accuracy"][kept(run), self.record(degree), k] for run, k in pairs]
        return self.power([float(1 - accuracy.mean()) for accuracy in each])


def grown(runs: Runs, group: str) -> Growth:
    return Growth(by_size(runs, group), {})


def no_longer(runs: Runs, group: str) -> Growth:
    """T_2 = d^(C_B - 1) throughout: as long as the gradient at the end takes to act once."""
    return Growth(by_size(runs, group), dict.fromkeys(DEGREES, 0.0))


def by_size(runs: Runs, group: str) -> list[RunResult]:
    return sorted(runs.group(group).values(), key=lambda run: run.config.vocabulary)
