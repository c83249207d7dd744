"""At equal compute: self-training against going on with T^2, for a symmetric action on the exact population.

Compute is counted in clauses read: a gradient is three forward passes, and an annotator's passes are paid for.
"""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, TooShort, Undecided, at_most, of_result
from lemmata.papers.lego.claims._doubling import Course, doublings, ended
from lemmata.papers.lego.run.population_doubling import clauses_a_step
from lemmata.report.plots import COLOURS, band, legend, letter, new_figure

HALF = 0.5
ARMS = {  # arm -> label, colour
    "self": ("self-training (greedy labels, lengths 4, 8, ...)", COLOURS["orange"]),
    "alone": ("T² alone", COLOURS["blue"]),
}


def shortfall(run: RunResult) -> list[float]:
    """What self-training lacks to the ceiling of equation (5) at the longest chain, over what T^2 alone lacks after as
    many clauses, by seed."""
    length = max(run.config.lengths)
    lacking = [1 - Course(run, arm).at(length)[:, -1] for arm in ARMS]
    return (lacking[0] / np.maximum(lacking[1], 1e-12)).tolist()


@of_result
def comparable(run: RunResult) -> Undecided | None:
    """A need: the stages have ended, and T^2 alone was given as many clauses."""
    alone = Course(run, "alone")
    given = alone.column("time") * clauses_a_step(2, labelled=False)
    short = "T² alone ran out of evaluations before it had read as many clauses as self-training"
    return ended(run) or (None if np.all(given >= 0.999 * alone.column("clauses")) else TooShort(short))


def ends(runs: Runs) -> str:
    run = runs["main"]
    length = max(run.config.lengths)
    found = {arm: Course(run, arm) for arm in ARMS}
    times = found["alone"].column("time")[:, -1] / found["alone"].column("time")[:, 0]
    return (
        f"At length {length}: {found['self'].at(length)[:, -1].mean():.4f} of the ceiling by self-training, "
        f"{found['alone'].at(length)[:, -1].mean():.4f} by T² alone, which gets {times.mean():.2g} times the time it "
        "had; greedy chains are right in "
        f"{found['self'].at(length, 'greedy')[:, -1].mean():.2f} and "
        f"{found['alone'].at(length, 'greedy')[:, -1].mean():.2f}. All labels being true, true ones would do the same "
        "without the annotator's reading."
    )


COST = Claim(
    id="self-train-cost",
    locus="beyond the paper; Section 5 gives self-training its purpose",
    statement="Self-training pays: for as many clauses read it lacks less than half of what going on with "
    r"$\mathcal{T}^2$ lacks to the ceiling of equation (5) on the longest chain. Judged by seed; a gradient counts as "
    "three passes, and the annotator's passes are paid for. Control: stages that end at a hundred times their floor, "
    "from annotators who err.",
    subject=lambda runs: runs["main"],
    wrong=lambda runs: runs["hasty"],
    parts=Part(shortfall, at_most(HALF), along={"seed": lambda runs: runs["main"].config.seeds}),
    needs={"main": comparable},
    remark=ends,
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    length = max(run.config.lengths)
    figure, axes = new_figure(1, 2, width=10.5, height=3.7)
    table: dict[str, list] = {"arm": [], "seed": [], "clauses": [], "accuracy": [], "greedy": []}
    for arm, (label, colour) in ARMS.items():
        course = Course(run, arm)
        clauses, accuracy, greedy = course.column("clauses"), course.at(length), course.at(length, "greedy")
        band(axes[0], clauses.mean(axis=0), np.maximum(1 - accuracy, 1e-12), label, color=colour, marker="o")
        band(axes[1], clauses.mean(axis=0), greedy, label, color=colour, marker="o")
        table["arm"] += [arm] * clauses.size
        table["seed"] += np.repeat(run.config.seeds, clauses.shape[1]).tolist()
        for name, values in (("clauses", clauses), ("accuracy", accuracy), ("greedy", greedy)):
            table[name] += values.ravel().tolist()
    axes[0].set(yscale="log", ylabel=f"short of the ceiling of Acc (5) at length {length}")
    axes[1].set(ylabel="greedy chains right to the end", ylim=(-0.03, 1.05))
    for ax in axes:
        ax.set(xscale="log", xlabel="clauses read (a gradient counts three), times rate")
    legend(axes[0], fontsize=7)
    letter(axes)
    caption = (
        f"{run.config.action}, d = {run.config.vocabulary}, {len(run.config.seeds)} seeds (bands: one standard "
        "deviation), exact population. Both arms share stage 1 and T²'s first stage; a point is the end of a stage."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="Self-training and short training at equal compute", runs=doublings, claims=(COST,), draw=draw
)
