"""What a reader would trip over in a figure is found; a figure without it passes."""

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes

from figure_faults import faults
from lemmata.report.plots import band, legend, legend_below, new_figure
from lemmata.report.style import styled


def drawn(change: Callable[[Axes], object]) -> list[str]:
    figure, ax = new_figure()
    x = np.linspace(0.0, 1.0, 20)
    band(ax, x, np.stack([x**2, x**4]), "falls", color="C0")
    band(ax, x, 1 - np.stack([x**2, x**4]), "rises", color="C1")
    ax.set(xlabel="step", ylabel="share", ylim=(-0.1, 1.1))
    with styled():
        change(ax)
    layout = figure.get_layout_engine()
    assert layout is not None
    layout.execute(figure)
    return list(faults(figure))


def same_looks(ax: Axes) -> None:
    for line in ax.lines:
        line.set(color="C0", linestyle="-")


CHANGES: dict[str, tuple[Callable[[Axes], object], str]] = {
    "nothing": (legend_below, ""),
    "a legend in the way": (lambda ax: legend(ax, loc="center", bbox_to_anchor=(0.78, 0.5)), "legend over"),
    "no name": (lambda ax: ax.set_xlabel(""), "its x axis has no label"),
    "words twice": (lambda ax: [ax.text(0.5, 0.5, word) for word in ("one", "other")], "'one' over 'other'"),
    "a long title": (lambda ax: ax.set_title("as many words as will not do " * 4), "is cut"),
    "a colon": (lambda ax: ax.set_title("trained:"), "stops at a colon"),
    "one colour": (same_looks, "look the same"),
    "past 1": (lambda ax: ax.fill_between([0, 1], 0.5, 1.2), "a band of 'share'"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_faults(name: str) -> None:
    change, said = CHANGES[name]
    found = drawn(change)
    assert any(said in fault for fault in found) if said else found == []


def test_a_band_ends_where_the_seeds_do() -> None:
    _, ax = new_figure()
    band(ax, [0.0, 1.0], [[1.0, 0.0], [1.0, 0.0], [0.0, np.nan]])
    heights = np.asarray(ax.collections[0].get_paths()[0].vertices)[:, 1]
    assert heights.min() >= 0.0
    assert heights.max() == 1.0
