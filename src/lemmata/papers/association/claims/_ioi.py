"""What Figures 19 and 20 share: the runs by depth, the gain of cutting the last MLP, the drawing."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, Part, Runs, Scale, Seeds, at_least
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.model import TransformerConfig
from lemmata.papers.association.probe.readings import settled
from lemmata.papers.association.run.ioi_training import IOITraining
from lemmata.papers.association.sizes import IOI
from lemmata.papers.association.task import IOIConfig
from lemmata.report.plots import CYCLE, band, ceiling, legend, long_table, new_figure
from lemmata.train import OptimizerConfig

LAST = 0.5  # of the steps: noise is in every step's answers, and single records of the full model jitter with it


def ioi_runs(scale: Scale, optimizer: OptimizerConfig, depths: tuple[int, ...]) -> dict[str, IOITraining]:
    task = IOIConfig(symbols=IOI.SYMBOLS.at(scale), length=IOI.LENGTH.at(scale))
    runs = {}
    for depth in depths:
        model = TransformerConfig(
            vocab=task.vocab,
            length=task.length,
            width=IOI.WIDTH.at(scale),
            feeds=("mlp",) * depth,
            precision=IOI.PRECISION.at(scale),
        )
        runs[f"depth/{depth}"] = IOITraining(
            task=task,
            model=model,
            optimizer=optimizer,
            batch=IOI.BATCH.at(scale),
            steps=IOI.STEPS.at(scale),
            every=IOI.EVERY.at(scale),
            test_sequences=IOI.TEST_SEQUENCES.at(scale),
            seeds=unseen(scale, IOI.SEEDS),
        )
    return runs


class Compared(NamedTuple):
    """The edit of each depth's model that is said to be better, and the one said to be worse."""

    runs: Any  # by name, as "depth/3"
    better: str
    worse: str

    def ends(self, depth: int, column: str) -> tuple[np.ndarray, np.ndarray]:
        run = self.runs[f"depth/{depth}"]
        better, worse = (settled(run, f"{edit}.{column}", LAST) for edit in (self.better, self.worse))
        return better, worse

    def accuracy_ratio(self, depth: int) -> Seeds:
        better, worse = self.ends(depth, "accuracy")
        return Seeds(np.log(np.maximum(better, 1e-6) / np.maximum(worse, 1e-6)))

    def loss_ratio(self, depth: int) -> Seeds:
        better, worse = self.ends(depth, "clean_loss")
        return Seeds(np.log(worse / better))


def improved(*depths: int) -> dict[str, Part]:
    """The parts of a claim that an edit improves accuracy and clean loss at these depths. Ratios are skewed: a seed
    that gains twice as much would widen the interval on both sides; their logarithms are not."""
    ratios = {"log accuracy ratio": Compared.accuracy_ratio, "log loss ratio": Compared.loss_ratio}
    return {
        f"L = {depth}, {name}": Part(partial(read, depth=depth), at_least(0.0, over_seeds=True))
        for depth in depths
        for name, read in ratios.items()
    }


def draw_depths(runs: Runs, optimizer: str) -> Artefact:
    shown = runs.group("depth")
    figure, axes = new_figure(2, len(shown), squeeze=False)
    table, ends = {}, []
    for column, run in enumerate(shown.values()):
        name = f"L = {run.config.depth}"
        labels = {"full": "full model", "dropped": "last MLP dropped"}
        labels["truncated"] = f"its U_in cut to rank {run.config.rank}"
        for ax, what in zip(axes[:, column], ("accuracy", "clean_loss"), strict=True):
            title = what.replace("_", " ")
            for (edit, label), colour in zip(labels.items(), CYCLE, strict=False):
                steps, values = table[f"{name}, {label}: {title}"] = run.curve(f"{edit}.{what}", phase=1)
                band(ax, steps, values, label, color=colour)
            ax.set(xlabel="step", ylabel=title, title=name)
        ceiling(axes[0, column], 1.0, "ceiling")
        axes[0, column].set_ylim(-0.02, 1.05)
        accuracies = (f"{settled(run, f'{edit}.accuracy', LAST).mean():.2f} {label}" for edit, label in labels.items())
        ends.append(f"{name}: {', '.join(accuracies)}")
    legend(axes[1, 0], fontsize=7)
    config = next(iter(shown.values())).config
    caption = (
        f"Synthetic IOI trained by {optimizer}: accuracy and loss on clean data for the full model and with the last "
        f"MLP cut. The answer is determined by the context, so the ceiling is 1; a coin between the two names gives "
        f"0.5. Over the last half of the steps: {'; '.join(ends)}. N = {config.task.symbols}, "
        f"T = {config.task.length}, d = {config.model.width}, batch {config.batch}, α = {config.task.alpha:g}, "
        f"{len(config.seeds)} seeds (mean and one standard deviation)."
    )
    return Artefact(figure, long_table(table), caption)
