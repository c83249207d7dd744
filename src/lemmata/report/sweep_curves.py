"""A sweep over numbers as curves: what was measured, what the rule wants of it, and each verdict as a mark."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lemmata.record import Element, PartRecord
from lemmata.record.cell import Judged
from lemmata.report.plots import new_figure
from lemmata.report.statuses import LOOKS, STATUSES
from lemmata.report.style import CYCLE, GREY, styled

PANELS, COLUMNS = 12, 3
CURVES = len(CYCLE)
WIDE = 100.0  # values whose largest is so many times the smallest are shown by their logarithms
MARKS = {"holds": "o", "erratum": "s", "undecided": "D", "fails": "X"}


@dataclass(frozen=True)
class Point:
    """One cell's number: the element of a part that decides."""

    x: float
    part: PartRecord
    element: Element
    status: str  # of the part, or that the printed form is wrong

    @property
    def predicted(self) -> float | None:
        one = self.element
        found = one.corrected if one.corrected is not None and self.status == "erratum" else one.predicted
        return found if _is_number(found) else None

    @property
    def wanted(self) -> tuple[float, float] | None:
        """From where to where the rule wants it; infinite at a side: any."""
        if self.predicted is None or not self.part.allowance:
            return None
        absolute, relative = self.part.allowance
        room = absolute + relative * abs(self.predicted)
        low = -math.inf if self.part.asks.startswith("<=") else self.predicted - room
        return low, math.inf if self.part.asks.startswith(">=") else self.predicted + room


def curves_figure(cells: Sequence[Judged], axes: Mapping[str, Sequence[str]]) -> Figure | None:
    """A panel a number, a curve a value of the second key. None where no key is of numbers, or nothing measured is."""
    long = {key: list(values) for key, values in axes.items() if len(values) > 1}
    numeric = [key for key, values in long.items() if None not in map(_number, values)]
    if not numeric or len(long) > 2:
        return None
    across = max(numeric, key=lambda key: len(long[key]))
    beside = next((key for key in long if key != across), "")
    curves = long.get(beside, [""])
    panels = _panels(cells, across, beside)
    if not panels or len(curves) > CURVES:
        return None
    columns = min(COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    figure, places = new_figure(lines, columns, squeeze=False)
    with styled():
        for panel in places.flat[len(panels) :]:
            panel.set_visible(False)
        for (name, found), panel in zip(panels.items(), places.flat, strict=False):
            for curve, colour in zip(curves, CYCLE, strict=False):
                _draw(panel, sorted(found.get(curve, []), key=lambda one: one.x), colour)
            panel.set(title=name, xlabel=across, ylabel="measured")
            _scales(panel, [one for points in found.values() for one in points])
        statuses = {one.status for found in panels.values() for points in found.values() for one in points}
        handles = [
            Line2D([], [], linestyle="", marker=MARKS[one], color=GREY, label=one)
            for one in STATUSES
            if one in statuses
        ]
        if beside:
            named = zip(curves, CYCLE, strict=False)
            handles = [Line2D([], [], color=colour, label=f"{beside} = {one}") for one, colour in named] + handles
        handles.append(Line2D([], [], color=GREY, linestyle="--", label="predicted, or the rule's bound"))
        figure.legend(handles=handles, loc="outside upper left", ncols=min(4, len(handles)))
    return figure


def _panels(cells: Sequence[Judged], across: str, beside: str) -> dict[str, dict[str, list[Point]]]:
    """Numbers by claim and part, then by the second key's value."""
    found: dict[str, dict[str, list[Point]]] = {}
    for cell in cells:
        for id, record in cell.records.items():
            for part in record.evidence:
                if part.elements and _is_number(part.elements[0].measured):
                    name = f"{id.partition('/')[2]}: {part.part}" if part.part else id.partition("/")[2]
                    curve = cell.cell.values.get(beside, "")
                    status = "erratum" if record.status == "erratum" else part.status
                    point = Point(float(cell.cell.values[across]), part, part.elements[0], status)
                    found.setdefault(name, {}).setdefault(curve, []).append(point)
    several = {name: one for name, one in found.items() if max(map(len, one.values())) > 1}
    return dict(list(several.items())[:PANELS])


def _draw(panel: Axes, points: Sequence[Point], colour: str) -> None:
    x, y = [one.x for one in points], [one.element.measured for one in points]
    panel.plot(x, y, color=colour, linewidth=1.4)
    for one in points:
        if one.element.low is not None and one.element.high is not None:
            panel.plot([one.x] * 2, [one.element.low, one.element.high], color=colour, linewidth=3, alpha=0.3)
        mark = MARKS.get(one.status, ".")
        panel.plot(
            [one.x],
            [one.element.measured],
            marker=mark,
            markersize=6,
            color=colour,
            markeredgecolor=LOOKS["fails"].hue if one.status == "fails" else colour,
        )
    predicted = [(one.x, one.predicted, one.wanted) for one in points if one.predicted is not None]
    if not predicted:
        return
    panel.plot([x for x, _, _ in predicted], [y for _, y, _ in predicted], color=GREY, linestyle="--", linewidth=1)
    bands = [(x, *wanted) for x, _, wanted in predicted if wanted and math.inf not in map(abs, wanted)]
    if len(bands) == len(predicted):
        x, low, high = (list(column) for column in zip(*bands, strict=True))
        panel.fill_between(x, low, high, color=GREY, alpha=0.15, linewidth=0)


def _scales(panel: Axes, points: Sequence[Point]) -> None:
    for values, scale in (
        ([one.x for one in points], panel.set_xscale),
        ([one.element.measured for one in points], panel.set_yscale),
    ):
        if min(values) > 0 and max(values) / min(values) >= WIDE:
            scale("log")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
