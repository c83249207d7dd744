"""Curves and final values read from the stored training runs, for the claims and the drawings."""

from typing import Any

import numpy as np

from lemmata.core import RunResult, Undecided
from lemmata.core.legacy import Results

TOO_SHORT = Undecided("a few steps at toy size: nothing is learned at this scale")
LAST_PART = 10  # "at the end" is the mean over the last tenth of the records: single steps of SGD jitter


def curve(run: RunResult, column: str, phase: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Steps, and the column's values as [seed, record]."""
    seeds = run.config.seeds
    values = np.stack([run.column(column, seed=seed, phase=phase) for seed in seeds]).astype(float)
    return run.column("step", seed=seeds[0], phase=phase), values


def at_end(run: RunResult, column: str, phase: int = 1) -> np.ndarray:
    """A value a seed: the mean over the last tenth of the records."""
    _, values = curve(run, column, phase)
    return values[:, -max(values.shape[1] // LAST_PART, 1) :].mean(axis=1)


def first_step_over(run: RunResult, column: str, level: float) -> np.ndarray:
    """For each seed, the first recorded step at which the column is over the level; infinite if it never is."""
    steps, values = curve(run, column)
    over = values > level
    return np.where(over.any(axis=1), steps[over.argmax(axis=1)].astype(float), np.inf)


def early_peak(run: RunResult, column: str, steps_counted: int, phase: int = 1) -> np.ndarray:
    """For each seed, the largest value after the start and within the first steps."""
    steps, values = curve(run, column, phase)
    return values[:, (steps > 0) & (steps <= steps_counted)].max(axis=1)


def trained(results: Results, value: Any) -> Any:
    """The value, except at smoke scale, where nothing has been learned."""
    return TOO_SHORT if results.scale.name == "smoke" else value


def long_table(curves: dict[str, tuple[np.ndarray, np.ndarray]], axis: str = "step") -> dict[str, Any]:
    """Curves as a table of name, place on the axis, and mean and standard deviation over seeds."""
    table: dict[str, list[Any]] = {"curve": [], axis: [], "mean": [], "std": []}
    for name, (places, values) in curves.items():
        table["curve"] += [name] * len(places)
        table[axis] += [place.item() for place in places]
        table["mean"] += [float(value) for value in values.mean(axis=0)]
        table["std"] += [float(value) for value in values.std(axis=0)]
    return table
