"""Other noise levels and other learning rates, by Figure 3's end: readings, parts, runs and drawing of both claims."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from lemmata.core import SHARE, Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Seeds, at_least, near
from lemmata.papers.association.claims._recall_runs import fine_tuned_run, main_run, recall_training
from lemmata.papers.association.probe.readings import learned_something, settled
from lemmata.papers.association.run.recall_training import RecallTraining
from lemmata.papers.association.sizes import LittleNoise, MuchNoise, SmallRates
from lemmata.report.plots import ceiling, new_figure
from lemmata.train import SGDConfig

Ends = list[tuple[RunResult, int]]  # runs, and the phase at whose end they are read (0: before any noise)

NEAR_ONE = 0.1  # of the noise over α, as Figure 3 has it at α = 1/2
MOST = 0.8  # of the probability, without F_2: less than in Figure 3, for other settings are trained less
HALF = 0.5  # of what is missing
LAST = 1 / 3  # of the steps: single records jitter by an eighth of the smallest noise level


def by_seed(ends: Ends, column: str) -> np.ndarray:
    """[seed, run], of the seeds that all runs have."""
    found = [settled(run, column, LAST, phase) for run, phase in ends]
    shared = min(len(values) for values in found)
    return np.stack([values[:shared] for values in found], axis=1)


def noise(ends: Ends) -> Seeds:
    """The full model's probability of noise, over the noise level of its training data."""
    return Seeds(by_seed(ends, "full.noise") / [run.config.task.alpha for run, _ in ends])


def without_second(ends: Ends) -> Seeds:
    """The correct token's probability without F_2."""
    return Seeds(by_seed(ends, "without_F2.correct"), bounds=SHARE)


def helped(ends: Ends) -> Seeds:
    """By how much of what is missing to 1 dropping F_2 raises it."""
    full = by_seed(ends, "full.correct")
    return Seeds((by_seed(ends, "without_F2.correct") - full) / (1 - full))


def parts_by(group: str) -> dict[str, Part]:
    """Along what the runs of a group have; the last is the main run."""
    along = {{"alpha": "α", "rate": "rate"}[group]: lambda runs: [varied(group, run) for run, _ in ends(runs, group)]}
    return {
        "full model, noise / α": Part(noise, near(1.0, atol=NEAR_ONE, over_seeds=True), along=along),
        "without F₂, correct": Part(without_second, at_least(MOST, over_seeds=True), along=along),
        "without F₂, share of the missing probability won": Part(helped, at_least(HALF, over_seeds=True), along=along),
    }


def varied(group: str, run: RunResult) -> float:
    return run.config.task.alpha if group == "alpha" else run.config.optimizer.rate


def trained_clean(runs: Runs) -> Ends:
    return [(runs["fine-tuned"], 0)]


def ends(runs: Runs, group: str) -> Ends:
    """The runs of a group and the main run; of those that changed settings made alike, one."""
    unlike = {varied(group, run): run for run in reversed((*runs.group(group).values(), runs["main"]))}
    return [(run, 1) for run in reversed(unlike.values())]


def noise_levels(scale: Scale) -> dict[str, RecallTraining]:
    runs = both_ends(scale)
    for alpha, sizes in {0.2: LittleNoise, 0.7: MuchNoise}.items():
        run = recall_training(scale, sizes)
        runs[f"alpha/{alpha:g}"] = replace(run, task=replace(run.task, alpha=alpha))
    return runs


def learning_rates(scale: Scale) -> dict[str, RecallTraining]:
    return both_ends(scale) | {
        f"rate/{rate:g}": recall_training(scale, SmallRates, optimizer=SGDConfig(rate=rate))
        for rate in SmallRates.LEARNING_RATES.at(scale)
    }


def both_ends(scale: Scale) -> dict[str, RecallTraining]:
    return {"main": main_run(scale), "fine-tuned": fine_tuned_run(scale)}


def draw(runs: Runs, group: str) -> Artefact:
    figure, ax = new_figure()
    found, name = ends(runs, group), {"alpha": "noise level α", "rate": "learning rate"}[group]
    full, cut = (np.asarray(read(found).mean) for read in (noise, without_second))
    places, values = np.arange(len(found)), [varied(group, run) for run, _ in found]
    ax.bar(places - 0.2, full, 0.4, label="full model: noise / α")
    ax.bar(places + 0.2, cut, 0.4, label="without F₂: correct")
    ceiling(ax, 1.0)
    ax.set_xticks(places, [f"{value:g}" for value in values])
    ax.set(xlabel=name, ylabel="probability (of noise: over α)", ylim=(0, 1.2))
    ax.legend(fontsize=7)
    table = {name: values, "noise / alpha": full, "correct without F2": cut}
    return Artefact(figure, table, f"The ends of Figure 3's curves by {name}.")


def other_settings(
    group: str, title: str, runs: Callable[[Scale], dict[str, RecallTraining]], **words: Any
) -> Experiment:
    claim = Claim(subject=lambda runs: ends(runs, group), wrong=trained_clean, parts=parts_by(group), **words)
    needs = dict.fromkeys(("main", group), learned_something)
    return Experiment(title=title, runs=runs, needs=needs, claims=(claim,), draw=partial(draw, group=group))
