"""What Figures 19 and 20 share: the runs by depth, the gain of cutting the last MLP, the drawing."""

from typing import NamedTuple

from lemmata.core import Artefact, Part, RunResult, Runs, Scale, at_least
from lemmata.papers.association.claims._drawing import long_table
from lemmata.papers.association.model import TransformerConfig
from lemmata.papers.association.probe.readings import at_end
from lemmata.papers.association.run.ioi_training import IOITraining
from lemmata.papers.association.task import IOIConfig
from lemmata.report.plots import CYCLE, band, ceiling, legend, new_figure
from lemmata.train import OptimizerConfig

DEPTHS = (3, 4, 5)


def ioi_runs(scale: Scale, optimizer: OptimizerConfig) -> dict[str, IOITraining]:
    depths = scale.pick(smoke=DEPTHS[:1], laptop=DEPTHS, paper=DEPTHS)
    return {f"depth/{depth}": ioi_training(scale, depth, optimizer) for depth in depths}


def ioi_training(scale: Scale, depth: int, optimizer: OptimizerConfig) -> IOITraining:
    task = IOIConfig(symbols=scale.pick(smoke=6, laptop=8, paper=65), length=scale.pick(smoke=10, laptop=12, paper=256))
    model = TransformerConfig(
        vocab=task.vocab,
        length=task.length,
        width=scale.pick(smoke=16, laptop=48, paper=256),
        feeds=("mlp",) * depth,
        precision=scale.pick(smoke="float32", laptop="float32", paper="tensorfloat32"),
    )
    return IOITraining(
        task=task,
        model=model,
        optimizer=optimizer,
        batch=scale.pick(smoke=8, laptop=32, paper=512),
        steps=scale.pick(smoke=10, laptop=1500, paper=4000),
        every=scale.pick(smoke=5, laptop=50, paper=50),
        test_sequences=scale.pick(smoke=32, laptop=256, paper=512),
        seeds=scale.seeds(smoke=2, laptop=3, paper=1),
    )


class Compared(NamedTuple):
    """The edit of each depth's model that is said to be better, and the one said to be worse."""

    runs: Runs
    better: str
    worse: str

    def accuracy_ratio(self, depth: int) -> float:
        worse = max(self._end(depth, f"{self.worse}.accuracy"), 1e-6)
        return self._end(depth, f"{self.better}.accuracy") / worse

    def loss_ratio(self, depth: int) -> float:
        return self._end(depth, f"{self.worse}.clean_loss") / self._end(depth, f"{self.better}.clean_loss")

    def _end(self, depth: int, column: str) -> float:
        return float(at_end(self.runs[f"depth/{depth}"], column).mean())


def improved(*depths: int) -> dict[str, Part]:
    """The parts of a claim that an edit improves accuracy and clean loss at these depths."""
    parts = {}
    for depth in depths:
        accuracy = Part(lambda compared, depth=depth: compared.accuracy_ratio(depth), at_least(1.0))
        loss = Part(lambda compared, depth=depth: compared.loss_ratio(depth), at_least(1.0))
        parts |= {f"L = {depth}, accuracy ratio": accuracy, f"L = {depth}, loss ratio": loss}
    return parts


def draw_depths(runs: Runs, optimizer: str) -> Artefact:
    shown = runs.group("depth")
    figure, axes = new_figure(2, len(shown), squeeze=False)
    table = {}
    for column, run in enumerate(shown.values()):
        name = f"L = {run.config.depth}"
        for row, (what, title) in enumerate((("accuracy", "accuracy"), ("clean_loss", "clean loss"))):
            ax = axes[row, column]
            for (edit, label), colour in zip(_labels(run).items(), CYCLE, strict=False):
                steps, values = table[f"{name}, {label}: {title}"] = run.curve(f"{edit}.{what}", phase=1)
                band(ax, steps, values, label, color=colour)
            ax.set(xlabel="step", ylabel=title, title=name)
        ceiling(axes[0, column], 1.0, "ceiling")
        axes[0, column].set_ylim(-0.02, 1.05)
    legend(axes[1, 0], fontsize=7)
    config = next(iter(shown.values())).config
    ends = "; ".join(f"L = {run.config.depth}: {_accuracies(run)}" for run in shown.values())
    caption = (
        f"Synthetic IOI trained by {optimizer}: accuracy and loss on clean data for the full model and with the last "
        f"MLP cut. The answer is determined by the context, so the ceiling is 1; a coin between the two names gives "
        f"0.5. At the end: {ends}. N = {config.task.symbols}, T = {config.task.length}, d = {config.model.width}, "
        f"batch {config.batch}, α = {config.task.alpha:g}, {len(config.seeds)} seeds (mean and one standard deviation)."
    )
    return Artefact(figure, long_table(table), caption)


def _labels(run: RunResult) -> dict[str, str]:
    return {"full": "full model", "dropped": "last MLP dropped", "truncated": f"its U_in cut to rank {run.config.rank}"}


def _accuracies(run: RunResult) -> str:
    return ", ".join(f"{at_end(run, f'{edit}.accuracy').mean():.2f} {label}" for edit, label in _labels(run).items())
