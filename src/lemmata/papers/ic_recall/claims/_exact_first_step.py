"""The one large step of Stage 1 in exact arithmetic: its runs, and kinds of sequence at the start."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import RunConfig, RunResult, Runs, Scale
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.run.exact_first_step import ExactFirstStep

ENOUGH = "enough sequences"


def exact_first_step(scale: Scale) -> ExactFirstStep:
    return ExactFirstStep(temperatures=sizes.EXACT_TEMPERATURES.at(scale), seeds=sizes.seeds(sizes.EXACT_SEEDS, scale))


def exact_first_step_runs(scale: Scale) -> dict[str, RunConfig]:
    return {ENOUGH: exact_first_step(scale)}


class Start(NamedTuple):
    """Kinds of sequence at v = 1/6 and a temperature each: [row], and gradients times T as [row, 6]."""

    run: RunResult
    rows: np.ndarray

    def column(self, name: str) -> np.ndarray:
        return self.run.arrays[f"start_{name}"][self.rows]


def kinds_at_start(runs: Runs, keep: Callable[[RunResult], np.ndarray]) -> Start:
    return Start(runs[ENOUGH], np.flatnonzero(keep(runs[ENOUGH])))


def every_kind(run: RunResult) -> np.ndarray:
    return np.ones(len(run.arrays["start_p"]), bool)


def by_kind(keep: Callable[[RunResult], np.ndarray]) -> dict[str, Any]:
    """Kinds of sequence at the start, by temperature and by how many relations match twice."""

    def labels(runs: Runs) -> list[dict[str, Any]]:
        kept = kinds_at_start(runs, keep)
        return [{"T": t, "I": i} for t, i in zip(kept.column("temperature"), kept.column("matchings"), strict=True)]

    return {"kind of sequence": labels}


def falling(temperatures: Iterable[float]) -> list[float]:
    return sorted({float(t) for t in temperatures}, reverse=True)
