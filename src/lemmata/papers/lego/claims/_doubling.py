"""Algorithm 2 on the exact population: the run that Theorem 5.1, its corollary and the price of self-training share."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import RunResult, Scale, TooShort, Undecided, of_result
from lemmata.papers.lego.claims._population import FINISHED
from lemmata.papers.lego.run.one_step_flow import ToTheFloor
from lemmata.papers.lego.run.population_doubling import ARMS, PopulationDoubling


def doublings(scale: Scale) -> dict[str, PopulationDoubling]:
    """Every stage to its floor; and, as the wrong subject, stages that end at a hundred times theirs, whose labels err
    so that no time would bring the loss down: few steps. (In smoke's small vocabulary the loss begins below
    that, so its stages end at twice their floor.)"""
    main = PopulationDoubling(
        action=scale.pick(smoke="S3", laptop="S5", paper="S5"),
        vocabulary=scale.pick(smoke=40, laptop=404, paper=808),
        width=scale.pick(smoke=8, laptop=12, paper=12),
        clip=2.0,
        stages=scale.pick(smoke=3, laptop=7, paper=8),
        excess=2e-6,
        time=1e13,
        stride=0.2,
        contexts=scale.pick(smoke=30, laptop=30, paper=120),  # 60 and 240 agree to three digits in a trial
        one_step=ToTheFloor(finest=0.1),
        lengths=scale.pick(smoke=(2, 4, 8, 16, 24), laptop=lengths_to(256), paper=lengths_to(512)),
        test_sentences=scale.pick(smoke=8, laptop=16, paper=64),
        seeds=scale.seeds(smoke=1, laptop=2, paper=5),
    )
    early = scale.pick(smoke=1.0, laptop=100.0, paper=100.0)
    seeds = scale.seeds(smoke=1, laptop=2, paper=1)
    return {"main": main, "hasty": replace(main, excess=early, stages=3, evaluations=100, seeds=seeds)}


def lengths_to(longest: int) -> tuple[int, ...]:
    return tuple(2**k for k in range(1, longest.bit_length()))


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


class Asked(NamedTuple):
    """Stages, and the length that each is asked for."""

    course: Course
    stages: list[int]  # from 0
    lengths: list[int]

    def solved(self, measure: str) -> list[float]:
        """The worst seed, by stage."""
        pairs = zip(self.stages, self.lengths, strict=True)
        return [float(self.course.at(length, measure)[:, stage].min()) for stage, length in pairs]


def twice_its_length(course: Course) -> Asked:
    """Each stage at twice its own length, as far as lengths are read."""
    config = course.run.config
    stages = [k for k in range(config.stages) if 2 ** (k + 2) in config.lengths]
    return Asked(course, stages, [2 ** (k + 2) for k in stages])


def every_length(course: Course, stage: int) -> Asked:
    lengths = list(course.run.config.lengths)
    return Asked(course, [stage] * len(lengths), lengths)
