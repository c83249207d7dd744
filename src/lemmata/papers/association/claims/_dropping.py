"""The drawing of Figures 10, 11 and 12: the full model and those without a feed-forward layer, along training."""

from lemmata.core import Artefact, RunResult
from lemmata.papers.association.claims._drawing import ANSWERS, long_table, setting
from lemmata.report.plots import CYCLE, band, ceiling, legend, new_figure

EDITS = {"full": "full model", "without_F2": "without F₂", "without_F1": "without F₁"}


def draw_dropping(run: RunResult, title: str) -> Artefact:
    figure, axes = new_figure(1, 3)
    present = {name: label for name, label in EDITS.items() if f"{name}.correct" in run.metrics}
    table = {}
    for ax, (answer, panel) in zip(axes, ANSWERS.items(), strict=True):
        for (name, label), colour in zip(present.items(), CYCLE, strict=False):
            steps, values = table[f"{label}: {answer}"] = run.curve(f"{name}.{answer}", phase=1)
            band(ax, steps, values, label, color=colour)
        ax.set(xlabel="step", title=panel)
    ceiling(axes[1], run.config.task.alpha, f"α = {run.config.task.alpha:g}")
    for ax in axes[:2]:
        ax.set_ylim(-0.02, 1.02)
    legend(axes[0])
    caption = f"{title}, on clean test data; the answer has been shown, so the ceiling of the correct token is 1. "
    return Artefact(figure, long_table(table), caption + setting(run))
