"""Section 6.2.2: the attention of a symmetric action stage by stage of Algorithm 2, on the exact population."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, at_least, at_most, exactly
from lemmata.papers.lego.claims._population import FINISHED
from lemmata.papers.lego.run.one_step_flow import ToTheFloor
from lemmata.papers.lego.run.population_doubling import PopulationDoubling
from lemmata.report.plots import COLOURS, band, legend, letter, new_figure

SMALL_EPSILON, SMALL_GAP = 0.1, 0.2  # C_1 and C_2, "sufficiently small constants"


def doublings(scale: Scale) -> dict[str, PopulationDoubling]:
    """Every stage to 10% above its floor; and, as the wrong subject, to a hundred times its floor."""
    main = PopulationDoubling(
        action=scale.pick(smoke="S3", laptop="S5", paper="S5"),
        vocabulary=scale.pick(smoke=40, laptop=167, paper=404),
        width=scale.pick(smoke=8, laptop=12, paper=12),
        stages=scale.pick(smoke=3, laptop=4, paper=7),
        contexts=scale.pick(smoke=60, laptop=60, paper=240),  # 60 and 240 agree to three digits in a trial
        one_step=ToTheFloor(finest=0.1),
        time=1e9,
        lengths=scale.pick(smoke=(2, 4, 8, 16), laptop=(2, 4, 8, 16, 32, 39), paper=(2, 4, 8, 16, 32, 64, 128, 256)),
        test_sentences=scale.pick(smoke=8, laptop=32, paper=64),
        seeds=scale.seeds(smoke=1, laptop=3, paper=5),
    )
    return {"main": main, "hasty": replace(main, excess=100.0)}


def ended(run: RunResult) -> str | None:
    worst = float(np.max(run.metrics["one_step_excess"]))
    if not worst <= FINISHED:
        return f"{run.config.action}: stage 1 ended {worst:.2g} above its floor"
    return None if np.all(run.metrics["ended_by_loss"]) else f"{run.config.action}: a stage ran out of time"


class Course(NamedTuple):
    """By seed and stage."""

    run: RunResult

    def column(self, name: str) -> np.ndarray:
        return np.asarray(self.run.metrics[name], float).reshape(len(self.run.config.seeds), -1)

    def dilution(self) -> float:
        """A stage's first epsilon over the last of the stage before."""
        return float((self.column("epsilon_before")[:, 1:] / self.column("epsilon")[:, :-1]).max())

    def labels(self) -> float:
        return float(self.column("labels_right").min())

    def falls(self) -> float:
        """Epsilon after a stage over that before it, at most."""
        return float((self.column("epsilon") / self.column("epsilon_before")).max())

    def accuracy(self) -> float:
        """Equation (5) at twice the stage's length over its ceiling, at least, as far as it was read."""
        read = self.run.config.lengths
        shares = [
            self.run.arrays["accuracy"][:, k, read.index(2 ** (k + 2))] / self.column("ceiling")[:, k]
            for k in range(self.run.config.stages)
            if 2 ** (k + 2) in read
        ]
        return float(np.min(shares))


BOUNDS = Claim(
    id="symmetric-attention",
    locus="Section 6.2.2; Theorem 5.1, equation (11)",
    statement="Under Algorithm 2 a symmetric action's attention stays bounded, stage after stage: at the end of each, "
    f"ε^{{2^k,2}} <= C₁ (here {SMALL_EPSILON:g}) and the gap <= C₂ (here {SMALL_GAP:g}); the next starts from at most "
    "twice the ε and lowers it; all greedy labels are true; and by equation (5) each stage solves twice its length "
    "(here 0.95 of the ceiling). Over all seeds and stages. Control: stages that end at a hundred times their floor.",
    subject=lambda runs: Course(runs["main"]),
    wrong=lambda runs: Course(runs["hasty"]),
    parts={
        "ε at the end": Part(lambda course: course.column("epsilon").max(), at_most(SMALL_EPSILON)),
        "gap at the end": Part(lambda course: course.column("gap").max(), at_most(SMALL_GAP)),
        "ε at the next start, over it": Part(Course.dilution, at_most(2.0)),
        "ε, end over start": Part(Course.falls, at_most(1.0)),
        "true labels": Part(Course.labels, exactly(1.0)),
        "accuracy at twice the length": Part(Course.accuracy, at_least(0.95)),
    },
    needs={"main": ended},
    remark="That ε at most doubles is arithmetic: step 2 of 2^k predicates has 2^k clauses to look away from, twice as "
    "many as at half the length. C₁ and C₂ were written after one trial seed.",
)


def draw(runs: Runs) -> Artefact:
    course = Course(runs["main"])
    config = course.run.config
    figure, (look, reach) = new_figure(1, 2, width=9.0, height=3.5)
    lengths = [2**k for k in range(1, config.stages + 1)]
    band(look, lengths, course.column("epsilon_before"), "ε before the stage", color=COLOURS["sky"], marker="o")
    band(look, lengths, course.column("epsilon"), "ε after it", color=COLOURS["blue"], marker="o")
    band(look, lengths, course.column("gap"), "gap after it", color=COLOURS["vermillion"], marker="s")
    look.set(xscale="log", yscale="log", xlabel="the stage's length 2^k", title="attention at step 2")
    for stage in range(config.stages):
        shares = course.run.arrays["accuracy"][:, stage] / course.column("ceiling")[:, stage, None]
        band(reach, config.lengths, shares, f"after {2 ** (stage + 1)}")
    reach.set(xscale="log", xlabel="length", ylabel="equation (5), over its ceiling", title="accuracy")
    for ax in (look, reach):
        legend(ax, fontsize=7)
    letter((look, reach))
    caption = (
        f"Algorithm 2 on the exact population of {config.action}, d = {config.vocabulary}, C_B = {config.clip:g}, "
        f"{len(config.seeds)} seeds (bands: one standard deviation); from length 4 on by {config.contexts} drawn "
        "contexts. Each stage ends 10% above its floor."
    )
    return Artefact(figure, {name: list(values) for name, values in course.run.metrics.items()}, caption)


EXPERIMENT = Experiment(title="Symmetric attention, stage by stage", runs=doublings, claims=(BOUNDS,), draw=draw)
