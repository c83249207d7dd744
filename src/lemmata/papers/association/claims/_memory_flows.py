"""The linear memory's flows that Theorem 3 and Lemma H.3 are read from, and the two-margin equations beside them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lemmata.core import OutsideSetting, RunResult, Runs, TooShort, Undecided, of_config, of_result
from lemmata.papers.association.run.memory import MemoryFlow
from lemmata.papers.association.theory import memory

LATE = 1e8  # where limits are read
FLOWS = {"flow/outside": 0.1, "flow/inside": 0.3}  # Theorem 3's range of α (Remark 1 says both behave alike)

Path = Callable[[RunResult], memory.Trajectory]


def flow_runs() -> dict[str, MemoryFlow]:
    return {name: MemoryFlow(alpha=alpha) for name, alpha in FLOWS.items()}


def flows(runs: Runs) -> list[RunResult]:
    return list(runs.group("flow").values())


def for_each_flow(form: Callable[[float], Any]) -> Callable[[Runs], np.ndarray]:
    """A prediction for each flow from its α."""
    return lambda runs: np.array([form(run.config.alpha) for run in flows(runs)])


def recorded(run: RunResult) -> memory.Trajectory:
    return memory.Trajectory(run.column("time"), run.column("a"), run.column("b"))


def true_path(run: RunResult) -> memory.Trajectory:
    return memory.integrate(memory.margin_rates(run.config.inputs, run.config.alpha), run.column("time"))


def printed_path(run: RunResult) -> memory.Trajectory:
    """The solution of equation (43) as printed, at the run's times."""
    return memory.integrate(memory.printed_margin_rates(run.config.alpha), run.column("time"))


def constants(runs: Runs, path_of: Path, time: float) -> np.ndarray:
    """t e^a of each flow at the recorded time next to the given one, as recorded or by an equation."""
    paths = [path_of(run) for run in flows(runs)]
    return np.array([path.time[i] * np.exp(path.a[i]) for path in paths for i in [np.argmin(np.abs(path.time - time))]])


@of_config
def two_inputs(config: Any) -> Undecided | None:
    inputs = config.inputs
    return None if inputs == 2 else OutsideSetting(f"Theorem 3 is about two inputs, not {inputs}")


@of_result
def two_inputs_to_late_times(run: RunResult) -> Undecided | None:
    last = run.column("time")[-1]
    early = f"the flow ends at t = {last:g}, limits are read at {LATE:g}"
    return two_inputs(run) or (None if last >= LATE else TooShort(early))


LIMITS = {"flow": two_inputs_to_late_times}
BY_FLOW = {"α": lambda runs: [run.config.alpha for run in flows(runs)]}
