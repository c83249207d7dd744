"""The drawing of `short_to_long`: lengths reached by worlds of growing size, attention elsewhere, the balance of Q."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, RunResult, Runs
from lemmata.papers.lego.claims._theory_runs import trace
from lemmata.report.plots import COLOURS, CYCLE, band, ceiling, legend, new_figure, panel_label

GROUPS = {  # of the runs: T_2 in words, colour, marker
    "linear": ("5 |X| steps", COLOURS["blue"], "o"),
    "quadratic": ("|X|²/8 steps", COLOURS["sky"], "s"),
    "symmetric": ("5 |X| steps", COLOURS["vermillion"], "o"),
}


def draw(runs: Runs) -> Artefact:
    figure, (reach, look, blocks) = new_figure(1, 3, width=13.0, height=3.6)
    table: dict[str, list[Any]] = {
        name: [] for name in ("action", "variables", "d", "seed", "step", "reached", "epsilon")
    }
    first = list(runs.group("linear").values())
    sizes = [run.config.vocabulary_size for run in first]
    for name, (steps, colour, marker) in GROUPS.items():
        worlds = [run for full, run in runs.items() if full.startswith(f"{name}/")]
        if worlds:
            d = [run.config.vocabulary_size for run in worlds]
            reached = np.array([run.column("reached", step=run.config.steps) for run in worlds]).T
            label = f"{worlds[0].config.action}, {steps}"
            band(reach, d, reached, label, color=colour, marker=marker)
        if name != "quadratic":
            _fill(table, worlds)
    reach.plot(sizes, [run.config.variables - 1 for run in first], ":", color="#777777", label="|X| - 1")
    reach.set(xscale="log", yscale="log", xlabel="d", ylabel="length reached", title="T² alone")
    for run, shade in zip(first, CYCLE, strict=False):
        values = _shortest(run)
        recorded = run.config.every * np.arange(values.shape[1])
        band(look, recorded[1:], values[:, 1:], f"|X| = {run.config.variables}", color=shade, marker=".")
    look.set(xscale="log", yscale="log", xlabel="step of stage 2", title="attention elsewhere")
    look.set_ylabel("ε on the shortest sentences, worst step")
    reach.set_xticks(sizes, [str(size) for size in sizes])
    reach.set_yticks([10, 20, 40, 80, 160], ["10", "20", "40", "80", "160"])
    look.set_xticks([25, 50, 100, 200, 400, 800], ["25", "50", "100", "200", "400", "800"])
    look.set_yticks([0.03, 0.05, 0.1], ["0.03", "0.05", "0.1"])
    for ax in (reach, look):
        ax.minorticks_off()
    _draw_balance(blocks, runs["transitive"])
    for letter, ax in zip("abc", (reach, look, blocks), strict=True):
        legend(ax, fontsize=7)
        panel_label(ax, letter)
    caption = (
        f"Algorithm 1 on the theory model, {len(first[0].config.seeds)} seeds (bands: one standard deviation). (a) The "
        "largest length with all values right (teacher-forced) in 0.9 of the sentences; dotted: the longest chain of "
        f"the world. (b) Equation (19) on sentences of length {first[0].config.lengths[0]} as stage 2 goes on. (c) "
        "Diagonals of the two trained blocks of Q."
    )
    return Artefact(figure, table, caption)


def _shortest(run: RunResult) -> np.ndarray:
    """epsilon at the worst step of the shortest sentences that were read, [cell, record]."""
    return run.arrays["epsilon_worst_step"][:, :, 0]


def _fill(table: dict[str, list[Any]], worlds: list[RunResult]) -> None:
    for run in worlds:
        rows = len(run.metrics["step"])
        table["action"] += [run.config.action] * rows
        table["variables"] += [run.config.variables] * rows
        table["d"] += [run.config.vocabulary_size] * rows
        table["seed"] += [int(seed) for seed in run.metrics["seed"]]
        table["step"] += [int(step) for step in run.metrics["step"]]
        table["reached"] += [float(length) for length in run.metrics["reached"]]
        table["epsilon"] += [float(value) for value in _shortest(run).ravel()]


def _draw_balance(ax: Axes, run: RunResult) -> None:
    steps, _, third = trace(run, "T2", "third_diagonal")
    _, _, fourth = trace(run, "T2", "fourth_diagonal")
    band(ax, steps + 1, third, "Q₄₃", color=COLOURS["blue"])
    band(ax, steps + 1, fourth, "Q₄₄", color=COLOURS["vermillion"])
    band(ax, steps + 1, third - fourth, "difference", color="#555555", linestyle="--")
    ceiling(ax, 0.0)
    ax.set(xscale="log", xlabel="step of stage 2, plus 1", ylabel="mean of the diagonal")
    ax.set_title(f"{run.config.action}: balance")
