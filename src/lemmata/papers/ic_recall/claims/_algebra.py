"""The runs that take the appendices' algebra at random points, each named "main"."""

from dataclasses import replace

from lemmata.core import RunConfig, Scale
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.run.algebra import GeneralAlgebra, SaddleAlgebra, WarmupAlgebra


def three_subjects(scale: Scale) -> dict[str, RunConfig]:
    return {"main": WarmupAlgebra(points=sizes.WARMUP_POINTS.at(scale))}


def any_subjects(scale: Scale) -> dict[str, RunConfig]:
    return {"main": GeneralAlgebra(points=sizes.GENERAL_POINTS.at(scale))}


THREE_WORLDS = {"n = 3": "world/3", "n = 7": "main", "n = 11": "world/11"}  # a part's name -> its run


def three_worlds(scale: Scale) -> dict[str, RunConfig]:
    """Full affine worlds; with three subjects nothing but the six relations of Table 1 is there."""
    main = GeneralAlgebra(points=sizes.GENERAL_POINTS.at(scale))
    return {"main": main, **{f"world/{n}": replace(main, n=n) for n in (3, 11)}}


def at_the_saddle(scale: Scale) -> dict[str, RunConfig]:
    return {"main": SaddleAlgebra(temperatures=sizes.SADDLE_TEMPERATURES.at(scale))}
