"""Figures 2, 6 and 7 in a block without a residual, where a model cannot do without attention to its own answer."""

from dataclasses import replace

import numpy as np

from lemmata.core import (
    SHARE,
    Artefact,
    Claim,
    Experiment,
    Part,
    Protocol,
    RunResult,
    Runs,
    Scale,
    Seeds,
    TooShort,
    at_least,
    of_result,
)
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._diagonals import Clause
from lemmata.papers.lego.claims._length_curves import ALL_RIGHT, JUDGED, LEARNED, paired
from lemmata.papers.lego.claims._section_7_cells import BLOCKS
from lemmata.papers.lego.claims.section_7 import of_world
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.data_sizes import DataSizes
from lemmata.papers.lego.run.length_training import BASE, FIRST_SEED
from lemmata.report.plots import CYCLE, band, joined, legend, new_figure

BLOCK = "no residual"
MOSTLY, SECOND = 0.8, 0.25  # of the attention lies on the two diagonals, and on that of the answers
OURS = Protocol("a block without residual; |X|, the width and the number of sentences", "Section 7 prints none of them")


def trained(scale: Scale) -> dict[str, DataSizes]:
    """At the paper's size the map's own runs. On a laptop fewer epochs of its largest set, without self-training."""
    found = {family: of_world(scale, family, sizes.MAP_VARIABLES.at(scale)[0], BLOCKS[BLOCK]) for family in FAMILIES}
    if scale.name == "paper":
        return found
    seeds = tuple(FIRST_SEED + seed for seed in sizes.seeds(sizes.NO_RESIDUAL_SEEDS, scale))
    plan = {"sizes": (sizes.MAP_SENTENCES.at(scale)[-1],), "epochs": (sizes.NO_RESIDUAL_EPOCHS.at(scale),)}
    return {family: replace(run, **plan, stage_steps=0, seeds=seeds) for family, run in found.items()}


def with_controls(scale: Scale) -> dict[str, DataSizes]:
    """Beside them models of one step."""
    found = trained(scale)
    short = {"epochs": (1,), "stage_steps": 0}
    controls = {f"one step/{name}": replace(run, sizes=(run.batch,), **short) for name, run in found.items()}
    return {**found, **controls}


def column(run: RunResult, name: str, length: int) -> np.ndarray:
    """By seed, of the largest set after the most epochs."""
    made = run.config
    return run.column(name, branch=BASE, size=made.sizes[-1], epochs=made.epochs[-1], length=length).astype(float)


@of_result
def learned(run: RunResult) -> TooShort | None:
    right = float(column(run, ALL_RIGHT, run.config.task.length).mean())
    words = f"{run.config.task.action} answers {right:.2f} of its own training length without a residual"
    return None if right >= LEARNED else TooShort(words)


NEEDS = {family: (of_family, learned) for family, of_family in FAMILIES.items()}


def on(run: RunResult, *clauses: Clause) -> Seeds:
    """The attention on the right clauses of these kinds, at the training length."""
    length = run.config.task.length
    return Seeds(np.sum([column(run, clause, length) for clause in clauses], axis=0), bounds=SHARE)


def drops(runs: Runs, clause: Clause, *, turned: bool = False) -> Seeds:
    """How much more the symmetric action's attention drops along the positions than the transitive one's, at four
    times the training length, by seed; `turned` for the contrary."""
    made = runs["transitive"].config
    length = min(made.lengths, key=lambda length: abs(length - 4 * made.task.length))
    one, other = paired(*(column(runs[family], f"{clause}_drop", length) for family in ("symmetric", "transitive")))
    return Seeds(other - one if turned else one - other)


def remark(runs: Runs) -> str:
    found = []
    for name in JUDGED.values():
        run, made = runs[name], runs[name].config
        far = min(made.lengths, key=lambda length: abs(length - 4 * made.task.length))
        look = [column(run, clause, made.task.length).mean() for clause in ("predicate", "answer")]
        drop = [column(run, f"{clause}_drop", far).mean() for clause in ("predicate", "answer")]
        found.append(
            f"{made.task.action}: {look[0]:.2f} on the predicate and {look[1]:.2f} on the answer at length "
            f"{made.task.length}; along the positions of length {far} they drop by {drop[0]:.2f} and {drop[1]:.2f}"
        )
    return f"{'; '.join(found)}."


FIGURE_2 = Claim(
    id="section-7-no-residual-fig-2",
    locus="Section 7, Figure 2",
    statement="At the training length attention, averaged over heads and sentences, has two clear diagonals: from "
    r"answer $\ell$ to predicate $\ell + 1$ and to answer $\ell$. Judged in a block without a residual: the two "
    f"together have {MOSTLY:g} of the attention and the answer {SECOND:g}, means over seeds. Control: models of one "
    "step.",
    protocol=OURS,
    subject=lambda runs: {kind: runs[name] for kind, name in JUDGED.items()},
    wrong=lambda runs: {kind: runs[f"one step/{name}"] for kind, name in JUDGED.items()},
    parts={
        f"{kind}, on both": Part(
            lambda found, k=kind: on(found[k], "predicate", "answer"), at_least(MOSTLY, over_seeds=True)
        )
        for kind in JUDGED
    }
    | {
        f"{kind}, on the answer": Part(lambda found, k=kind: on(found[k], "answer"), at_least(SECOND, over_seeds=True))
        for kind in JUDGED
    },
    needs=NEEDS,
    remark=remark,
)


def figure(number: int, clause: Clause, statement: str, *, turned: bool) -> Claim:
    return Claim(
        id=f"section-7-no-residual-fig-{number}",
        locus=f"Section 7, Figure {number}",
        statement=f"{statement} Judged in a block without a residual: the difference of the two drops, the last "
        "quarter of positions against the first, relative to the mean, at four times the training length, mean "
        "over seeds. Control: the two actions exchanged.",
        protocol=OURS,
        subject=lambda runs: drops(runs, clause, turned=turned),
        wrong=lambda runs: drops(runs, clause, turned=not turned),
        parts=Part(lambda found: found, at_least(0.0, over_seeds=True)),
        needs=NEEDS,
        remark=remark,
    )


FIGURE_6 = figure(
    6,
    "predicate",
    "At longer lengths the symmetric action's attention to the right predicate drops at later positions; the simply "
    "transitive one's is more even.",
    turned=False,
)
FIGURE_7 = figure(
    7,
    "answer",
    "At longer lengths the simply transitive action's attention to the right answer drops at later positions; the "
    "symmetric one's is more stable.",
    turned=True,
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=9.6, height=3.6, sharey=True)
    tables = []
    for ax, clause in zip(axes, ("predicate", "answer"), strict=True):
        for family, colour in zip(FAMILIES, CYCLE, strict=False):
            run = runs[family]
            made = run.config
            values = np.array([column(run, clause, length) for length in made.lengths]).T
            band(ax, made.lengths, values, made.task.action, color=colour)
            names = {"action": made.task.action, "clause": clause}
            table = {name: np.repeat(value, len(made.lengths)) for name, value in names.items()}
            tables.append(table | {"length": np.array(made.lengths), "attention": values.mean(axis=0)})
        ax.set(xscale="log", xlabel="length L (steps)", ylim=(0, 1), title=f"on the right {clause}")
    axes[0].set_ylabel("attention, mean over positions")
    legend(axes[1], fontsize=7)
    made = runs["symmetric"].config
    caption = (
        f"Without a residual: trained at length {made.task.length} on {made.sizes[-1]} sentences for {made.epochs[-1]} "
        f"epochs, {len(made.seeds)} seeds (bands: one standard deviation)."
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="Diagonals of attention without a residual",
    runs=with_controls,
    needs=NEEDS,
    claims=(FIGURE_2, FIGURE_6, FIGURE_7),
    draw=draw,
)
