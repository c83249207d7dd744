"""Where a drawing's numbers stand in its picture, so that a page can say them under the pointer."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lemmata.report.figure import footed
from lemmata.report.page_entry import Footer

MOST_OF_A_LINE = 200
MOST_POINTS = 6_000


def points(figure: Figure, footer: Footer) -> list[list[Any]]:
    """[x, y, words]: how far from the left and from the top, as shares of the saved picture, and what stands there."""
    with footed(figure, footer) as box:
        figure.canvas.draw()
        found = [point for ax in figure.axes if ax.get_visible() for point in _of(ax)]
        shares = [((x / figure.dpi - box.x0) / box.width, (box.y1 - y / figure.dpi) / box.height) for x, y, _ in found]
    labelled = [[round(x, 4), round(y, 4), words] for (x, y), (_, _, words) in zip(shares, found, strict=True)]
    return labelled[:: 1 + len(labelled) // MOST_POINTS]


def _of(ax: Axes) -> Iterator[tuple[float, float, str]]:
    """Every point of every line and cloud that lies within the axes, in pixels from the lower left."""
    title = ax.get_title() or ax.get_title("left") or "y"
    names = [axis.get_label_text() or name for axis, name in ((ax.xaxis, "x"), (ax.yaxis, title))]
    for label, values in _series(ax):
        if values.ndim != 2 or not np.issubdtype(values.dtype, np.number):
            continue
        values = values[np.isfinite(values.astype(float)).all(axis=1)]
        values = values[:: 1 + len(values) // MOST_OF_A_LINE]
        with np.errstate(all="ignore"):  # zero on a logarithmic axis lies nowhere
            places = ax.transData.transform(values.astype(float)) if len(values) else values
        for (x, y), place in zip(values, places, strict=True):
            if np.isfinite(place).all() and ax.bbox.contains(*place):
                words = f"{names[0]} {x:.4g}, {names[1]} {y:.4g}"
                yield float(place[0]), float(place[1]), words if label.startswith("_") else f"{label}: {words}"


def _series(ax: Axes) -> Iterator[tuple[str, np.ndarray]]:
    for line in ax.lines:
        if line.get_visible() and line.get_transform().contains_branch(ax.transData):
            yield str(line.get_label()), np.asarray(line.get_xydata())
    for cloud in ax.collections:
        if hasattr(cloud, "get_sizes") and len(offsets := np.ma.getdata(cloud.get_offsets())) > 1:
            yield str(cloud.get_label()), offsets
