"""The runs that take the appendices' algebra at random points, each named "main"."""

from lemmata.core import RunConfig, Scale
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.run.algebra import GeneralAlgebra, SaddleAlgebra, WarmupAlgebra


def three_subjects(scale: Scale) -> dict[str, RunConfig]:
    return {"main": WarmupAlgebra(points=sizes.WARMUP_POINTS.at(scale))}


def any_subjects(scale: Scale) -> dict[str, RunConfig]:
    return {"main": GeneralAlgebra(points=sizes.GENERAL_POINTS.at(scale))}


def at_the_saddle(scale: Scale) -> dict[str, RunConfig]:
    return {"main": SaddleAlgebra(temperatures=sizes.SADDLE_TEMPERATURES.at(scale))}
