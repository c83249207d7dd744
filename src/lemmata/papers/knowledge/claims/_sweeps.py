"""What the sweeps share: their settings, and the claims and drawing of a line of cells along one size."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, RunResult, Runs
from lemmata.papers.knowledge.claims._trends import halvings
from lemmata.papers.knowledge.probe.sweep import SIZES, along
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.papers.knowledge.run.training import Extraction
from lemmata.report.plots import COLOURS, band, legend_below, letter, new_figure

SLACK = 0.05  # of extraction, against the trend between neighbours
BEFORE = "extraction_before"  # a column
JUDGED = "Judged: gradient descent, means over all seeds."


def sweep(base: Extraction, steps: int, **sizes: Any) -> Sweep:
    """Cells in the setting of a base run, pre-trained for another number of steps."""
    pretraining = replace(base.pretraining, steps=steps, records=4)
    tuning = replace(base.tuning, records=1)
    return Sweep(model=base.model, pretraining=pretraining, tuning=tuning, slots=base.facts.pad_multiplicity, **sizes)


class Line(NamedTuple):
    """Cells that differ in one size."""

    run: RunResult
    varied: str
    column: str = "extraction"

    @property
    def values(self) -> np.ndarray:
        """[seed, size], in order of the size."""
        return along(self.run, self.varied, self.column)[1]

    def ends(self) -> np.ndarray:
        """How many times the failures halve from the smallest size to the largest, for each seed."""
        config = self.run.config
        held_out = min(world.num_held_out for shape in config.shapes for world in config.worlds(shape))
        return halvings(self.values[:, 0], self.values[:, -1], held_out)


SERIES = {
    "extraction": ("gradient descent", COLOURS["vermillion"]),
    "extraction_adamw": ("AdamW", COLOURS["orange"]),
    BEFORE: ("before fine-tuning", COLOURS["sky"]),
    "fact_accuracy": ("facts stored", COLOURS["blue"]),
}
BESIDE = {
    "excess": ("loss above the optimum", COLOURS["blue"]),
    "relation_fraction": ("answered by a relation", COLOURS["purple"]),
    "other_fraction": ("by another's answer", COLOURS["green"]),
}


def drawing_along(varied: str, xlabel: str) -> Callable[[Runs], Artefact]:
    def draw(runs: Runs) -> Artefact:
        run = runs["main"]
        config = run.config
        sizes, values = along(run, varied, "extraction")
        table = {"size": np.tile(sizes, len(values)), "seed": np.repeat(config.seeds, len(sizes))}
        names = (*SERIES, "template_accuracy", *BESIDE, "covered")
        table |= {name: np.ravel(along(run, varied, name)[1]) for name in names}
        figure, axes = new_figure(1, 2)
        for ax, lines in zip(axes, (SERIES, BESIDE), strict=True):
            for name, (label, colour) in lines.items():
                band(ax, sizes, along(run, varied, name)[1], label, color=colour, marker="o", markersize=3)
            ax.set(xscale="log", xlabel=xlabel)
            ax.set_xticks(sizes, [str(size) for size in sizes])
            ax.minorticks_off()
            legend_below(ax, ncols=2)
        letter(axes)
        axes[0].set(ylim=(-0.02, 1.02), ylabel="share of facts")
        axes[1].set(ylabel="share of questions, or nats", ylim=(-0.02, None))
        fixed = (
            f"{symbol} = {size}"
            for symbol, size, axis in zip(("N", "|R|", "K"), config.cells[0], SIZES, strict=True)
            if axis != varied
        )
        caption = (
            f"Extraction against {xlabel} (a), and what else is answered (b). Held-out subjects only; "
            f"{', '.join(fixed)}, d = {config.model.width}, {config.pretraining.steps} steps of pre-training, "
            f"{config.tuning.steps} of fine-tuning. Mean and one standard deviation of {len(config.seeds)} seeds."
        )
        return Artefact(figure, table, caption)

    return draw
