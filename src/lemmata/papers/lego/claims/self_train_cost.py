"""At equal compute: self-training, plain short training and true long labels, for S_5 on the theory model.

Compute is counted in clauses read: a gradient is three forward passes, and an annotator's passes are paid for.
"""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Undecided, at_most
from lemmata.papers.lego.claims._theory_runs import knows_two_steps, symmetric_run, trace
from lemmata.report.plots import COLOURS, band, ceiling, joined, legend, letter, new_figure

LEVEL = 0.9
ARMS = {  # plan -> label, colour
    "self": ("self-training (greedy labels, lengths 4, 8, ...)", COLOURS["orange"]),
    "short": ("T² alone", COLOURS["blue"]),
    "true": ("true labels, lengths 4, 8, ...", COLOURS["green"]),
}


def cost(run: RunResult, plan: str) -> np.ndarray:
    """Clauses read until the watched length is first solved in 0.9 of the sentences, by seed; infinite if never."""
    _, passes, values = trace(run, plan, "values")
    solved = values >= LEVEL
    first = np.take_along_axis(passes, np.argmax(solved, axis=1)[:, None], axis=1)[:, 0]
    return np.where(solved.any(axis=1), first, np.inf)


def cost_ratio(run: RunResult, plan: str) -> float:
    """A plan's cost over that of going on with T^2, mean over seeds."""
    plain = cost(run, "short")
    if not np.all(np.isfinite(plain) & (plain > 0)):
        raise Undecided("T² alone does not reach the length within the budget: nothing to compare with")
    return float(np.mean(cost(run, plan) / plain))


COST = Claim(
    id="self-train-cost",
    locus="beyond the paper; Section 5 gives self-training its purpose",
    statement="Self-training pays: it takes S₅ to the end of the world (all values right, teacher-forced, in 0.9 "
    "of the sentences) for no more computation than going on with T²: the ratio of the clauses read, mean over seeds. "
    "Control: T² only, without further steps, which never gets there.",
    subject=lambda runs: cost_ratio(runs["symmetric"], "self"),
    wrong=lambda runs: cost_ratio(runs["symmetric"], "T2"),
    parts=Part(float, at_most(1.0)),
    needs={"symmetric": knows_two_steps},
    remark=lambda runs: (
        "Nearly a tie here: stages on longer sentences need fewer steps but read more clauses in each, and the "
        "annotator's reading comes on top. True labels of the same sentences cost "
        f"{cost_ratio(runs['symmetric'], 'true'):.2f} times as much as going on with T². Measured at one point of the "
        "regime map."
    ),
)


def draw(runs: Runs) -> Artefact:
    run = runs["symmetric"]
    watched = run.config.watched_length
    arms = [plan.name for plan in run.config.plans if plan.name in ARMS]
    if watched is None or not arms:
        raise Undecided("no length was watched along the stages")
    figure, (by_cost, by_step) = new_figure(1, 2, width=10.5, height=3.7)
    tables = []
    for arm in arms:
        label, colour = ARMS[arm]
        steps, passes, values = trace(run, arm, "values")
        for ax, x in ((by_cost, passes.mean(axis=0)), (by_step, steps)):
            band(ax, x, values, label, color=colour)
        about = {"arm": [arm] * values.size, "seed": np.repeat(run.config.seeds, len(steps))}
        measured = {"clauses": passes.ravel(), "values": values.ravel()}
        tables.append({**about, "step": np.tile(steps, len(values)), **measured})
    for ax, label in ((by_cost, "clauses read (a gradient counts three)"), (by_step, "steps of attention training")):
        ceiling(ax, LEVEL, "0.9")
        ax.set(xlabel=label, ylabel=f"all values right at length {watched}", ylim=(-0.03, 1.03))
    legend(by_cost, fontsize=7, loc="lower right")
    letter((by_cost, by_step))
    reached = ", ".join(f"{ARMS[arm][0].split(' (')[0]} {cost(run, arm).mean():.3g}" for arm in arms)
    caption = (
        f"{run.config.action}, |X| = {run.config.variables}, {len(run.config.seeds)} seeds (bands: one standard "
        "deviation). All arms share stage 1 and the first steps on T². A stage that its loss ended stands still until "
        "its cap: (a) counts only the steps taken (mean over seeds). Clauses read until 0.9, mean over seeds: "
        f"{reached}."
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="Self-training, short training and true labels at equal compute",
    runs=lambda scale: {"symmetric": symmetric_run(scale)},
    claims=(COST,),
    draw=draw,
)
