"""What counts as near the least loss, and when the end of pre-training has been reached."""

import numpy as np

from lemmata.core import RunResult, TooShort, Undecided, of_result
from lemmata.papers.knowledge.probe.sweep import SIZES
from lemmata.papers.knowledge.theory.optimal_loss import optimal_fact_loss

NEAR = 0.05  # nats over the least loss that still count as near-optimal; chosen before any run
STORED = 0.1  # nats over it, at most, before fine-tuning says anything: the theory's starts from a near-optimal model
STILL_FALLING = 0.03  # nats, in the last quarter of the steps


def least_loss(run: RunResult) -> float:
    """From the data: every subject has K templates, and a template so many words."""
    facts = run.config.facts
    questions = facts.opened + facts.phrase + 1  # a sentence
    return optimal_fact_loss(np.full(facts.subjects, facts.multiplicity), questions=questions)


def over_least(run: RunResult) -> np.ndarray:
    """By how much the loss of staged descent is over the least at the end, a number a seed."""
    return run.column("loss", step=run.config.steps).astype(float) - least_loss(run)


@of_result
def stored(run: RunResult) -> Undecided | None:
    """The one need of all claims on fine-tuning: pre-training ended near the least loss, the mean over seeds; where a
    run has several worlds, in each."""
    over = max(float(excess.mean()) for excess in _excess(run))
    early = f"pre-training ended {over:.2f} nats over the least loss, not within {STORED}"
    return None if over <= STORED else TooShort(early)


def _excess(run: RunResult) -> list[np.ndarray]:
    """Of each world of the run, the loss over the least after pre-training, a number a seed."""
    if "pretraining.excess" in run.arrays:
        return [run.arrays["pretraining.excess"].reshape(len(run.config.seeds), -1)[:, -1]]
    if "excess" in run.arrays:
        return [run.arrays["excess"]]
    worlds = np.stack([run.column(size) for size in SIZES], axis=1)
    return [run.column("excess")[np.all(worlds == world, axis=1)] for world in np.unique(worlds, axis=0)]


@of_result
def finished(run: RunResult) -> Undecided | None:
    return still_falling(run.arrays["pretraining.full_loss"].mean(axis=0))


def by_seed(run: RunResult, steps: np.ndarray, **curves: np.ndarray) -> dict[str, np.ndarray]:
    """A table of curves [seed, step]; a name's underscores are spaces."""
    seeds = run.config.seeds
    table = {"seed": np.repeat(seeds, len(steps)), "step": np.tile(steps, len(seeds))}
    return table | {name.replace("_", " "): values.reshape(-1) for name, values in curves.items()}


def still_falling(loss: np.ndarray) -> Undecided | None:
    fall = float(loss[3 * (len(loss) - 1) // 4] - loss[-1])
    if fall <= STILL_FALLING:
        return None
    return TooShort(f"the loss fell by {fall:.2f} nats in the last quarter of pre-training: it is not finished")
