"""The warm-up trained, as several lemmas read it: its runs, and the panels of its escape from the saddle."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import RunResult, Scale, rows_of
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.run.warmup import WarmupEscape, WarmupStages
from lemmata.report import plots

EVERY = 5  # steps between two records of an escape
POSITIONS = ("s₁", "a₁", "s₂", "a₂", "s₃", "EoS")


def warmup_stages(scale: Scale) -> WarmupStages:
    return WarmupStages(
        temperatures=sizes.STAGE_TEMPERATURES.at(scale),
        seeds=sizes.seeds(sizes.STAGE_SEEDS, scale),
        steps1=sizes.STAGE_1_STEPS.at(scale),
        steps2=sizes.STAGE_2_STEPS.at(scale),
    )


def warmup_escape(scale: Scale) -> WarmupEscape:
    return WarmupEscape(
        temperatures=sizes.ESCAPE_TEMPERATURES.at(scale),
        seeds=sizes.seeds(sizes.ESCAPE_SEEDS, scale),
        steps=sizes.ESCAPE_STEPS.at(scale),
    )


def by_replica(name: str) -> dict[str, Any]:
    return {"replica": lambda runs: rows_of(runs[name], T="temperature", seed="seed")}


def first_paths(run: RunResult) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The temperatures of an escape, which of the kept paths is the first at each, and the steps of their records."""
    temperatures, first = np.unique(run.metrics["temperature"][run.config.drawn], return_index=True)
    return temperatures, first, EVERY * np.arange(run.arrays["loss"].shape[1])


def draw_losses(ax: Axes, run: RunResult) -> None:
    temperatures, first, steps = first_paths(run)
    for colour, t, j in zip(plots.CYCLE, temperatures, first, strict=False):
        ax.plot(steps, run.arrays["loss"][j], color=colour, label=f"T = {t:g}")
    plots.ceiling(ax, np.log(2.0), "log 2")
    ax.set(xlabel="step of Stage 2", ylabel="loss L₁", xlim=(0, 500))
    plots.legend_below(ax, ncols=3)
