"""How concentrated attention is while training converges, of actions with a stabilizer and of those without."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, RunResult, Runs, Undecided
from lemmata.papers.lego.claims._population import by_record, by_stabilizer, stabilizer
from lemmata.report.plots import CYCLE, band, columns, legend, letter, new_figure

EXCESS = 0.01  # of the floor: where losses are equal
COLUMNS = ("seed", "time", "loss", "excess", "epsilon_22", "gap_22", "third_diagonal", "fourth_diagonal")


def split(runs: Runs, family: str) -> tuple[list[RunResult], list[RunResult]]:
    """Actions with a stabilizer, and without."""
    members = list(runs.group(family).values())
    free = [run for run in members if stabilizer(run) == 1]
    bound = [run for run in members if stabilizer(run) > 1]
    if not free or not bound:
        raise Undecided(f"{family}: a free action and one that is not are needed")
    return bound, free


def two_free(runs: Runs) -> list[RunResult]:
    """Two simply transitive actions in one vocabulary."""
    _, free = split(runs, "order twelve")
    if len(free) < 2:
        raise Undecided("two simply transitive actions of one order are needed")
    return free


def drawing(*families: str) -> Callable[[Runs], Artefact]:
    """ε by time and by the loss that is left, a family a column."""

    def draw(runs: Runs) -> Artefact:
        figure, axes = new_figure(2, len(families), width=4.75 * len(families), height=6.6, squeeze=False)
        rows = []
        for (above, below), family in zip(axes.T, families, strict=True):
            for run, colour in zip(by_stabilizer(runs, family), CYCLE, strict=False):
                _curves(above, below, run, colour)
                about = {"family": family, "action": run.config.action, "stabilizer": stabilizer(run)}
                table = zip(*(run.metrics[name] for name in COLUMNS), strict=True)
                rows += [{**about, **dict(zip(COLUMNS, map(float, row), strict=True))} for row in table]
            above.set(xscale="log", yscale="log", xlabel="time of the flow", ylabel="ε on T²", title=family)
            below.set(xscale="log", yscale="log", xlabel="loss above its floor (relative)", ylabel="ε on T²")
            below.invert_xaxis()
            legend(above, fontsize=7)
        letter(axes)
        config = next(iter(runs.values())).config
        caption = (
            f"Concentration degree ε^{{2,2}} (19) of the exact population, C_B = {config.clips[0]:g}, σ₀ = "
            f"{config.scales[0]:g}, q = {config.power}, stage 1 at its floor, {len(config.seeds)} seeds (bands: one "
            "standard deviation). Above: by time of the gradient flow. Below: by how far the loss is above its floor. "
            "In brackets: the size of the stabilizer."
        )
        return Artefact(figure, columns(rows), caption)

    return draw


def _curves(above: Axes, below: Axes, run: RunResult, colour: str) -> None:
    epsilon, excess = by_record(run, "epsilon_22"), by_record(run, "excess")
    band(above, run.config.records, epsilon, f"{run.config.action} ({stabilizer(run)})", color=colour)
    for one, left in zip(epsilon, excess, strict=True):
        below.plot(np.maximum(left, 1e-6), one, color=colour, linewidth=0.8)
