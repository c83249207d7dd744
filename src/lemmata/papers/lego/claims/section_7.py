"""Where the figures of section 7 appear: a map over what the paper does not print, the number of sentences first."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, Runs, Scale, Undecided, at_least, at_most
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._diagonals import Clause
from lemmata.papers.lego.claims._section_7_cells import BLOCKS, LEVEL, Cell, cells
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.data_sizes import DataSizes
from lemmata.papers.lego.run.length_training import FIRST_SEED, length_runs, length_training
from lemmata.report.plots import DIVERGING, GREY, HEAT, columns, heatmap, new_figure

ENOUGH = 2  # cells that can tell


def map_runs(scale: Scale) -> dict[str, RunConfig]:
    """The map's runs, "block/variables/family", beside the figures' own."""
    worlds = sizes.MAP_VARIABLES.at(scale)
    runs: dict[str, RunConfig] = {**length_runs(scale)}
    for block in sizes.MAP_BLOCKS.at(scale):
        for variables in worlds if block == "plain" else worlds[:1]:
            for family in FAMILIES:
                runs[f"{block}/{variables}/{family}"] = of_world(scale, family, variables, BLOCKS[block])
    return runs


def of_world(scale: Scale, family: str, variables: int, block: dict[str, Any]) -> DataSizes:
    """A run of the map: the figures' own setting, but for what the map varies."""
    figures = length_training(scale, family)
    return DataSizes(
        task=replace(figures.task, variables=variables),
        model=replace(figures.model, variables=variables, **block),
        learning_rate=figures.learning_rate,
        batch=figures.batch,
        sizes=sizes.MAP_SENTENCES.at(scale),
        epochs=sizes.MAP_EPOCHS.at(scale),
        stage=2 * figures.task.length,
        stage_steps=sizes.MAP_STAGE_STEPS.at(scale) if family == "symmetric" else 0,
        lengths=tuple(length for length in figures.lengths if length < variables),
        test_sentences=sizes.MAP_TEST.at(scale),
        replicas=figures.replicas,
        seeds=tuple(FIRST_SEED + seed for seed in sizes.seeds(sizes.MAP_SEEDS, scale)),
    )


def judged(runs: Runs) -> list[Cell]:
    """After the most epochs: every block, world and number of sentences that both actions learn from."""
    found = [cell for cell in cells(runs) if cell.final and cell.learned]
    if len(found) < ENOUGH:
        raise Undecided(f"both actions learn their own length in {len(found)} cells only")
    return found


def judged_in_several_seeds(runs: Runs) -> list[Cell]:
    """On a laptop one replication had a cell of one seed in which the symmetric action reached farther."""
    if any(len(run.config.seeds) == 1 for name, run in runs.items() if "/" in name):
        raise Undecided("cells of the map have one seed: which action reaches farther there is a matter of chance")
    return judged(runs)


def count(kept: Callable[[Cell], bool]) -> Callable[[Sequence[Cell]], int]:
    return lambda found: sum(kept(cell) for cell in found)


def exchanged(runs: Runs) -> list[Cell]:
    return [cell.exchanged() for cell in judged(runs)]


def listed(found: Sequence[Cell]) -> str:
    return ", ".join(f"{cell.block}, |X| = {cell.variables}, {cell.sentences} sentences" for cell in found) or "none"


def remark(runs: Runs) -> str:
    found = judged(runs)
    words = {
        "Figure 1a is there": [cell for cell in found if cell.figure_1a],
        "the transitive action reaches farther": [cell for cell in found if cell.kind == "transitive farther"],
        "the symmetric one does": [cell for cell in found if cell.kind == "symmetric farther"],
        "both reach the longest sentences": [cell for cell in found if cell.kind == "both to the end"],
    }
    return f"{'; '.join(f'{name}: {listed(chosen)}' for name, chosen in words.items())}."


APPEARS = Claim(
    id="section-7-map",
    locus="Section 7, Figure 1a; the number of sentences is not printed",
    statement="With what Section 7 prints (one decoder layer, Adam, epochs over a finite set) Figure 1a appears for "
    "some block and number of training sentences, and for none with the two actions' roles reversed. Judged over the "
    "cells where both actions learn their own length: at a length of at least 8 times that, one has 0.95 of the "
    "sentences right and the other at most 0.5. Control: the actions exchanged.",
    subject=judged,
    wrong=exchanged,
    parts={
        "cells with the figure": Part(count(lambda cell: cell.figure_1a), at_least(1)),
        "cells with it reversed": Part(count(lambda cell: cell.exchanged().figure_1a), at_most(0)),
    },
    remark=remark,
)

AT_ANY_SIZE = Claim(
    id="section-7-any-size",
    locus="beyond the paper: Section 7 prints no number of sentences",
    statement="Whatever the number of training sentences, the symmetric action reaches no farther than the simply "
    f"transitive one. Judged over the cells of section-7-map: a length is reached with {LEVEL:g} of the sentences "
    "right, and farther is by more than a tenth. Control: the actions exchanged.",
    subject=judged_in_several_seeds,
    wrong=exchanged,
    parts=Part(count(lambda cell: cell.kind == "symmetric farther"), at_most(0)),
    remark=remark,
)

PANELS: dict[str, tuple[Callable[[Cell], float], str, float]] = {  # title -> value, colours, their greatest value
    "log₂ of the reach,\ntransitive over symmetric": (
        lambda cell: float(np.log2(max(cell.transitive.reached, 1) / max(cell.symmetric.reached, 1))),
        DIVERGING,
        2,
    ),
    "symmetric: gain by\none stage of self-training": (lambda cell: cell.symmetric.gain, HEAT, 1),
    "drop on predicates,\nsymmetric less transitive": (
        lambda cell: cell.symmetric.predicate_drop - cell.transitive.predicate_drop,
        DIVERGING,
        0.3,
    ),
    "drop on answers,\ntransitive less symmetric": (
        lambda cell: cell.transitive.answer_drop - cell.symmetric.answer_drop,
        DIVERGING,
        0.3,
    ),
}


def draw(runs: Runs) -> Artefact:
    found = cells(runs)
    blocks = list(dict.fromkeys(cell.block for cell in found))
    figure, axes = new_figure(
        len(PANELS), len(blocks), width=3.4 * len(blocks) + 1, height=2.3 * len(PANELS), squeeze=False
    )
    down = sorted({(cell.variables, cell.epochs) for cell in found})
    across = sorted({cell.sentences for cell in found})
    for row, (title, (value, colours, most)) in zip(axes, PANELS.items(), strict=True):
        for ax, block in zip(row, blocks, strict=True):
            grid = np.full((len(down), len(across)), np.nan)
            for cell in (cell for cell in found if cell.block == block):
                i, j = down.index((cell.variables, cell.epochs)), across.index(cell.sentences)
                grid[i, j] = value(cell) if cell.learned else np.nan
                if not cell.learned:
                    ax.text(j, i, "×", ha="center", va="center", color=GREY)
            least = -most if colours == DIVERGING else 0
            labels = [f"|X| {variables}, {epochs} ep." for variables, epochs in down]
            below = across if row is axes[-1] else [""] * len(across)
            heatmap(ax, grid, below, labels if ax is row[0] else [""] * len(down), cmap=colours, vmin=least, vmax=most)
            ax.tick_params(labelsize=7)
        row[0].set_ylabel(title, fontsize=8)
    for ax, block in zip(axes[0], blocks, strict=True):
        ax.set_title(block)
    for ax in axes[-1]:
        ax.set_xlabel("training sentences")
    made = next(run.config for name, run in runs.items() if "/" in name)
    caption = (
        "Crosses: an action does not learn its own length. Blank: not run. Rows: the length reached "
        f"({LEVEL:g} of the sentences with all clauses right); the largest gain in sentences right at a length beyond "
        "the stage's; how much more the attention on the right predicate (answer) drops along the positions for one "
        "action than for the other at four times the training length: positive as Figure 6 (7) has it. "
        f"{len(made.seeds)} seed(s) a cell, {made.test_sentences} sentences a length; the figures' own runs have more."
    )
    return Artefact(figure, columns([_row(cell) for cell in found]), caption)


def _row(cell: Cell) -> dict[str, Any]:
    names = ("block", "variables", "sentences", "epochs", "kind", "figure_1a", "figure_6", "figure_7")
    row = {name.replace("_", " "): getattr(cell, name) for name in names} | {"longest": cell.symmetric.lengths[-1]}
    for role, learner in (("transitive", cell.transitive), ("symmetric", cell.symmetric)):
        row |= {f"{role} reach": learner.reached, f"{role} right at the longest": float(learner.right[-1])}
        row |= {f"{role} {clause} drop": learner.drop(clause) for clause in get_args(Clause)}
    gains = {"self-trained": cell.symmetric.gain, "as many steps": cell.symmetric.control}
    return row | {f"symmetric gain, {by}": gain for by, gain in gains.items()}


EXPERIMENT = Experiment(
    title="Where the figures of section 7 appear",
    runs=map_runs,
    needs=FAMILIES,
    claims=(APPEARS, AT_ANY_SIZE),
    draw=draw,
    notes="Before the rules were written, trials had seen cells of the plain block. Steps draw their sentences with "
    "replacement; an epoch is as many draws as there are sentences.",
)
