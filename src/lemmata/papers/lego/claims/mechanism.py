"""The mechanism of Section 5: with a stabilizer, training may converge while attention is not yet concentrated."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from lemmata.core import Claim, Experiment, Part, RunResult, Runs, at_least
from lemmata.papers.lego.claims._concentration import EXCESS, drawing, split, two_free
from lemmata.papers.lego.claims._population import FAMILIES, at_excess, at_time, families, finished, stabilizer

APART = 1.5  # times as diluted: what counts as less concentrated


class Concentration(NamedTuple):
    """Of the actions with a stabilizer over those without: the least over the greatest of all seeds, in the family
    where that is closest."""

    at_equal_time: float
    at_equal_excess: float
    gap_at_equal_excess: float


def concentration(bound: Sequence[RunResult], free: Sequence[RunResult]) -> Concentration:
    def ratio(read: Callable[[RunResult], np.ndarray]) -> float:
        return float(min(read(run).min() for run in bound) / max(read(run).max() for run in free))

    last = min(max(run.config.records) for run in (*bound, *free))
    return Concentration(
        ratio(lambda run: at_time(run, "epsilon_22", last)),
        ratio(lambda run: at_excess(run, "epsilon_22", EXCESS)),
        ratio(lambda run: at_excess(run, "gap_22", EXCESS)),
    )


def closest(runs: Runs) -> Concentration:
    found = [concentration(*split(runs, family)) for family in FAMILIES]
    return Concentration(*(min(values) for values in zip(*found, strict=True)))


def by_action(runs: Runs) -> str:
    def of_run(run: RunResult) -> str:
        last, equal = at_time(run, "epsilon_22", max(run.config.records)), at_excess(run, "epsilon_22", EXCESS)
        return f"{run.config.action} ({stabilizer(run)}) {last.mean():.4f} and {equal.mean():.4f}"

    members = [run for family in FAMILIES for run in runs.group(family).values()]
    listed = "; ".join(map(of_run, members))
    return rf"$\varepsilon^{{2,2}}$ at the last time and at equal loss, by action (stabilizer): {listed}."


MECHANISM = Claim(
    id="mechanism",
    locus="Section 1.1, Section 5 (challenges for the symmetry task)",
    statement="Attending to distractors still gives the right answer, so with a stabilizer training may converge "
    "with less concentration than for simply transitive actions. Judged at equal $d$, after equal time of the "
    f"gradient flow and where the loss is {EXCESS:.0%} above its floor: "
    r"$\varepsilon^{2,2}$ and the attention gap, the least of all actions and seeds with a stabilizer over the "
    "greatest without. Control: a second simply transitive action in their place.",
    subject=closest,
    wrong=lambda runs: concentration(two_free(runs)[:1], two_free(runs)[1:]),
    parts={
        "ε at equal time": Part(attrgetter("at_equal_time"), at_least(APART)),
        "ε at equal loss": Part(attrgetter("at_equal_excess"), at_least(APART)),
        "gap at equal loss": Part(attrgetter("gap_at_equal_excess"), at_least(APART)),
    },
    remark=by_action,
)

EXPERIMENT = Experiment(
    title="Converged, and yet not concentrated: the stabilizer's part",
    runs=families,
    needs=dict.fromkeys(FAMILIES, finished),
    claims=(MECHANISM,),
    draw=drawing(*FAMILIES),
)
