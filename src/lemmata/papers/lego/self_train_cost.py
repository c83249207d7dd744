"""At equal compute: self-training, plain short training and true long labels, for S_5 on the theory model.

Compute is counted in clauses read: a gradient is three forward passes, and an annotator's passes are paid for.
"""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Undecided
from lemmata.core.legacy import AtMost, Claim, Experiment, Results
from lemmata.papers.lego.run.theory_settings import symmetric, symmetric_run, trace
from lemmata.report.plots import COLOURS, band, ceiling, legend, new_figure, panel_label

LEVEL = 0.9
ARMS = {
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


def _ratio(results: Results, plan: str) -> Any:
    if results.scale.name == "smoke":
        return Undecided("at smoke scale nothing is solved")
    run = symmetric(results)
    plain = cost(run, "short")
    if not np.all(np.isfinite(plain)):
        return Undecided("T² alone does not reach the length within the budget: nothing to compare with")
    return float(np.mean(cost(run, plan) / plain))


COST = Claim(
    id="lego/self-train-cost",
    locus="beyond the paper; Section 5 gives self-training its purpose",
    statement="Self-training pays: it takes S₅ to the end of the world (all values right, teacher-forced, in 0.9 "
    "of the sentences) for no more computation than going on with T². Rule: the ratio of the clauses read, mean over "
    "seeds, is at most 1. Control: T² only, without further steps, which never gets there.",
    predict=lambda results: 1.0,
    measure=lambda results: _ratio(results, "self"),
    control=lambda results: _ratio(results, "T2"),
    check=AtMost(),
    remark="The two cost the same here, to within a record of 50 steps: stages on longer sentences need fewer steps "
    "but read more clauses in each, and the annotator's reading comes on top. True labels of the same sentences are "
    "cheaper than both. Measured at one point of the regime map.",
)


def draw(results: Results) -> Artefact:
    run = symmetric(results)
    figure, (by_cost, by_step) = new_figure(1, 2, width=10.5, height=3.7)
    table: dict[str, list[Any]] = {"arm": [], "seed": [], "step": [], "clauses": [], "values": []}
    watched = run.config.watched_length
    for plan in run.config.plans:
        if plan.name not in ARMS or watched is None:
            continue
        label, colour = ARMS[plan.name]
        steps, passes, values = trace(run, plan.name, "values")
        for ax, x in ((by_cost, passes.mean(axis=0)), (by_step, steps)):
            band(ax, x, values, label, color=colour)
        for seed, record in np.ndindex(values.shape):
            row = (
                plan.name,
                run.config.seeds[seed],
                int(steps[record]),
                float(passes[seed, record]),
                float(values[seed, record]),
            )
            for name, item in zip(table, row, strict=True):
                table[name].append(item)
    for ax, label in ((by_cost, "clauses read (a gradient counts three)"), (by_step, "steps of attention training")):
        ceiling(ax, LEVEL, "0.9")
        ax.set(xlabel=label, ylabel=f"all values right at length {watched}", ylim=(-0.03, 1.03))
    legend(by_cost, fontsize=7, loc="lower right")
    panel_label(by_cost, "a")
    panel_label(by_step, "b")
    reached = ", ".join(f"{ARMS[p.name][0].split(' (')[0]} {cost(run, p.name).mean():.3g}" for p in run.config.plans
                        if p.name in ARMS and watched is not None)  # fmt: skip
    caption = (
        f"{run.config.action}, |X| = {run.config.variables}, {len(run.config.seeds)} seeds (bands: one standard "
        "deviation). All arms share stage 1 and the first steps on T². A stage that its loss ended stands still until "
        "its cap: (a) counts only the steps taken (mean over seeds). Clauses read until 0.9, mean over seeds: "
        f"{reached or 'not measured'}."
    )
    return Artefact(figure, table, caption)


EXPERIMENTS = (
    Experiment(
        id="lego/self-train-cost",
        title="Self-training, short training and true labels at equal compute",
        grid=lambda scale: (symmetric_run(scale),),
        claims=(COST,),
        render=draw,
    ),
)
