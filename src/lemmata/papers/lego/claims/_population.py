"""What experiments on the exact population share: worlds of one vocabulary, and what a run must have reached."""

from typing import Any

import numpy as np

from lemmata.core import RunResult, Runs, Scale, TooShort, Undecided, of_result
from lemmata.papers.lego import sizes
from lemmata.papers.lego.probe import length_reached
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.papers.lego.task import action

FINISHED = 0.05  # of the floor: stage 1's loss may end so much above it
LEVEL = 0.9  # of the ceiling: a length is reached while accuracy (equation 5) is at least that
FIVE_POINTS = ("C5", "D5", "F5", "A5", "S5")  # stabilizers of 1, 2, 4, 12, 24 elements
FAMILIES = ("five points", "order twelve")
ORDER_TWELVE = ("C12", "A4:self", "D6", "A4")  # of 1, 1, 2, 3


@of_result
def finished(run: RunResult) -> Undecided | None:
    """A need of every claim about stage 2: stage 1 is at the clip's floor, and the flow came to its last time."""
    worst = float(np.max(run.arrays["one_step.excess"]))
    if not worst <= FINISHED:
        ended = f"stage 1 ended {worst:.2g} above its floor in some seed, {FINISHED:g} is needed"
        return TooShort(f"{run.config.action}: {ended}")
    early = run.metrics["time_reached"] < 0.999 * run.metrics["time"]
    if np.any(early & (run.metrics["excess"] > 1.5 * run.config.converged_at)):
        return TooShort(f"{run.config.action}: the flow ran out of evaluations before its last time")
    return None


def stabilizer(run: RunResult) -> int:
    return action(run.config.action).stabilizer_size


def by_stabilizer(runs: Runs, family: str) -> list[RunResult]:
    return sorted(runs.group(family).values(), key=stabilizer)


def families(scale: Scale) -> dict[str, PopulationRun]:
    """Actions on five points, and of order twelve; |X| fills the vocabulary up to the same d, so that B, the bias and
    the silent tokens agree within a family."""
    if scale.name == "smoke":
        return {f"{family}/{name}": small(name) for family in FAMILIES for name in ("C3", "S3")}
    return {
        **{f"five points/{name}": member(name, 167, 12, scale) for name in FIVE_POINTS},
        **{f"order twelve/{name}": member(name, 66, 32, scale) for name in ORDER_TWELVE},
    }


def member(name: str, vocabulary: int, width: int, scale: Scale) -> PopulationRun:
    """A class of a simply transitive action of order twelve has twelve combinations to learn, hence the width. On five
    points the lengths of large stabilizers are near each other, which asks for more seeds and chains."""
    few = name in ORDER_TWELVE
    return PopulationRun(
        action=name,
        vocabulary=vocabulary,
        widths=(width,),
        records=times(0, sizes.POPULATION_DECADES.at(scale), 2),
        stride=sizes.POPULATION_STRIDE.at(scale),
        contexts=sizes.POPULATION_CONTEXTS.at(scale) if name == "S5" else None,
        lengths=(2, 4, 8, 12, 18, 27, 39),
        test_sentences=(sizes.ORDER_TWELVE_TEST if few else sizes.POPULATION_TEST).at(scale),
        seeds=sizes.seeds(sizes.ORDER_TWELVE_SEEDS if few else sizes.POPULATION_SEEDS, scale),
    )


def small(name: str) -> PopulationRun:
    """At smoke scale."""
    given: dict[str, Any] = {"vocabulary": 30, "widths": (8,), "lengths": (2, 4, 8), "test_sentences": 8}
    return PopulationRun(action=name, **given, records=times(0, 8, 1), seeds=(0, 1))


def times(first: int, last: int, a_decade: int) -> tuple[float, ...]:
    """Evenly spaced on a log axis, from 10^first to 10^last."""
    return tuple(float(f"{10 ** (k / a_decade):.4g}") for k in range(first * a_decade, last * a_decade + 1))


def by_record(run: RunResult, name: str) -> np.ndarray:
    """A column as [cell, record]."""
    return np.asarray(run.metrics[name], float).reshape(-1, len(run.config.records))


def at_time(run: RunResult, name: str, time: float) -> np.ndarray:
    """A column at one record, by cell."""
    return run.column(name, time=time).astype(float)


def at_excess(run: RunResult, name: str, excess: float) -> np.ndarray:
    """A column where the loss comes down to so much above its floor, by cell: interpolated on log axes."""
    values, above = (by_record(run, column) for column in (name, "excess"))
    found = []
    for value, left in zip(values, np.maximum(above, 1e-300), strict=True):
        if not np.any(left <= excess) or left[0] < excess:
            raise TooShort(f"{run.config.action}: some seed's loss was never {excess:g} above its floor at a record")
        after = int(np.argmax(left <= excess))
        part = np.log(left[after - 1] / excess) / np.log(left[after - 1] / left[after])
        found.append(np.exp((1 - part) * np.log(value[after - 1]) + part * np.log(value[after])))
    return np.array(found)


def reached(run: RunResult, measure: str = "accuracy") -> np.ndarray:
    """The length up to which equation (5) stays at 0.9 of its ceiling (or greedy chains at 0.9): [cell, record]."""
    share = run.arrays["greedy"] if measure == "greedy" else over_ceiling(run, measure)
    return length_reached(run.config.lengths, share, LEVEL)


def over_ceiling(run: RunResult, measure: str = "accuracy") -> np.ndarray:
    """Equation (5) as a share of what the clip allows: [cell, record, length]."""
    return run.arrays[measure] / by_record(run, "ceiling")[..., None]
