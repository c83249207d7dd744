"""The mechanism of Section 5: with a stabilizer, training may converge while attention is not yet concentrated."""

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Undecided, at_least, near
from lemmata.papers.lego.claims._population import at_excess, at_time, by_record, families, finished, stabilizer
from lemmata.report.plots import CYCLE, band, columns, legend, letter, new_figure

EXCESS = 0.01  # of the floor: where losses are equal
FAMILIES = ("five points", "order twelve")


class Concentration(NamedTuple):
    """Of the actions with a stabilizer over those without: the least over the greatest of all seeds, in the family
    where that is closest."""

    at_equal_time: float
    at_equal_excess: float
    gap_at_equal_excess: float


def concentration(bound: Sequence[RunResult], free: Sequence[RunResult]) -> Concentration:
    def ratio(read) -> float:
        return float(min(read(run).min() for run in bound) / max(read(run).max() for run in free))

    last = min(max(run.config.records) for run in (*bound, *free))
    return Concentration(
        ratio(lambda run: at_time(run, "epsilon_22", last)),
        ratio(lambda run: at_excess(run, "epsilon_22", EXCESS)),
        ratio(lambda run: at_excess(run, "gap_22", EXCESS)),
    )


def split(runs: Runs, family: str) -> tuple[list[RunResult], list[RunResult]]:
    """Actions with a stabilizer, and without."""
    members = list(runs.group(family).values())
    free = [run for run in members if stabilizer(run) == 1]
    bound = [run for run in members if stabilizer(run) > 1]
    if not free or not bound:
        raise Undecided(f"{family}: a free action and one that is not are needed")
    return bound, free


def closest(runs: Runs) -> Concentration:
    found = [concentration(*split(runs, family)) for family in FAMILIES]
    return Concentration(*(min(values) for values in zip(*found, strict=True)))


def two_free(runs: Runs) -> Concentration:
    """One simply transitive action in the place of those with a stabilizer."""
    _, free = split(runs, "order twelve")
    if len(free) < 2:
        raise Undecided("the control needs two simply transitive actions in one vocabulary")
    return concentration(free[:1], free[1:])


def _table(runs: Runs) -> str:
    def said(run: RunResult) -> str:
        last, equal = at_time(run, "epsilon_22", max(run.config.records)), at_excess(run, "epsilon_22", EXCESS)
        return f"{run.config.action} ({stabilizer(run)}) {last.mean():.4f} and {equal.mean():.4f}"

    members = [run for family in FAMILIES for run in runs.group(family).values()]
    return "; ".join(said(run) for run in members)


MECHANISM = Claim(
    id="mechanism",
    locus="Section 1.1, Section 5 (challenges for the symmetry task)",
    statement="Attending to distractors still gives the right answer, so with a stabilizer training may converge with "
    "less concentration: at equal d, ε and the attention gap on T² are larger than for simply transitive actions, "
    f"after equal time of the gradient flow and where the loss is {EXCESS:.0%} above its floor. (The least of all "
    "actions and seeds with a stabilizer over the greatest without.) Control: a second simply transitive action in "
    "their place.",
    subject=closest,
    wrong=two_free,
    parts={
        "ε at equal time": Part(attrgetter("at_equal_time"), at_least(1.5)),
        "ε at equal loss": Part(attrgetter("at_equal_excess"), at_least(1.5)),
        "gap at equal loss": Part(attrgetter("gap_at_equal_excess"), at_least(1.5)),
    },
    remark=lambda runs: f"ε at the last time and at equal loss, by action (stabilizer): {_table(runs)}.",
)


class Pair(NamedTuple):
    first: RunResult
    second: RunResult


def free_pair(runs: Runs) -> Pair:
    _, free = split(runs, "order twelve")
    if len(free) < 2:
        raise Undecided("two simply transitive actions of one order are needed")
    return Pair(*free[:2])


def unequal_pair(runs: Runs) -> Pair:
    """The action with the smallest stabilizer in the place of the second."""
    bound, free = split(runs, "order twelve")
    return Pair(free[0], min(bound, key=stabilizer))


def apart(pair: Pair) -> list[float]:
    """The ratio of the two curves of ε, each the geometric mean over seeds, at every record up to convergence."""
    first, second = (np.log(by_record(run, "epsilon_22")).mean(axis=0) for run in pair)
    return np.exp(second - first)[_going(pair)].tolist()


def _going(pair: Pair) -> np.ndarray:
    """The records before either is converged."""
    return np.min([by_record(run, "excess").min(axis=0) for run in pair], axis=0) > EXCESS


def _times(pair: Pair) -> list[float]:
    return np.array(pair.first.config.records)[_going(pair)].tolist()


SAME_CURVE = Claim(
    id="one-curve",
    locus="beyond the paper; Assumption 4.1 names no group",
    statement="Two simply transitive actions of one order, a commutative one and one that is not (C₁₂ and A₄ on "
    "itself), concentrate along one curve: the ratio of their ε (geometric means over seeds) at every record until a "
    f"loss is {EXCESS:.0%} above its floor. Control: "
    "an action of the same group order with a stabilizer of two (D₆) in the place of the second.",
    subject=free_pair,
    wrong=unequal_pair,
    parts=Part(apart, near(1.0, atol=0.2), along={"time": lambda runs: _times(free_pair(runs))}),
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(2, 2, width=9.5, height=6.6)
    rows = []
    for column, family in enumerate(FAMILIES):
        members = sorted(runs.group(family).values(), key=stabilizer)
        for run, colour in zip(members, CYCLE, strict=False):
            _curves(axes[0, column], axes[1, column], run, colour)
            names = ("seed", "time", "loss", "excess", "epsilon_22", "gap_22", "third_diagonal", "fourth_diagonal")
            about = {"family": family, "action": run.config.action, "stabilizer": stabilizer(run)}
            table = zip(*(run.metrics[name] for name in names), strict=True)
            rows += [{**about, **dict(zip(names, map(float, row), strict=True))} for row in table]
        axes[0, column].set(xscale="log", yscale="log", xlabel="time of the flow", ylabel="ε on T²", title=family)
        axes[1, column].set(xscale="log", yscale="log", xlabel="loss above its floor (relative)", ylabel="ε on T²")
        axes[1, column].invert_xaxis()
        legend(axes[0, column], fontsize=7)
    letter(axes)
    config = next(iter(runs.values())).config
    caption = (
        f"Concentration degree ε^{{2,2}} (19) of the exact population, C_B = {config.clips[0]:g}, σ₀ = "
        f"{config.scales[0]:g}, q = {config.power}, stage 1 at its floor, {len(config.seeds)} seeds (bands: one "
        "standard deviation). Above: by time of the gradient flow. Below: by how far the loss is above its floor. In "
        "brackets: the size of the stabilizer."
    )
    return Artefact(figure, columns(rows), caption)


def _curves(above: Axes, below: Axes, run: RunResult, colour: str) -> None:
    epsilon, excess = by_record(run, "epsilon_22"), by_record(run, "excess")
    label = f"{run.config.action} ({stabilizer(run)})"
    band(above, run.config.records, epsilon, label, color=colour)
    for one, left in zip(epsilon, excess, strict=True):
        below.plot(np.maximum(left, 1e-6), one, color=colour, linewidth=0.8)


EXPERIMENT = Experiment(
    title="Converged, and yet not concentrated: the stabilizer's part",
    runs=families,
    needs=dict.fromkeys(FAMILIES, finished),
    claims=(MECHANISM, SAME_CURVE),
    draw=draw,
)
