"""Drawing helpers for the papers' figures: they make and fill matplotlib figures, never through pyplot."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from lemmata.report.style import (
    COLOURS as COLOURS,
    CYCLE as CYCLE,
    DIVERGING as DIVERGING,
    GREY as GREY,
    HEAT as HEAT,
    styled,
)

PANEL_WIDTH, PANEL_HEIGHT = 4.2, 3.1  # inches
BENEATH = 34  # points: the ticks' names and the axis' label


def new_figure(
    rows: int = 1, cols: int = 1, *, width: float | None = None, height: float | None = None, **subplots_kw: Any
) -> tuple[Figure, Any]:
    """A figure in the project's style, and its axes: one `Axes`, or an array of them as `Figure.subplots` gives.

    `width` and `height` are of the whole figure, in inches; other keywords go to `Figure.subplots`.
    """
    size = (width or PANEL_WIDTH * cols, height or PANEL_HEIGHT * rows)
    with styled():
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, cols, **subplots_kw)
    return figure, axes


def band(ax: Axes, x: Any, values: Any, label: str | None = None, color: str | None = None, **line_kw: Any) -> Line2D:
    """The mean over seeds of `values[seed, x]` as a line, and one standard deviation either side as a band, no further
    than the seeds themselves: that of a share stays a share.

    NaNs (a seed without a value there) are left out of both.
    """
    x, values = np.asarray(x, float), np.atleast_2d(np.asarray(values, float))
    if values.shape[1:] != x.shape:
        raise ValueError(f"values are [seed, x]: shape {values.shape} does not fit x of shape {x.shape}")
    seen = np.isfinite(values)
    count = np.maximum(seen.sum(axis=0), 1)
    mean = np.where(seen, values, 0.0).sum(axis=0) / count
    std = np.sqrt(np.where(seen, (values - mean) ** 2, 0.0).sum(axis=0) / count)
    mean = np.where(seen.any(axis=0), mean, np.nan)
    (line,) = ax.plot(x, mean, label=label, color=color, **{"linewidth": 1.6, **line_kw})
    if len(values) > 1:
        low = np.maximum(mean - std, np.where(seen, values, np.inf).min(axis=0))
        high = np.minimum(mean + std, np.where(seen, values, -np.inf).max(axis=0))
        ax.fill_between(x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    return line


def ceiling(ax: Axes, y: float, label: str | None = None, color: str = GREY) -> Line2D:
    """A dashed line across the axes: the best possible value, a threshold, a predicted constant."""
    return ax.axhline(float(y), color=color, linestyle=(0, (4, 3)), linewidth=1.1, label=label, zorder=1.5)


def heatmap(
    ax: Axes,
    matrix: Any,
    xlabels: Sequence[Any] | None = None,
    ylabels: Sequence[Any] | None = None,
    fmt: str = ".2f",
    *,
    cmap: str = HEAT,
    vmin: float | None = None,
    vmax: float | None = None,
) -> AxesImage:
    """A matrix as coloured cells with their values written in; `fmt=""` leaves the values out.

    Row 0 is on top, as matrices are printed.
    """
    matrix = np.asarray(matrix, float)
    norm = Normalize(
        float(np.nanmin(matrix)) if vmin is None else vmin, float(np.nanmax(matrix)) if vmax is None else vmax
    )
    image = ax.imshow(matrix, cmap=cmap, norm=norm, aspect="auto", interpolation="nearest")
    rows, cols = matrix.shape
    ax.set_xticks(range(cols), [str(i) for i in (range(cols) if xlabels is None else xlabels)])
    ax.set_yticks(range(rows), [str(i) for i in (range(rows) if ylabels is None else ylabels)])
    ax.grid(False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if fmt:
        colours = matplotlib.colormaps[cmap](norm(matrix))
        for row, col in np.ndindex(rows, cols):
            if np.isfinite(matrix[row, col]):
                red, green, blue, _ = colours[row, col]
                dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
                text = format(matrix[row, col], fmt)
                ink = "white" if dark else "#222222"
                ax.text(col, row, text, ha="center", va="center", color=ink, fontsize=8)
    return image


def legend(ax: Axes, **legend_kw: Any) -> None:
    """The axes' legend in the project's style (matplotlib styles a legend when it is made, not with its axes)."""
    with styled():
        ax.legend(**legend_kw)


def legend_below(ax: Axes, **legend_kw: Any) -> None:
    """The axes' legend beneath their label, over no data."""
    figure = ax.get_figure(root=True)
    assert figure is not None, "axes are drawn in a figure"
    beneath = ax.transAxes + ScaledTranslation(0, -BENEATH / 72, figure.dpi_scale_trans)
    at: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "bbox_transform": beneath, "fontsize": 7}
    legend(ax, **at | legend_kw)


def legend_beside(ax: Axes, **legend_kw: Any) -> None:
    """The axes' legend at the right of the whole figure, over no data."""
    with styled():
        figure = ax.get_figure(root=True)
        assert figure is not None, "axes are drawn in a figure"
        figure.legend(*ax.get_legend_handles_labels(), **{"loc": "outside right upper", "fontsize": 7} | legend_kw)


def panel_label(ax: Axes, letter: str) -> None:
    """A bold letter at the upper left, outside the axes, to refer to from the caption."""
    ax.annotate(
        letter,
        xy=(0, 1),
        xycoords="axes fraction",
        xytext=(-26, 8),
        textcoords="offset points",
        fontsize=11,
        fontweight="bold",
        ha="left",
        va="bottom",
    )


def letter(axes: Any) -> None:
    """Bold letters a, b, c, ... on panels in reading order."""
    for name, ax in zip("abcdefghijklmnopqrstuvwxyz", np.ravel(axes), strict=False):
        panel_label(ax, name)


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """A table's rows as the columns that an `Artefact` takes; a name that a row lacks is an empty cell there."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def joined(tables: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Tables one under another; a column that one of them lacks is empty there."""
    names = dict.fromkeys(name for table in tables for name in table)
    lengths = [len(next(iter(table.values()), ())) for table in tables]
    return {
        name: [item for table, length in zip(tables, lengths, strict=True) for item in table.get(name, [None] * length)]
        for name in names
    }


def long_table(curves: Mapping[str, tuple[Any, Any]], axis: str = "step") -> dict[str, list[Any]]:
    """Curves (places, values as [seed, place]) as a table: name, place, mean and standard deviation over seeds."""
    rows = []
    for name, (places, values) in curves.items():
        values = np.asarray(values, float)
        for place, mean, std in zip(np.asarray(places).tolist(), values.mean(axis=0), values.std(axis=0), strict=True):
            rows.append({"curve": name, axis: place, "mean": float(mean), "std": float(std)})
    return columns(rows)
