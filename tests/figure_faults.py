"""What is wrong with a figure as it is laid out for saving: what a reader would trip over before its numbers."""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from lemmata.core import Runs, Scale
from lemmata.core.registry import select
from lemmata.record import ExperimentResult
from lemmata.report.figure import FOOTER_POINTS, draw, footed
from lemmata.report.page_entry import footer_of
from lemmata.report.style import GREY
from lemmata.run import Store

SHARE = re.compile(r"\b(?:share|probability|accuracy|fraction|frequency|attention)\b", re.IGNORECASE)
TOUCH = 1.0  # pixels at 100 dots an inch: what fonts leave blank around their letters
HIDDEN = 0.02  # of a curve's points: what may lie behind a legend
ROOM = 1e-6  # of a share's range: rounding


def drawn_faults(experiment: str, store: Store) -> list[str]:
    """Of an experiment's drawing at smoke scale, from its stored runs."""
    (selection,), scale = select([experiment]), Scale("smoke")
    runs = {name: store.load(config) for name, config in selection.experiment.runs(scale).items()}
    figure = draw(result := ExperimentResult(selection, Runs(runs, scale), ())).figure
    if figure is None:
        return []
    with footed(figure, footer_of(result, f"lemmata check {experiment}")):
        return list(faults(figure))


def faults(figure: Figure) -> Iterator[str]:
    """One line a fault of a figure that is laid out."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()  # legends find their places
    yield from _texts_over_texts(figure, renderer)
    yield from _texts_cut(figure, renderer)
    for name, ax in _panels(figure):
        found = [*_legend_over_data(ax, renderer), *_twice(ax), *_without_label(ax), *_outside_a_share(ax)]
        yield from (f"{name}: {fault}" for fault in found)


def _panels(figure: Figure) -> list[tuple[str, Axes]]:
    """Axes with something on them, named by their title or their place."""
    shown = [ax for ax in figure.axes if ax.get_visible() and ax.axison and ax.has_data()]
    return [(_title(ax) or f"panel {place}", ax) for place, ax in enumerate(shown, 1)]


def _title(ax: Axes) -> str:
    return next((text for loc in ("left", "center", "right") if (text := ax.get_title(loc))), "")


def _seen(figure: Figure, renderer: Any) -> list[tuple[Text, Bbox]]:
    """Every text that is drawn, with its box. Tick labels outside their axis' view are not."""
    found = []
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        is_footer = text.get_fontsize() == FOOTER_POINTS and text.get_color() == GREY
        if text.get_visible() and text.get_text().strip() and text.get_alpha() != 0 and not is_footer:
            found.append(text)
    ticks, drawn = _tick_texts(figure), []
    for text in found:
        if id(text) in ticks and not ticks[id(text)]:
            continue
        if (axes := getattr(text, "axes", None)) is not None and not axes.get_visible():
            continue
        box = text.get_window_extent(renderer)
        if box.width > 0 and box.height > 0:
            drawn.append((text, box))
    return drawn


def _tick_texts(figure: Figure) -> dict[int, bool]:
    """Tick labels by identity: whether each is drawn."""
    drawn: dict[int, bool] = {}
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            shown = {id(tick) for tick in axis._update_ticks()} if ax.axison and ax.get_visible() else set()
            for tick in (*axis.majorTicks, *axis.minorTicks):
                for label in (tick.label1, tick.label2):
                    drawn[id(label)] = id(tick) in shown and label.get_visible()
            drawn[id(axis.offsetText)] = ax.axison and ax.get_visible()
            drawn[id(axis.label)] = ax.axison and ax.get_visible()
    return drawn


def _texts_over_texts(figure: Figure, renderer: Any) -> Iterator[str]:
    for (one, box), (other, beside) in itertools.combinations(_seen(figure, renderer), 2):
        over = Bbox.intersection(box, beside)
        if over is not None and over.width > TOUCH and over.height > TOUCH + 1 and not _apart(one, other):
            yield f"{_words(one)} over {_words(other)}"


def _apart(one: Text, other: Text) -> bool:
    """Turned texts have boxes larger than themselves."""
    return any(text.get_rotation() % 90 for text in (one, other))


def _words(text: Text) -> str:
    return repr(text.get_text()[:40])


def _texts_cut(figure: Figure, renderer: Any) -> Iterator[str]:
    """Titles and labels longer than what they name: what is saved is as wide as they are, so the panels shrink."""
    width, height = figure.bbox.width, figure.bbox.height
    for text, box in _seen(figure, renderer):
        if box.x0 < -0.03 * width or box.x1 > 1.03 * width or box.y1 > 1.03 * height or box.y0 < -0.03 * height:
            yield f"{_words(text)} is cut: it leaves the figure"
        elif text.get_text().rstrip().endswith(":"):
            yield f"{_words(text)} stops at a colon"
    for name, ax in _panels(figure):
        for axis, side in ((ax.xaxis, "width"), (ax.yaxis, "height")):
            if axis.label.get_text() and getattr(axis.label.get_window_extent(renderer), side) > 1.25 * getattr(
                ax.bbox, side
            ):
                yield f"{name}: {_words(axis.label)} is longer than its axis"


def _legend_over_data(ax: Axes, renderer: Any) -> Iterator[str]:
    legend = ax.get_legend()
    if legend is None or not legend.get_visible():
        return
    box = legend.get_window_extent(renderer).padded(-3)  # its rim is empty
    for line in _lines(ax):
        points = line.get_transform().transform(np.column_stack(line.get_data(orig=False)).astype(float))
        points = _dense(points) if _is_solid(line) else points[np.isfinite(points).all(axis=1)]
        inside = _within(points, ax.bbox)
        if len(inside) and (share := len(_within(inside, box)) / len(inside)) > HIDDEN:
            yield f"legend over {share:.0%} of {str(line.get_label())[:30]!r}"
    for dots in (one for one in ax.collections if isinstance(one, PathCollection) and one.get_visible()):
        points = _within(dots.get_offset_transform().transform(np.ma.filled(dots.get_offsets(), np.nan)), ax.bbox)
        if len(points) and (share := len(_within(points, box)) / len(points)) > HIDDEN:
            yield f"legend over {share:.0%} of {str(dots.get_label())[:30]!r}"
    for shape in (*(one for one in ax.patches if isinstance(one, Rectangle)), *ax.images):
        shown = Bbox.intersection(ax.bbox, shape.get_window_extent(renderer)) if shape.get_visible() else None
        over = None if shown is None else Bbox.intersection(box, shown)
        if over is not None and over.width * over.height > HIDDEN * box.width * box.height:
            yield f"legend over {'an image' if shape in ax.images else 'a bar'}"


def _lines(ax: Axes) -> list[Line2D]:
    """Curves and dots of data: lines across the axes are none."""
    return [line for line in ax.lines if line.get_visible() and line.get_transform() == ax.transData]


def _is_solid(line: Line2D) -> bool:
    return line.get_linestyle() not in ("None", "none", "", " ")


def _dense(points: np.ndarray) -> np.ndarray:
    """A curve's own points and, between them, points a few pixels apart."""
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) < 2 or len(points) > 400:
        return points
    pieces = [np.linspace(a, b, 12, endpoint=False) for a, b in itertools.pairwise(points)]
    return np.concatenate([*pieces, points[-1:]])


def _within(points: np.ndarray, box: Bbox) -> np.ndarray:
    (left, low), (right, high) = box.get_points()
    return points[(points[:, 0] > left) & (points[:, 0] < right) & (points[:, 1] > low) & (points[:, 1] < high)]


def _twice(ax: Axes) -> Iterator[str]:
    """Named curves that look the same: colour, dashes, marker and what fills it."""
    looks: dict[Any, list[str]] = defaultdict(list)
    for line in ax.lines:
        label = str(line.get_label())
        if not label.startswith("_") and line.get_visible():
            dashes = str(line.get_linestyle()) + str(getattr(line, "_dash_pattern", ""))
            solid = _is_solid(line)
            look = (
                to_hex(line.get_color()),
                dashes if solid else "",
                str(line.get_marker()),
                round(line.get_linewidth(), 1) if solid else 0,
                to_hex(line.get_markerfacecolor(), keep_alpha=False) if line.get_markerfacecolor() != "none" else "",
                line.get_alpha() or 1,
            )
            looks[look].append(label)
    for names in looks.values():
        if len(set(names)) > 1:
            yield f"{', '.join(map(repr, sorted(set(names))))} look the same"


def _without_label(ax: Axes) -> Iterator[str]:
    """Axes whose ticks are numbers and that nothing names: a label, a label of shared axes, a figure's."""
    figure = ax.get_figure(root=True)
    for which, axis, group in (("x", ax.xaxis, ax.get_shared_x_axes()), ("y", ax.yaxis, ax.get_shared_y_axes())):
        shared = group.get_siblings(ax)
        names = [getattr(one, f"get_{which}label")() for one in shared]
        above = getattr(figure, f"_sup{which}label", None)
        ticks = [label.get_text() for label in axis.get_ticklabels() if label.get_visible() and label.get_text()]
        if which == "y" and any(
            _title(one) for one in (*shared, *_bar_of(ax))
        ):  # a title above an axis names it as well
            continue
        if any(names) or (above is not None and above.get_text()) or not any(map(_is_number, ticks)):
            continue
        yield f"its {which} axis has no label"


def _bar_of(ax: Axes) -> list[Axes]:
    """The panel whose colours a colour bar names."""
    return [one.axes for one in (getattr(getattr(ax, "_colorbar", None), "mappable", None),) if one is not None]


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[−-]?[\d.,]+(?:×?10.*|e.*|%)?", text.strip("$ ")) is not None


def _outside_a_share(ax: Axes) -> Iterator[str]:
    """Bands and bars of a share that leave the range from 0 to 1."""
    words = ax.get_ylabel()
    if not SHARE.search(words) or re.search(r"\bof\b.*\bas\b|log|error|differ|gap|ratio|minus| − |/ ", words):
        return
    for filled in (one for one in ax.collections if isinstance(one, PolyCollection)):
        for low, high in _reach(filled.get_paths()):
            if low < -ROOM or high > 1 + ROOM:
                yield f"a band of {words!r} from {low:.3g} to {high:.3g}"
    for bars in ax.containers:
        for barlines in getattr(bars, "lines", (None, None, ()))[2] if hasattr(bars, "lines") else ():
            for low, high in _reach(barlines.get_paths()):
                if low < -ROOM or high > 1 + ROOM:
                    yield f"an interval of {words!r} from {low:.3g} to {high:.3g}"


def _reach(paths: Iterable[Any]) -> Iterator[tuple[float, float]]:
    for path in paths:
        values = np.asarray(path.vertices)[:, 1]
        values = values[np.isfinite(values)]
        if len(values):
            yield float(values.min()), float(values.max())
