"""What figures of curves share: drawn, and kept for the table."""

from typing import Any

from lemmata.report.plots import band, legend, letter, long_table

SHARE = (-0.02, 1.02)  # the limits of an axis of shares


class Curves(dict[str, tuple[Any, Any]]):
    """Curves by name, (places, values as [seed, place]): drawn, and kept for the table."""

    def add(self, ax: Any, name: str, curve: tuple[Any, Any], label: str | None = None, **style: Any) -> None:
        self[name] = curve
        band(ax, *curve, label or name, **style)

    def table(self, axis: str) -> dict[str, list[Any]]:
        return long_table(self, axis)


def finish(axes: Any, **style: Any) -> None:
    """Letters and legends."""
    letter(axes)
    for ax in axes:
        legend(ax, **{"fontsize": 7.5} | style)
