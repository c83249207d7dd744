"""One look for every figure: colour-blind-safe colours (Okabe and Ito, 2008), few lines, readable small type."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from cycler import cycler

COLOURS: dict[str, str] = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "vermillion": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "black": "#222222",
    "yellow": "#F0E442",
}
CYCLE: tuple[str, ...] = tuple(COLOURS[name] for name in ("blue", "vermillion", "green", "purple", "orange", "sky"))
GREY = "#6B7280"
HEAT = "cividis"  # perceptually uniform, the same order with and without colour vision
DIVERGING = "RdBu_r"

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelsize": 9.5,
    "axes.linewidth": 0.8,
    "axes.prop_cycle": cycler(color=CYCLE),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same glyphs on every machine
    "font.size": 9.5,
    "grid.color": "#E5E7EB",
    "grid.linewidth": 0.7,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.0,
    "mathtext.fontset": "dejavusans",
    "svg.fonttype": "path",
    "svg.hashsalt": "lemmata",  # element ids that do not change from one drawing to the next
    "xtick.color": GREY,
    "xtick.labelcolor": "#222222",
    "xtick.labelsize": 8.5,
    "ytick.color": GREY,
    "ytick.labelcolor": "#222222",
    "ytick.labelsize": 8.5,
}


@contextmanager
def styled() -> Iterator[Any]:
    """Matplotlib with the project's style inside the block, as it was before afterwards; gives its parameters."""
    parameters: Any = matplotlib.rcParams
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a user's matplotlibrc does not change our figures
        parameters.update(STYLE)
        yield parameters
