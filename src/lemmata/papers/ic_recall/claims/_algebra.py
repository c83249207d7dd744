"""The runs that take the appendices' algebra at random points, each named "main"."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lemmata.core import Claim, Part, RunConfig, RunResult, Runs, Scale
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._formula import backwards
from lemmata.papers.ic_recall.run.algebra import GeneralAlgebra, SaddleAlgebra, WarmupAlgebra


def warmup_algebra(scale: Scale) -> dict[str, RunConfig]:
    return {"main": WarmupAlgebra(points=sizes.WARMUP_POINTS.at(scale))}


def general_algebra(scale: Scale) -> dict[str, RunConfig]:
    return {"main": GeneralAlgebra(points=sizes.GENERAL_POINTS.at(scale))}


def saddle_algebra(scale: Scale) -> dict[str, RunConfig]:
    return {"main": SaddleAlgebra(temperatures=sizes.SADDLE_TEMPERATURES.at(scale))}


def three_worlds(scale: Scale) -> dict[str, RunConfig]:
    """Full affine worlds; with three subjects nothing but the six relations of Table 1 is there."""
    main = GeneralAlgebra(points=sizes.GENERAL_POINTS.at(scale))
    return {"main": main, "world/3": replace(main, n=3), "world/11": replace(main, n=11)}


def each_world(runs: Runs) -> dict[str, RunResult]:
    return {"n = 3": runs["world/3"], "n = 7": runs["main"], "n = 11": runs["world/11"]}


def each_backwards(runs: Runs) -> dict[str, RunResult]:
    return {
        "n = 3": backwards(runs["world/3"]),
        "n = 7": backwards(runs["main"]),
        "n = 11": backwards(runs["world/11"]),
    }


def in_three_worlds(claim: Claim) -> Claim:
    """A formula's claim with a part a world, where it spoke of the run "main"."""
    part = claim.named_parts()[""]

    def of(world: str, ask: Callable[[Any], Any]) -> Callable[[Runs], Any]:
        return lambda runs: ask({"main": each_world(runs)[world]})

    def at(world: str) -> Part:
        axes = {axis: of(world, labels) if callable(labels) else labels for axis, labels in part.along.items()}
        rule = replace(part.rule, target=of(world, part.rule.target))
        return Part(lambda found: part.read(found[world]), rule, along=axes)

    parts = {world: at(world) for world in ("n = 3", "n = 7", "n = 11")}
    return replace(claim, subject=each_world, wrong=each_backwards, parts=parts)
