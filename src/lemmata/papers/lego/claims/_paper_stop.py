"""The runs of Algorithm 2 with the appendix' own stop, and how to read them: by n_y, d and C_B.

Features are those of Theorem C.1 without its errors. Two controls stop elsewhere: where the exponent has 2.01 c_1 or
6 c_1 instead of 3.01 c_1. A third has C_B = 4, where the corridors are wide and the annotator errs.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import (
    Claim,
    Part,
    Protocol,
    Rule,
    RunResult,
    Runs,
    Scale,
    TooShort,
    Undecided,
    at_most,
    of_result,
    precision,
    to_jax,
)
from lemmata.papers.lego import sizes
from lemmata.papers.lego.model.fast.four_scores import SCORES, attention
from lemmata.papers.lego.run.paper_stop import PaperStop, World
from lemmata.papers.lego.theory.logit_tables import ratio
from lemmata.papers.lego.theory.self_training import c1

FEATURES = Protocol(
    ours="features exactly those of Theorem C.1, true labels; sentences from length 8 on by weighted draws",
    why="d runs to 10^6 and every sentence of T^2 counts; labels are read and are true",
)
WHERE = "for S₄ and S₅, d from 404 to 10⁶ and $C_B$ of 8 and 16"
POINTS = 12  # of a path, evenly in eps, where corridors are listed


def stops(scale: Scale) -> dict[str, PaperStop]:
    main = PaperStop(
        points=sizes.STOP_POINTS.at(scale),
        vocabularies=sizes.STOP_VOCABULARIES.at(scale),
        clips=sizes.STOP_CLIPS.at(scale),
        stages=sizes.STOP_STAGES.at(scale),
        enumerated=sizes.STOP_ENUMERATED.at(scale),
        drawn=sizes.STOP_DRAWN.at(scale),
    )
    few = replace(main, vocabularies=main.vocabularies[:1])
    return {
        "main": main,
        "late stop": replace(few, stop=2.01),
        "early stop": replace(few, stop=6.0),
        "small clip": replace(main, clips=(4.0,)),
        "long": replace(few, clips=main.clips[-1:], stages=sizes.LONG_STAGES.at(scale)),
    }


def some(*names: str) -> Callable[[Scale], dict[str, PaperStop]]:
    return lambda scale: {name: stops(scale)[name] for name in ("main", *names)}


@of_result
def stopped(run: RunResult) -> Undecided | None:
    """A need: every stage came to its stop."""
    enough = len(run.metrics["stage"]) == len(run.config.worlds()) * run.config.stages
    if enough and np.all(run.metrics["ended_by_loss"]):
        return None
    return TooShort("a stage did not come to its stop")


class Path(NamedTuple):
    """A stage's iterations in one world: arrays over its points."""

    row: int
    points: int  # n_y
    vocabulary: float
    clip: float
    length: int
    loss: np.ndarray
    scores: np.ndarray  # [point, 4]
    speeds: np.ndarray  # of the four scores
    pred2: np.ndarray
    pred1: np.ndarray  # of each other predicate
    ans1: np.ndarray
    ans0: np.ndarray
    epsilon: np.ndarray

    @property
    def lead(self) -> np.ndarray:
        return self.pred2 - self.ans1

    @property
    def over_c1(self) -> np.ndarray:
        return self.epsilon / c1(self.clip)

    @property
    def ratio(self) -> float:
        """C_alpha."""
        return ratio(self.points, int(np.prod(range(1, self.points))))

    @property
    def converging(self) -> np.ndarray:
        """The points of stage 1.2.2 and of all later stages: eps is at most 0.4."""
        found = self.epsilon <= 0.4 if self.length == 2 else np.full(len(self.epsilon), True)
        if not found.any():
            raise Undecided("no iteration has an epsilon under 0.4")
        return found

    def spread(self, values: np.ndarray) -> np.ndarray:
        """At points evenly spaced in log eps while the stage converges, by interpolation."""
        kept = self.converging
        x = np.log(self.epsilon[kept])[::-1]
        return np.interp(np.linspace(x[-1], x[0], POINTS), x, values[kept][::-1])


def paths(run: RunResult, raised: Mapping[str, float] | None = None) -> Iterator[Path]:
    """`raised`: scores that are read higher than they are, for a wrong subject."""
    up = np.array([(raised or {}).get(name, 0.0) for name in SCORES])
    for row, (start, count) in enumerate(zip(run.metrics["first_point"], run.metrics["num_points"], strict=True)):
        part = slice(int(start), int(start + count))
        scores = np.stack([run.arrays[name][part] for name in SCORES], axis=1) + up
        speeds = np.stack([run.arrays[f"speed_{name}"][part] for name in SCORES], axis=1)
        length = int(run.metrics["length"][row])
        with precision("float64"):
            seen = attention(to_jax(scores), float(length), 2.0)
        parts = (seen.predicate, seen.other_predicate, seen.answer, seen.other_answer, seen.epsilon)
        world = (run.metrics["points"][row], run.metrics["vocabulary"][row], run.metrics["clip"][row])
        kept = [np.asarray(one, float) for one in parts]
        yield Path(
            row,
            int(world[0]),
            float(world[1]),
            float(world[2]),
            length,
            run.arrays["loss"][part],
            scores,
            speeds,
            *kept,
        )


class Stops(NamedTuple):
    """A run, and the scores that are read higher in it."""

    run: RunResult
    raised: Mapping[str, float] = {}

    def by_world(self, length: int, read: Callable[[Path], Any]) -> np.ndarray:
        """What is read of each world's stage of this length: [world, ...]."""
        found = [np.asarray(read(path)) for path in paths(self.run, self.raised) if path.length == length]
        if len(found) != len(self.run.config.worlds()):
            raise Undecided(f"not every world came to length {length}")
        return np.array(found)

    def later(self, read: Callable[[Path], Any]) -> np.ndarray:
        """Of the stages after T^2: [stage of a world, ...]."""
        lengths = later_lengths(self.run.config)
        if not lengths:
            raise Undecided("no stage after T^2")
        return np.concatenate([self.by_world(length, read) for length in lengths])

    def over(self, read: Callable[[Path], Any], *, later: bool = False, points: bool = False) -> np.ndarray:
        """Of T^2 or of the stages after it; at points of each path, or a number a path."""
        reading = (lambda path: path.spread(read(path))) if points else read
        return self.later(reading) if later else self.by_world(2, reading)


def later_lengths(config: PaperStop) -> list[int]:
    return [2**stage for stage in range(2, config.stages + 1)]


def in_words(world: World) -> str:
    return f"S{world.points}, d = {world.vocabulary:g}, C_B = {world.clip:g}"


def world_axes(later: bool = False, points: bool = False, run: str = "main") -> dict[str, Any]:
    """What the axes of such an array are."""

    def names(runs: Runs) -> list[str]:
        config = runs[run].config
        worlds = [in_words(world) for world in config.worlds()]
        return [f"length {n}, {world}" for n in later_lengths(config) for world in worlds] if later else worlds

    return {"stage" if later else "world": names} | ({"point": range(POINTS)} if points else {})


def on_paths(read: Callable[[Path], Any], rule: Rule, *, run: str = "main", **how: Any) -> Part:
    """A part that is read of every path: of T^2 or `later`, a number or `points`."""
    where = {name: how.pop(name, False) for name in ("later", "points")}
    return Part(lambda s: s.over(read, **where), rule, along=world_axes(**where, run=run), **how)


def of_paths(read: Callable[[Path], Any], run: str = "main", **where: bool) -> Callable[[Runs], np.ndarray]:
    """What a bound or a correction says of each path."""
    return lambda runs: Stops(runs[run]).over(read, **where)


def below(
    read: Callable[[Path], Any],
    printed: Callable[[Path], Any],
    corrected: Callable[[Path], Any] | None = None,
    *,
    paper: str,
    run: str = "main",
    later: bool = False,
) -> Part:
    """At twelve points of every path what is read is at most what is printed of it."""
    of = partial(of_paths, run=run, later=later, points=True)
    right = {} if corrected is None else {"corrected": of(corrected)}
    return on_paths(read, at_most(of(printed), paper=paper), run=run, later=later, points=True, **right)


def of_stops(run: str = "main", **words: Any) -> Claim:
    """A claim on the paths of a run that came to all its stops."""
    return Claim(**{"subject": lambda runs: Stops(runs[run]), "needs": {run: stopped}, "protocol": FEATURES, **words})


def main(runs: Runs) -> Stops:
    return Stops(runs["main"])


def ahead(name: str, run: str = "main") -> Callable[[Runs], Stops]:
    """A wrong subject: the same models, one block's diagonal read a half higher."""
    return lambda runs: Stops(runs[run], {f"{name}_diagonal": 0.5})
