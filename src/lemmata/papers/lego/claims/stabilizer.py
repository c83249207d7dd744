"""Algebra alone: actions on the same points, or of the same order, in worlds with the same vocabulary."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Undecided, at_least, at_most, falls
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._population import (
    FAMILIES,
    LEVEL,
    by_stabilizer,
    families,
    finished,
    reached,
    stabilizer,
)
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.report.plots import COLOURS, columns, legend, letter, new_figure

SMALL = 4  # elements of a stabilizer: beyond, actions on five points hardly differ
FARTHER = 1.1  # times the length: what counts as reaching farther
SHOWN = 1e4  # the time that is judged: later some action is at the end of the grid
SHADES = (COLOURS["sky"], COLOURS["blue"], COLOURS["purple"], "#333333")


class Moment(NamedTuple):
    """The worlds whose lengths are read."""

    runs: Runs
    prefix: str = ""

    def lengths(self, family: str) -> list[float]:
        """The mean over seeds of every action, the smallest stabilizer first."""
        members = by_stabilizer(self.runs, self.prefix + family)
        found = [float(at_shown_time(run).mean()) for run in members]
        if all(length >= max(run.config.lengths) for length, run in zip(found, members, strict=True)):
            raise Undecided(f"{family}: every action reaches the longest chain that is tested")
        return found

    def small(self, family: str) -> list[float]:
        """The lengths of stabilizers up to four."""
        return [length for length, size in self._with_sizes(family) if size <= SMALL]

    def large_over_small(self, family: str) -> float:
        """The longest length of a larger stabilizer over the shortest of the others."""
        found = self._with_sizes(family)
        large, small = [x for x, size in found if size > SMALL], [x for x, size in found if size <= SMALL]
        if not large or not small:
            raise Undecided(f"stabilizers of more than {SMALL} elements and others are needed")
        return max(large) / min(small)

    def free_over_not_free(self, family: str) -> float:
        """The shortest length of a free action over the longest of the others."""
        found = self._with_sizes(family)
        free, bound = [length for length, size in found if size == 1], [length for length, size in found if size > 1]
        if not free or not bound:
            raise Undecided("a free action and one that is not are needed")
        return min(free) / max(*bound, 1.0)

    def _with_sizes(self, family: str) -> list[tuple[float, int]]:
        sizes = [stabilizer(run) for run in by_stabilizer(self.runs, self.prefix + family)]
        return list(zip(self.lengths(family), sizes, strict=True))


def at_shown_time(run: RunResult) -> np.ndarray:
    """The length reached, by seed."""
    if SHOWN not in run.config.records:
        raise Undecided(f"nothing is recorded at time {SHOWN:g}")
    return reached(run)[:, run.config.records.index(SHOWN)]


def worlds(scale: Scale) -> dict[str, PopulationRun]:
    """The families; and, as the wrong subject, some of them with stage 1 stopped at twice its floor, where every pair
    is right and wrong logits are still awake."""
    found, few = families(scale), sizes.EARLY_SEEDS.at(scale)
    early = {"five points": ("C3", "S3", "C5", "F5", "A5"), "order twelve": ("C3", "S3", "A4:self", "A4")}
    stopped = {f"{family}/{name}": found.get(f"{family}/{name}") for family, names in early.items() for name in names}
    return found | {
        f"early {name}": replace(run, one_step=replace(run.one_step, tolerance=1.0), seeds=run.seeds[:few])
        for name, run in stopped.items()
        if run is not None
    }


def _lengths(runs: Runs, family: str) -> str:
    said = [f"{run.config.action} {at_shown_time(run).mean():.1f}" for run in by_stabilizer(runs, family)]
    return ", ".join(said)


def _actions(runs: Runs) -> list[str]:
    return [run.config.action for run in by_stabilizer(runs, "five points") if stabilizer(run) <= SMALL]


STABILIZER = Claim(
    id="stabilizer",
    locus="Section 1.1 (stabilizers), Section 5 (distractors)",
    statement="The stabilizer decides: with points, vocabulary and time of the gradient flow equal, the length "
    f"reached by equation (5), {LEVEL:g} of its ceiling, falls as the stabilizer grows. Judged on five points by the "
    f"mean length up to {SMALL} elements and by the longest of larger stabilizers over the shortest of these; at "
    "order twelve by the shortest length of a simply transitive action over the longest of the others. Control: the "
    "same actions with stage 1 stopped at twice its floor.",
    subject=Moment,
    wrong=lambda runs: Moment(runs, "early "),
    parts={
        "five points, by growing stabilizer": Part(
            lambda now: now.small("five points"), falls(), along={"action": _actions}
        ),
        "five points, large over small": Part(lambda now: now.large_over_small("five points"), at_most(1.0)),
        "order twelve, free over not free": Part(lambda now: now.free_over_not_free("order twelve"), at_least(FARTHER)),
    },
    needs=dict.fromkeys(FAMILIES, finished),
    remark=lambda runs: (
        "Our reading of the paper's mechanism (a distractor needs a stabilizer), not a statement it prints. Between "
        "stabilizers of 12 and 24 elements either may come first: chains of the test decide. Lengths "
        f"reached at time {SHOWN:g}, by growing stabilizer: {_lengths(runs, 'five points')}; "
        f"{_lengths(runs, 'order twelve')}. With stage 1 stopped at twice its floor: "
        f"{_lengths(runs, 'early five points')}; {_lengths(runs, 'early order twelve')}: as long as wrong logits are "
        "awake, the loss goes on asking for attention, whatever the algebra."
    ),
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, len(FAMILIES), width=4.75 * len(FAMILIES), height=3.6, squeeze=False)
    rows = []
    for ax, family in zip(axes[0], FAMILIES, strict=True):
        members = by_stabilizer(runs, family)
        places = np.arange(len(members))
        for time, colour in zip(drawn_times(members[0]), SHADES, strict=False):
            index = members[0].config.records.index(time)
            values = [reached(run)[:, index] for run in members]
            ax.plot(places, [v.mean() for v in values], "o-", color=colour, label=f"time {time:g}", markersize=4)
            for place, run, lengths in zip(places, members, values, strict=True):
                ax.plot(np.full(len(lengths), place), lengths, ".", color=colour, alpha=0.5, markersize=4)
                about = {"family": family, "action": run.config.action, "stabilizer": stabilizer(run)}
                about |= {"variables": run.config.variables, "time": time}
                by_seed = zip(run.config.seeds, lengths, strict=True)
                rows += [{**about, "seed": seed, "reached": float(length)} for seed, length in by_seed]
        ax.set_xticks(places, [f"{run.config.action}\n{stabilizer(run)}" for run in members])
        ax.set(xlabel="action, and the size of its stabilizer", ylabel="length reached", title=family, ylim=(0, None))
        legend(ax, fontsize=7)
    letter(axes)
    config = next(iter(runs.values())).config
    caption = (
        f"Length up to which equation (5) stays at {LEVEL:g} of its ceiling (up to {max(config.lengths)}), by actions "
        "in worlds of one vocabulary size each, on the exact population with stage 1 at its floor. Line: mean of "
        f"{len(config.seeds)} seeds; dots: seeds. |X| makes up for the size of the group. All seeds are tested on the "
        "same chains."
    )
    return Artefact(figure, columns(rows), caption)


def drawn_times(run: RunResult) -> list[float]:
    """Around the time that is judged."""
    return [time for time in (1e3, SHOWN, 1e5) if time in run.config.records]


EXPERIMENT = Experiment(title="Does the stabilizer decide?", runs=worlds, claims=(STABILIZER,), draw=draw)
