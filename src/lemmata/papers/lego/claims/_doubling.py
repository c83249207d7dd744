"""Algorithm 2 on the exact population: the run that Theorem 5.1, its corollary and Section 6.2.2 share.

Theorems speak of Acc_L (5), the mean over steps of the probability that a sampled clause is right. It is read as a
share of what the clip allows; greedy chains stand beside it, for an argmax may be right where its probability is small.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, Part, RunResult, Runs, Scale, TooShort, Undecided, at_least, of_result
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._population import FINISHED
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor
from lemmata.papers.lego.run.population_doubling import ARMS, PopulationDoubling
from lemmata.report.plots import COLOURS, CYCLE, band, ceiling, legend, letter, new_figure

SOLVED = 0.99  # of the largest Acc_L: the paper's 1 - 1/poly(d), whose degree it leaves open
PRINTED_EPSILON = 0.01  # (12)
CONTROL = "Control: stages that end at a hundred times their floor."


def doublings(scale: Scale) -> dict[str, PopulationDoubling]:
    """Every stage to its floor; and, as the wrong subject, stages that end far above it, whose labels err so that no
    time would bring the loss down: few steps."""
    main = PopulationDoubling(
        action=sizes.DOUBLING_ACTION.at(scale),
        vocabulary=sizes.DOUBLING_VOCABULARY.at(scale),
        width=sizes.DOUBLING_WIDTH.at(scale),
        clip=2.0,
        stages=sizes.DOUBLING_STAGES.at(scale),
        excess=2e-6,
        time=1e13,
        stride=0.2,
        contexts=sizes.DOUBLING_CONTEXTS.at(scale),
        one_step=ToTheFloor(finest=0.1),
        lengths=sizes.DOUBLING_LENGTHS.at(scale),
        test_sentences=sizes.DOUBLING_TEST.at(scale),
        seeds=sizes.seeds(sizes.DOUBLING_SEEDS, scale),
    )
    excess, seeds = sizes.EARLY_END_EXCESS.at(scale), sizes.seeds(sizes.EARLY_END_SEEDS, scale)
    return {"main": main, "hasty": replace(main, excess=excess, stages=3, evaluations=100, seeds=seeds)}


@of_result
def ended(run: RunResult) -> Undecided | None:
    """A need: stage 1 and every stage of self-training have come to their floors."""
    worst = float(np.max(run.metrics["one_step_excess"]))
    if not worst <= FINISHED:
        return TooShort(f"{run.config.action}: stage 1 ended {worst:.2g} above its floor")
    out_of_time = f"{run.config.action}: a stage ran out of time"
    return None if np.all(run.metrics["ended_by_loss"]) else TooShort(out_of_time)


class Course(NamedTuple):
    """One arm's stages: self-training's, or those of T^2 alone after as many clauses. Arrays are [seed, stage]."""

    run: RunResult
    arm: str = "self"

    def column(self, name: str) -> np.ndarray:
        shape = (len(self.run.config.seeds), len(ARMS), self.run.config.stages)
        return np.asarray(self.run.metrics[name], float).reshape(shape)[:, ARMS.index(self.arm)]

    def read(self, measure: str = "accuracy") -> np.ndarray:
        """[seed, stage, length]; equation (5) as a share of its ceiling."""
        values = self.run.arrays[measure][:, ARMS.index(self.arm)]
        return values / self.column("ceiling")[..., None] if measure == "accuracy" else values

    def at(self, length: int, measure: str = "accuracy") -> np.ndarray:
        lengths = self.run.config.lengths
        if length not in lengths:
            raise Undecided(f"the run reads no length {length}")
        return self.read(measure)[..., lengths.index(length)]


def main(runs: Runs) -> Course:
    return Course(runs["main"])


def ended_early(runs: Runs) -> Course:
    return Course(runs["hasty"])


class AtLengths(NamedTuple):
    """Stages, and the length at which each is read."""

    course: Course
    stages: list[int]  # from 0
    lengths: list[int]

    def solved(self, measure: str) -> list[float]:
        """The worst seed, by stage."""
        pairs = zip(self.stages, self.lengths, strict=True)
        return [float(self.course.at(length, measure)[:, stage].min()) for stage, length in pairs]


def twice_its_length(course: Course) -> AtLengths:
    """Each stage at twice its own length, as far as lengths are read."""
    config = course.run.config
    stages = [k for k in range(config.stages) if 2 ** (k + 2) in config.lengths]
    return AtLengths(course, stages, [2 ** (k + 2) for k in stages])


def every_length(course: Course, stage: int) -> AtLengths:
    lengths = list(course.run.config.lengths)
    return AtLengths(course, [stage] * len(lengths), lengths)


def solved_parts(read: Callable[[Course], AtLengths]) -> dict[str, Part]:
    """What is solved, by the length at which it is read."""
    along = {"L": lambda runs: read(main(runs)).lengths}
    return {
        "Acc over its ceiling": Part(lambda at: at.solved("accuracy"), at_least(SOLVED), along=along),
        "greedy chains right": Part(lambda at: at.solved("greedy"), at_least(SOLVED), carries=False, along=along),
    }


Panel = Callable[[Axes, Course], object]


def reach(ax: Axes, course: Course, measure: str = "accuracy") -> None:
    config = course.run.config
    for stage in range(config.stages):
        looks = {"color": CYCLE[stage % len(CYCLE)], "linestyle": ("-", "--")[stage // len(CYCLE) % 2]}
        band(ax, config.lengths, course.read(measure)[:, stage], f"to length {2 ** (stage + 1)}", **looks)
    by = (
        ("Acc (5) over its ceiling", "by probability")
        if measure == "accuracy"
        else ("greedy chains right", "by argmax")
    )
    ax.set(xscale="log", xlabel="length of the chain", ylim=(-0.03, 1.05), ylabel=by[0], title=by[1])
    ceiling(ax, 1.0)


def greedy_reach(ax: Axes, course: Course) -> None:
    reach(ax, course, "greedy")


def attention_by_stage(ax: Axes, course: Course) -> None:
    lengths = [2 ** (stage + 1) for stage in range(course.run.config.stages)]
    for name, label, colour in (
        ("epsilon_worst_before", "ε before the stage, worst step", COLOURS["sky"]),
        ("epsilon_worst", "ε after it, worst step", COLOURS["blue"]),
        ("gap_after", "gap after it, step 2", COLOURS["vermillion"]),
    ):
        band(ax, lengths, course.column(name), label, color=colour, marker="o")
    ceiling(ax, PRINTED_EPSILON)
    ax.set(xscale="log", yscale="log", xlabel="length of the stage", title="attention elsewhere")


def drawing(*panels: Panel) -> Callable[[Runs], Artefact]:
    """A drawing of some panels of self-training, with the run's table."""

    def draw(runs: Runs) -> Artefact:
        config = runs["main"].config
        figure, axes = new_figure(1, len(panels), width=4.5 * len(panels), height=3.8, squeeze=False)
        for ax, panel in zip(axes[0], panels, strict=True):
            panel(ax, main(runs))
            legend(ax, fontsize=6.5)
        letter(axes)
        caption = (
            f"Algorithm 2 on the exact population of {config.action}, d = {config.vocabulary}, |X| = "
            f"{config.variables}, C_B = {config.clip:g}, {len(config.seeds)} seeds (bands: one standard deviation). "
            f"From length 4 on by {config.contexts} drawn contexts; a stage ends {config.excess:g} above its floor."
        )
        return Artefact(figure, {name: list(values) for name, values in runs["main"].metrics.items()}, caption)

    return draw
