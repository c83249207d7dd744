"""Final values, first passages and moments read from the stored training runs."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lemmata.core import SHARE, RunResult, Runs, Seeds, TooShort, Undecided, of_result


def at_end(run: RunResult, column: str, phase: int = 1) -> np.ndarray:
    """A value a seed: the mean over the last tenth of the records, because single steps of SGD jitter."""
    _, values = run.curve(column, phase=phase)
    return values[:, -max(values.shape[1] // 10, 1) :].mean(axis=1)


def settled(run: RunResult, column: str, share: float, phase: int = 1) -> np.ndarray:
    """A value a seed: the mean over the records of the last `share` of a phase's steps. For a level that is reached
    long before the end and that single steps of SGD jitter about: the longer the mean, the less they do."""
    steps, values = run.curve(column, phase=phase)
    return values[:, steps >= (1 - share) * steps[-1]].mean(axis=1)


def first_step_over(run: RunResult, column: str, level: float, phase: int = 1) -> np.ndarray:
    """For each seed, the first recorded step at which the column is over the level; infinite if it never is."""
    steps, values = run.curve(column, phase=phase)
    over = values > level
    return np.where(over.any(axis=1), steps[over.argmax(axis=1)].astype(float), np.inf)


def early_peak(run: RunResult, column: str, steps_counted: int, phase: int = 1) -> np.ndarray:
    """For each seed, the largest value after the start and within the first steps."""
    steps, values = run.curve(column, phase=phase)
    early = (steps > 0) & (steps <= steps_counted)
    if not early.any():
        raise Undecided(f"no record within the first {steps_counted} steps")
    return values[:, early].max(axis=1)


def correct_by_fraction(run: RunResult, matrix: int = 0, way: str = "") -> dict[float, np.ndarray]:
    """The correct token's probability with a matrix cut to each fraction of its rank, by seed; `way` is "bare." where
    the last layer's residual is left out."""
    sweeps = run.arrays[f"sweep.{way}correct"]
    if matrix >= len(sweeps):
        raise Undecided(f"only {len(sweeps)} matrices are cut")
    return dict(sorted(zip(run.config.fractions, sweeps[matrix].T, strict=True)))


def at_fraction(run: RunResult, fraction: float, way: str = "") -> np.ndarray:
    by_fraction = correct_by_fraction(run, way=way)
    if fraction not in by_fraction:
        raise Undecided(f"the rank is not cut to the fraction {fraction:g}, but to {tuple(by_fraction)}")
    return by_fraction[fraction]


def _learned(run: RunResult, phase: int) -> Undecided | None:
    task = run.config.task
    blind = (1 - task.alpha * phase) / len(task.outputs())
    correct = float(at_end(run, "full.correct", phase).mean())
    if correct >= 2 * blind:
        return None
    return TooShort(
        f"little is learned: the correct token's probability ends at {correct:.2f}, a blind guess at {blind:.2f}"
    )


@of_result
def learned_something(run: RunResult) -> Undecided | None:
    """The full model says the correct token twice as often as one that knows only the noise level."""
    return _learned(run, 1)


@of_result
def learned_without_noise(run: RunResult) -> Undecided | None:
    """The same of a run's first phase, before there was noise."""
    return _learned(run, 0)


class Edited(NamedTuple):
    """A run, and the edits of its model that are read as the full one and as those without a layer."""

    run: RunResult
    full: str = "full"
    without_F1: str = "without_F1"
    without_F2: str = "without_F2"
    phase: int = 1  # 0: while it was trained without noise

    def exchanged(self) -> "Edited":
        """The other layer dropped."""
        return Edited(self.run, self.full, self.without_F2, self.without_F1)


def end(edit: str, answer: str) -> Callable[[Edited], Seeds]:
    """The reading of an edit's answer at the end of training."""
    return lambda edited: Seeds(at_end(edited.run, f"{getattr(edited, edit)}.{answer}", edited.phase), bounds=SHARE)


def level(edit: str, answer: str, share: float) -> Callable[[Edited], Seeds]:
    """The same over the last share of the steps, for an answer that has long had its level."""
    return lambda edited: Seeds(
        settled(edited.run, f"{getattr(edited, edit)}.{answer}", share, edited.phase), bounds=SHARE
    )


def ratio(answer: str, above: str, below: str = "full") -> Callable[[Edited], Seeds]:
    """The reading of two edits' answers at the end, one over the other in each seed."""
    return lambda edited: Seeds(
        np.divide(end(above, answer)(edited).values, end(below, answer)(edited).values), bounds=(0.0, np.inf)
    )


class Moment(NamedTuple):
    """The models of some runs at a moment: "initial", "clean" (before the fine-tuning), "final"."""

    runs: Runs
    name: str

    def array(self, run: str, what: str) -> np.ndarray:
        """A part of the models' snapshot, [seed, ...]."""
        return self.runs[run].arrays[f"{self.name}.{what}"]
