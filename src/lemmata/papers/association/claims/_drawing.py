"""What the figures of the training runs share: their setting in words, matrices, and the tables beneath them."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from lemmata.core import RunResult
from lemmata.report.plots import DIVERGING

ANSWERS = {"correct": "probability of the correct token", "noise": "probability of noise", "clean_loss": "clean loss"}


def setting(run: RunResult) -> str:
    config = run.config
    task, seeds = config.task, len(config.seeds)
    spread = f"Mean and one standard deviation of {seeds} seeds." if seeds > 1 else "One seed."
    return (
        f"N = {task.symbols}, T = {task.length}, d = {config.model.width}, batch {config.batch}, "
        f"α = {task.alpha:g}. {spread}"
    )


def long_table(curves: dict[str, tuple[np.ndarray, np.ndarray]], axis: str = "step") -> dict[str, Any]:
    """Curves as a table of name, place on the axis, and mean and standard deviation over seeds."""
    table: dict[str, list[Any]] = {"curve": [], axis: [], "mean": [], "std": []}
    for name, (places, values) in curves.items():
        table["curve"] += [name] * len(places)
        table[axis] += np.asarray(places).tolist()
        table["mean"] += values.mean(axis=0).tolist()
        table["std"] += values.std(axis=0).tolist()
    return table


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
        (name, row, column, float(value))
        for name, matrix in named.items()
        for (row, column), value in np.ndenumerate(matrix)
    ]
    return dict(zip(("matrix", "row", "column", "value"), map(list, zip(*rows, strict=True)), strict=True))
