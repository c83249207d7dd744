"""Powers at the ticks as plain text, 2×10⁻³: setting each as a formula took a sixth of the drawing."""

import re
from typing import TypeGuard

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import Formatter, LogFormatterSciNotation, LogLocator, MaxNLocator, StrMethodFormatter

POWER = re.compile(r"\$\\mathdefault\{(-?)(?:([\d.]+)\\times)?(\d+)\^\{(-?\d+)\}\}\$")
LITTLE = 60  # the ends of an axis: over more, decades alone are named
FEW = 2.5  # over less, as on an axis that is not logarithmic
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class PlainPowers(LogFormatterSciNotation):
    def __call__(self, x: float, pos: int | None = None) -> str:
        return plain_power(super().__call__(x, pos))


def plain_power(text: str) -> str:
    """A power as a formula, without the formula; any other text as it is."""
    found = POWER.fullmatch(text)
    if found is None:
        return text
    sign, times, base, exponent = found.groups()
    return f"{sign and '−'}{times + '×' if times else ''}{base}{exponent.translate(RAISED)}"


def with_plain_powers(figure: Figure) -> None:
    """On every logarithmic axis whose ticks nobody has named otherwise."""
    axes: list[Axis] = [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]
    for axis in axes:
        base = getattr(axis.get_transform(), "base", 10)
        if _is_default(major := axis.get_major_formatter()):
            axis.set_major_formatter(PlainPowers(base, labelOnlyBase=major.labelOnlyBase))
        if _is_default(minor := axis.get_minor_formatter()):
            if base == 10 and type(axis.get_minor_locator()) is LogLocator and _spans_little(axis):
                low, high = sorted(axis.get_view_interval())
                if high < FEW * low:  # nothing round lies between
                    axis.set_minor_locator(MaxNLocator(4))
                    axis.set_minor_formatter(StrMethodFormatter("{x:g}"))
                    continue
                axis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))  # names of all nine would run into each other
                axis.set_minor_formatter(PlainPowers(base, minor_thresholds=(2, 2)))
                continue
            axis.set_minor_formatter(PlainPowers(base, labelOnlyBase=minor.labelOnlyBase))


def _spans_little(axis: Axis) -> bool:
    low, high = sorted(axis.get_view_interval())
    return bool(0 < low < high < LITTLE * low)


def _is_default(formatter: Formatter) -> TypeGuard[LogFormatterSciNotation]:
    return type(formatter) is LogFormatterSciNotation
