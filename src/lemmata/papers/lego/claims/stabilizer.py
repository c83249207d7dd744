"""Algebra alone: actions on the same points, or of the same order, in worlds with the same vocabulary."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Undecided, at_least, falls
from lemmata.papers.lego.claims._theory_runs import knows_its_action
from lemmata.papers.lego.run.regime import RegimeCells
from lemmata.papers.lego.task import action
from lemmata.report.plots import COLOURS, columns, legend, letter, new_figure

FIVE_POINTS = ("C5", "D5", "F5", "A5", "S5")  # stabilizers of 1, 2, 4, 12, 24 elements
ORDER_TWELVE = ("C12", "A4:self", "D6", "A4")  # of 1, 1, 2, 3
SHADES = (COLOURS["sky"], COLOURS["blue"], COLOURS["purple"], "#333333")


def families(scale: Scale) -> dict[str, RegimeCells]:
    """The actions of both families; |X| fills the vocabulary up to the same d, so that B, the bias and the silent
    tokens agree within a family."""
    if scale.name == "smoke":
        return {f"five points/{name}": RegimeCells.smallest(name) for name in ("C3", "S3")}
    five, twelve = (FIVE_POINTS, ORDER_TWELVE) if scale.name == "paper" else (("C5", "S5"), ("A4:self", "A4"))
    # A class of A4 on itself has twelve combinations to learn.
    return {
        **{f"five points/{name}": _world(name, 167, 12, scale) for name in five},
        **{f"order twelve/{name}": _world(name, 66, 32, scale) for name in twelve},
    }


def _world(name: str, vocabulary: int, width: int, scale: Scale) -> RegimeCells:
    actions, values = action(name).table.shape
    paper = scale.name == "paper"
    return RegimeCells(
        action=name,
        variables=vocabulary - actions - values - 1,
        widths=(width,),
        steps=400,  # later every action reaches the end of the grid
        every=200,
        one_step_steps=20_000 if paper else 8000,
        lengths=(2, 4, 8, 12, 18, 27, 40),
        test_sentences=256 if paper else 64,
        seeds=scale.seeds(smoke=1, laptop=2, paper=5),
    )


def by_stabilizer(runs: Runs, family: str) -> list[RunResult]:
    return sorted(runs.group(family).values(), key=stabilizer)


def stabilizer(run: RunResult) -> int:
    return action(run.config.action).stabilizer_size


def reached(run: RunResult, record: int) -> np.ndarray:
    """The length, by seed, at the first record of stage 2 (untrained attention) or at the last."""
    return run.column("reached", step=run.metrics["step"][record])


class Moment(NamedTuple):
    """All worlds at one record."""

    runs: Runs
    record: int

    def lengths(self, family: str) -> list[float]:
        """The mean of every action, the smallest stabilizer first."""
        members = by_stabilizer(self.runs, family)
        if self.record == -1 and all(np.all(reached(run, -1) >= max(run.config.lengths)) for run in members):
            names = ", ".join(run.config.action for run in members)
            raise Undecided(f"every action of {names} reaches the longest chain that is asked for")
        return [float(reached(run, self.record).mean()) for run in members]

    def free_over_not_free(self, family: str) -> float:
        """The shortest length of a free action over the longest of the others."""
        sizes = [stabilizer(run) for run in by_stabilizer(self.runs, family)]
        found = list(zip(self.lengths(family), sizes, strict=True))
        free, bound = [length for length, size in found if size == 1], [length for length, size in found if size > 1]
        if not free or not bound:
            raise Undecided("a free action and one that is not are needed")
        return min(free) / max(*bound, 1.0)


def _lengths(runs: Runs, family: str) -> str:
    return ", ".join(f"{run.config.action} {reached(run, -1).mean():.1f}" for run in by_stabilizer(runs, family))


STABILIZER = Claim(
    id="stabilizer",
    locus="Section 1.1 (stabilizers), Section 5 (distractors)",
    statement="The stabilizer decides: with points, vocabulary and training equal, the length reached falls as the "
    "stabilizer grows. On five points, the mean length reached by growing stabilizer; at order twelve, the shortest "
    "length of a simply transitive action over the longest of the others. Values, teacher-forced; the variable "
    "(token 4) is not judged. Control: untrained attention.",
    subject=lambda runs: Moment(runs, -1),
    wrong=lambda runs: Moment(runs, 0),
    parts={
        "five points, by growing stabilizer": Part(lambda now: now.lengths("five points"), falls(slack=2.0)),
        "order twelve, free over not free": Part(lambda now: now.free_over_not_free("order twelve"), at_least(1.0)),
    },
    needs={"five points": knows_its_action, "order twelve": knows_its_action},
    remark=lambda runs: (
        "Our reading of the paper's mechanism (a distractor needs a stabilizer), not a statement it prints. Lengths "
        f"reached with the vocabulary equal, by growing stabilizer: {_lengths(runs, 'five points')}; "
        f"{_lengths(runs, 'order twelve')}. A₄ on itself is the same group as A₄ on four points, with a trivial "
        "stabilizer. Usually d grows with |G| too."
    ),
)


def draw(runs: Runs) -> Artefact:
    names = list(dict.fromkeys(name.partition("/")[0] for name in runs))
    figure, axes = new_figure(1, len(names), width=4.75 * len(names), height=3.6, squeeze=False)
    rows = []
    for ax, family in zip(axes[0], names, strict=False):
        members = by_stabilizer(runs, family)
        places = np.arange(len(members))
        for step, colour in zip(np.unique(members[0].metrics["step"])[1:], SHADES, strict=False):
            values = [run.column("reached", step=step) for run in members]
            ax.plot(places, [v.mean() for v in values], "o-", color=colour, label=f"{step} steps", markersize=4)
            for place, run, lengths in zip(places, members, values, strict=True):
                ax.plot(np.full(len(lengths), place), lengths, ".", color=colour, alpha=0.5, markersize=4)
                about = {"family": family, "action": run.config.action, "stabilizer": stabilizer(run)}
                about |= {"variables": run.config.variables, "step": int(step)}
                known = {"one_step_accuracy": float(run.arrays["one_step.value.accuracy"].min())}
                by_seed = zip(run.column("seed", step=step), lengths, strict=True)
                rows += [{**about, "seed": int(seed), "reached": float(length), **known} for seed, length in by_seed]
        ax.set_xticks(places, [f"{run.config.action}\n{stabilizer(run)}" for run in members])
        ax.set(xlabel="action, and the size of its stabilizer", ylabel="length reached", title=family, ylim=(0, None))
        legend(ax, fontsize=7)
    letter(axes)
    config = next(iter(runs.values())).config
    caption = (
        "Length reached after T¹ and T² (all values right, teacher-forced, in 0.9 of the sentences, up to "
        f"{max(config.lengths)}) by actions in worlds of one vocabulary size each; rate {config.rates[0]:g} |X|. Line: "
        f"mean of {len(config.seeds)} seeds; dots: seeds. |X| makes up for the size of the group. All seeds are tested "
        "on the same sentences."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(title="Does the stabilizer decide?", runs=families, claims=(STABILIZER,), draw=draw)
