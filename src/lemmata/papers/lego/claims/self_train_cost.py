"""At equal compute: self-training, plain short training and true long labels, for S_5 on the theory model.

Compute is counted in clauses read: a gradient is three forward passes, and an annotator's passes are paid for.
"""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least
from lemmata.papers.lego.claims._theory_runs import AfterStage, every_stage, last_stage, settled, symmetric_run
from lemmata.report.plots import COLOURS, band, ceiling, joined, legend, letter, new_figure

AHEAD = 0.05  # of the ceiling: less is a tie
ARMS = {  # plan -> label, colour
    "self": ("self-training (greedy labels, lengths 4, 8, ...)", COLOURS["orange"]),
    "short": ("T² alone", COLOURS["blue"]),
    "true": ("true labels, lengths 4, 8, ...", COLOURS["green"]),
}


class Arms(NamedTuple):
    """Two ways to go on from T^2."""

    run: RunResult
    one: str
    other: str

    def lead(self) -> list[float]:
        """Of the first arm at its end over the second after as many clauses (or at its end, if that comes first), at
        the longest chain, by seed."""
        end = last_stage(self.run, self.one)
        length = max(self.run.config.lengths)
        spent = end.column("clause_passes", length=length)
        passes, accuracy = budget(self.run, self.other)
        at = [np.interp(limit, *arm) for limit, *arm in zip(spent, passes, accuracy, strict=True)]
        return (end.accuracy(length) - at).tolist()


def budget(run: RunResult, plan: str) -> tuple[np.ndarray, np.ndarray]:
    """Clauses read, and Acc at the longest chain over its ceiling, at T^2's end and after each stage: [seed, stage]."""
    length, models = max(run.config.lengths), [last_stage(run, "T2"), *every_stage(run, plan)]
    return (
        np.array([model.column("clause_passes", length=length) for model in models]).T,
        np.array([model.accuracy(length) for model in models]).T,
    )


def comparable(run: RunResult) -> str | None:
    """A need: the stages have converged, and T^2 alone was given as much computation."""
    spent, given = (budget(run, plan)[0][:, -1] for plan in ("self", "short"))
    short = None if np.all(given >= 0.95 * spent) else "T² alone was not given as much computation as self-training"
    return settled("self")(run) or short


def rollouts(runs: Runs) -> str:
    run = runs["symmetric"]
    length = max(run.config.lengths)
    ends = {plan: last_stage(run, plan).greedy(length).mean() for plan in ARMS}
    return (
        f"Greedy rollouts do not tell the arms apart: {ends['self']:.2f} of them are right after self-training, "
        f"{ends['short']:.2f} after T² alone, {AfterStage(run, 'T2', 2).greedy(length).mean():.2f} before either. True "
        f"labels of the same sentences end where self-training does, without the annotator's reading."
    )


COST = Claim(
    id="self-train-cost",
    locus="beyond the paper; Section 5 gives self-training its purpose",
    statement="Self-training pays: for as many clauses read it takes S₅ farther than going on with T². Acc (5) at the "
    f"longest chain over its ceiling, self-training's end minus T² alone at equal compute, by seed; {AHEAD} or less is "
    "a tie. Control: the same stages with true labels in the place of T² alone, which self-training does not beat.",
    subject=lambda runs: Arms(runs["symmetric"], "self", "short"),
    wrong=lambda runs: Arms(runs["symmetric"], "self", "true"),
    parts=Part(Arms.lead, at_least(AHEAD)),
    needs={"symmetric": comparable},
    remark=rollouts,
)


def draw(runs: Runs) -> Artefact:
    run = runs["symmetric"]
    arms = [plan.name for plan in run.config.plans if plan.name in ARMS]
    length = max(run.config.lengths)
    figure, axes = new_figure(1, 2, width=10.5, height=3.7)
    tables = []
    for arm in arms:
        label, colour = ARMS[arm]
        passes, accuracy = budget(run, arm)
        models = [last_stage(run, "T2"), *every_stage(run, arm)]
        elsewhere = np.array([model.column("epsilon_worst_step", length=length) for model in models]).T
        for ax, values in zip(axes, (accuracy, elsewhere), strict=True):
            band(ax, passes.mean(axis=0), values, label, color=colour, marker="o")
        about = {"arm": [arm] * passes.size, "seed": np.repeat(run.config.seeds, passes.shape[1])}
        greedy = np.array([model.greedy(length) for model in models]).T
        measured = {"clauses": passes, "accuracy": accuracy, "greedy": greedy, "elsewhere": elsewhere}
        tables.append({**about, **{name: values.ravel() for name, values in measured.items()}})
    ceiling(axes[0], 1.0)
    axes[0].set(ylabel=f"Acc (5) at length {length}, over its ceiling", ylim=(-0.03, 1.05))
    axes[1].set(ylabel="attention elsewhere, worst step", ylim=(0, None))
    for ax in axes:
        ax.set_xlabel("clauses read (a gradient counts three)")
    legend(axes[0], fontsize=7, loc="lower right")
    letter(axes)
    caption = (
        f"{run.config.action}, |X| = {run.config.variables}, {len(run.config.seeds)} seeds (bands: one standard "
        "deviation). All arms share stage 1 and the first steps on T²; a point is the end of a stage."
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="Self-training, short training and true labels at equal compute",
    runs=lambda scale: {"symmetric": symmetric_run(scale)},
    claims=(COST,),
    draw=draw,
)
