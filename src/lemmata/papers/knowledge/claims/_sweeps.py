"""What the sweeps share: their settings, and the claims and drawing of a line of cells along one size."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, RunResult, Runs, TooShort, Undecided, of_result
from lemmata.papers.knowledge.claims._trends import halvings, side_by_side
from lemmata.papers.knowledge.claims._tuned import LEARNED
from lemmata.papers.knowledge.probe.sweep import SIZES, STORED, along
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.papers.knowledge.run.training import Extraction
from lemmata.report.plots import COLOURS, band, legend, letter, new_figure

SLACK = 0.05  # of extraction, against the trend between neighbours
FEWEST_SEEDS = 3
BEFORE = "extraction_before"  # a column
JUDGED = "Judged: gradient descent, means over the seeds of each cell in which it has learned its own questions."


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
        """[seed, size], in order of the size, in seeds in which gradient descent has learned its own questions."""
        cells = self.cells()
        if min(len(cell) for cell in cells) < FEWEST_SEEDS:
            raise Undecided("in some cell gradient descent has learned its own questions in too few seeds")
        return side_by_side(cells)

    def cells(self) -> list[np.ndarray]:
        """The same, a cell each with all of its seeds."""
        values, asked = (along(self.run, self.varied, name)[1] for name in (self.column, "asked_accuracy"))
        return [column[right >= LEARNED] for column, right in zip(values.T, asked.T, strict=True)]

    def ends(self) -> np.ndarray:
        """How many times the failures halve from the smallest size to the largest, for each seed."""
        config = self.run.config
        held_out = min(world.num_held_out for shape in config.shapes for world in config.worlds(shape))
        return halvings(self.values[:, 0], self.values[:, -1], held_out)


@of_result
def stored(run: RunResult) -> Undecided | None:
    if len(run.config.seeds) < FEWEST_SEEDS:
        return Undecided(f"{len(run.config.seeds)} seeds; means over seeds are compared from {FEWEST_SEEDS} on")
    cells = [dict(zip(SIZES, cell, strict=True)) for cell in run.config.cells]
    least = min(run.column("fact_accuracy", **cell).mean() for cell in cells)
    little = f"a cell has learned only {least:.2f} of its facts in pre-training"
    return None if least >= STORED else TooShort(little)


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
        counts = [len(cell) for cell in Line(run, varied).cells()]
        learned = min(counts) >= FEWEST_SEEDS
        for ax, lines in zip(axes, (SERIES, BESIDE), strict=True):
            for name, (label, colour) in lines.items():
                judged = learned and name in ("extraction", BEFORE)
                values = Line(run, varied, name).values if judged else along(run, varied, name)[1]
                band(ax, sizes, values, label, color=colour, marker="o", markersize=3)
            ax.set(xscale="log", xlabel=xlabel)
            ax.set_xticks(sizes, [str(size) for size in sizes])
            ax.minorticks_off()
            legend(ax)
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
            f"{config.tuning.steps} of fine-tuning. Mean and one standard deviation of {len(config.seeds)} seeds; "
            "gradient descent and before it, as judged, in those in which it has learned its own questions: "
            f"{', '.join(map(str, counts))} by size."
        )
        return Artefact(figure, table, caption)

    return draw
