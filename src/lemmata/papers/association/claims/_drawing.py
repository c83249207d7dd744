"""What the figures of the training runs share: their setting in words, matrices, and the tables beneath them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from lemmata.core import Artefact, RunResult
from lemmata.report.plots import CYCLE, DIVERGING, band, ceiling, columns, legend, legend_below, long_table, new_figure

FEW = 2  # curves: the names of more would cover some
Curve = tuple[Any, Any]  # places, and values as [seed, place]
ANSWERS = {"correct": "probability of the correct token", "noise": "probability of noise", "clean_loss": "clean loss"}


def setting(run: RunResult) -> str:
    config = run.config
    task, seeds = config.task, len(config.seeds)
    spread = f"Mean and one standard deviation of {seeds} seeds." if seeds > 1 else "One seed."
    return (
        f"N = {task.symbols}, T = {task.length}, d = {config.model.width}, batch {config.batch}, "
        f"α = {task.alpha:g}. {spread}"
    )


def matrix_panel(ax: Axes, matrix: np.ndarray, title: str, xlabel: str, ylabel: str, cmap: str = DIVERGING) -> None:
    top = float(np.abs(matrix).max())
    image = ax.imshow(matrix, cmap=cmap, vmin=-top if cmap == DIVERGING else 0, vmax=top, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, shrink=0.8)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(False)


def entries(named: dict[str, np.ndarray]) -> dict[str, Any]:
    """Matrices as a table of name, row, column and value."""
    rows = [
        {"matrix": name, "row": row, "column": column, "value": float(value)}
        for name, matrix in named.items()
        for (row, column), value in np.ndenumerate(matrix)
    ]
    return columns(rows)


def draw_curves(
    curves: Mapping[str, Curve], caption: str, *, at: Sequence[float] = (), marker: str = "", **axes: Any
) -> Artefact:
    """Means over seeds with one standard deviation, in one panel; dashed lines at some heights."""
    figure, ax = new_figure()
    for (label, curve), colour in zip(curves.items(), CYCLE, strict=False):
        band(ax, *curve, label, color=colour, marker=marker)
    for height in at:
        ceiling(ax, height)
    ax.set(**axes)
    (legend_below if len(curves) > FEW else legend)(ax)
    return Artefact(figure, long_table(curves, axes["xlabel"]), f"{caption} Mean and one standard deviation.")


def draw_dropping(run: RunResult, title: str) -> Artefact:
    """Figures 10, 11 and 12: the full model and those without a feed-forward layer, along training."""
    figure, axes = new_figure(1, 3)
    edits = {"full": "full model", "without_F2": "without F₂", "without_F1": "without F₁"}
    present = {name: label for name, label in edits.items() if f"{name}.correct" in run.metrics}
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
