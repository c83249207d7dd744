"""What Figure 3 and the claim that noise comes first read of a training run: first passages over a level."""

import numpy as np

from lemmata.core import Follow, RunResult, TooShort, Undecided, of_result
from lemmata.papers.association.probe.readings import first_step_over, learned_something

SHOWN = 0.1  # of the correct token's probability: well over a blind guess, the context has begun to tell
ALMOST_ALL_NOISE = 0.9  # noise levels from which on the correct token need never pass it


def passes(run: RunResult, column: str, phase: int = 1) -> np.ndarray:
    """The first step of each seed at which the column is over the level."""
    found = first_step_over(run, column, SHOWN, phase)
    if not np.isfinite(found).all():
        raise TooShort(f"{column} never passes {SHOWN:g}")
    return found


@of_result
def learned_the_context(run: RunResult) -> Undecided | None:
    """No seed is still on its way to the context."""
    if short := learned_something(run):
        return short
    slow = int(np.sum(~np.isfinite(first_step_over(run, "full.correct", SHOWN, 1))))
    if slow and run.config.task.alpha < ALMOST_ALL_NOISE:
        seeds = f"{slow} of {len(run.config.seeds)} seeds"
        return TooShort(f"the correct token's probability never passes {SHOWN:g} in {seeds}")
    return None


def follows(claim: str, rows: dict[str, str]) -> tuple[Follow, ...]:
    """A claim's parts and the recorded rows that they read at the end."""
    return tuple(Follow(run="main", row=row, claim=claim, part=part) for part, row in rows.items())
