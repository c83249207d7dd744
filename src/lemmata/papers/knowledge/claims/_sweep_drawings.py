"""Drawings of the sweep: lines over one size, and a panel of |R| and K for each N."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult
from lemmata.core.legacy import Results
from lemmata.papers.knowledge.probe.sweep import LEARNED, cube, learned_cells
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.report.plots import COLOURS, band, heatmap, legend, new_figure, panel_label

SERIES = {
    "extraction": ("after fine-tuning", COLOURS["vermillion"]),
    "extraction_before": ("before fine-tuning", COLOURS["sky"]),
    "extraction_shuffled": ("shuffled answers", "0.6"),
    "fact_accuracy": ("facts stored", COLOURS["blue"]),
}

BESIDE = {
    "excess": ("loss above the optimum", COLOURS["blue"]),
    "relation_fraction": ("answered by a relation", COLOURS["orange"]),
    "other_fraction": ("by another's answer", COLOURS["green"]),
}


def line(reading: Any, xlabel: str, what: str) -> Any:
    def render(results: Results) -> Artefact:
        run = results.one(Sweep)
        figure, axes = new_figure(1, 2)
        sizes, values = reading(results, "extraction")
        seeds = np.repeat(run.config.seeds, len(sizes))
        table: dict[str, Any] = {"size": np.tile(sizes, len(values)), "seed": seeds}
        for name in (*SERIES, "template_accuracy", "excess", "relation_fraction", "other_fraction", "covered"):
            values = reading(results, name)[1]
            table[name] = np.ravel(values)
            if name in SERIES:
                label, colour = SERIES[name]
                band(axes[0], sizes, values, label, color=colour, marker="o", markersize=3)
        for name, (label, colour) in BESIDE.items():
            band(axes[1], sizes, reading(results, name)[1], label, color=colour, marker="o", markersize=3)
        axes[0].set(ylim=(-0.02, 1.02), ylabel="share of facts")
        axes[1].set(ylabel="share of questions, or nats", ylim=(-0.02, None))
        for letter, ax in zip("ab", axes, strict=True):
            ax.set_xscale("log")
            ax.set_xticks(sizes, [str(size) for size in sizes])
            ax.minorticks_off()
            ax.set_xlabel(xlabel)
            legend(ax)
            panel_label(ax, letter)
        return Artefact(figure, table, f"{what} {_setting(run)}")

    return render


def _setting(run: RunResult) -> str:
    config = run.config
    return (
        f"Held-out subjects only; d = {config.model.width}, K = {config.cells[-1][2]}, {config.pretraining.steps} "
        f"steps of pre-training, {config.tuning.steps} of fine-tuning; mean and one standard deviation of "
        f"{len(config.seeds)} seeds. The ceiling of extraction is the share of facts stored."
    )


def render_plane(results: Results) -> Artefact:
    run = results.one(Sweep)
    (numbers, universes, multiplicities), values = cube(run, "extraction")
    figure, axes = new_figure(1, len(numbers), width=3.3 * len(numbers) + 0.6, height=3.2, squeeze=False)
    for ax, number, panel in zip(axes[0], numbers, values.mean(axis=0), strict=True):
        heatmap(ax, panel, xlabels=list(multiplicities), ylabels=list(universes), vmin=0, vmax=1)
        ax.set(title=f"N = {number}", xlabel="K, templates a subject", ylabel="|R|, templates in all")
    caption = (
        f"Share of held-out facts extracted, mean of {len(run.config.seeds)} seeds, over N, |R| and K "
        f"(d = {run.config.model.width}, {run.config.pretraining.steps} steps of pre-training at batch "
        f"{run.config.pretraining.batch}). {left_out(run)}"
    )
    return Artefact(figure, dict(run.metrics), caption)


def left_out(run: RunResult) -> str:
    stored = cube(run, "fact_accuracy")[1].mean(axis=0)
    told = f"The least share of facts stored in any cell is {stored.min():.2f}"
    missing = int((~learned_cells(run)).sum())
    return f"{told}; {missing} of {stored.size} cells store less than {LEARNED:g} and are not judged."
