"""Algorithm 2 with the stop of the appendix, on S_n with the features of Theorem C.1: `Loss_5^{L,2}` under
e^((-1/2 + 3.01 c_1) 2B), where c_1 = 1.005 log d / 2B (Inductions E.2 and F.1).

A stage of sentences of length L = 2^k goes by the gradient flow of the four scores from where the one before ended, on
true answers: what the annotator writes is read beside it (Remark F.1). Every point of the path is kept, since the
appendix speaks of all iterations.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import equinox as eqx
import numpy as np
from jaxtyping import Float

from lemmata.core import RunConfig, RunContext, RunOutput, Several, precision, require, to_jax
from lemmata.core.constraints import Count, Positive, Some
from lemmata.papers.lego.model.fast.four_scores import SCORES, entry_speeds
from lemmata.papers.lego.model.fast.ideal_features import IdealFeatures, loss_and_slope
from lemmata.papers.lego.run.population_flow import Flow
from lemmata.papers.lego.task.count_contexts import CountContexts, count_contexts, worst_context
from lemmata.papers.lego.theory.features import balanced_structure, magnitude
from lemmata.papers.lego.theory.self_training import log_stop

READ = ("time", "loss", *SCORES, *(f"speed_{name}" for name in SCORES))  # of every point


class World(NamedTuple):
    points: int  # n_y
    vocabulary: float  # d
    clip: float  # C_B


@dataclass(frozen=True, kw_only=True)
class PaperStop(RunConfig):
    """Every combination of n_y, d and C_B. A world ends with the first stage that does not come to its stop."""

    kind = "lego/paper-stop"

    points: Some[Several] = (5,)
    vocabularies: Some[Positive] = (404.0,)  # with these features a run is as long for 10^12 as for 404
    clips: Some[Positive] = (8.0,)
    stages: Count = 3  # the last stage's sentences have 2^stages predicates
    power: Several = 4  # q
    smoothing: Positive = 1.0  # rho
    stride: Positive = 2.0  # of the flow, over B: a score moves a neuron by up to B/2 times as much
    evaluations: Count = 8000  # of the loss, a stage, at most
    enumerated: Count = 6000  # count matrices at most, where all are taken
    drawn: Count = 3000  # of them, by their weights, where there are more
    stop: Positive = 3.01  # the multiple of c_1 in the stop's exponent
    seed: int = 0

    def cross_check(self) -> None:
        require(self.stages <= 10, "stages", self.stages, "at most 10")
        require(max(self.points) <= 7, "points", self.points, "at most 7")
        require(min(self.points) >= 3, "points", self.points, "at least 3")
        for world in self.worlds():
            least = math.factorial(world.points) + world.points + 2 + 2 ** (self.stages + 1)
            require(
                world.vocabulary >= least, "vocabularies", world.vocabulary, f"at least {least} with S{world.points}"
            )
        highest = self.stop * 1.005 * math.log(max(self.vocabularies))
        require(highest < 600, "stop", self.stop, "so small that the loss it names is a float64")
        deepest = max(self.clips) * math.log(max(self.vocabularies))
        require(deepest < 600, "clips", self.clips, "B under 600: the loss comes down to e^-B, a float64")

    def worlds(self) -> list[World]:
        return [World(*world) for world in itertools.product(self.points, self.vocabularies, self.clips)]

    def features(self, world: World) -> IdealFeatures:
        bound = world.clip * math.log(world.vocabulary)
        size = magnitude(bound, 0.0, self.smoothing, self.power)
        shape = balanced_structure(world.points, math.factorial(world.points - 1))
        numbers = (size * shape.action, size * shape.value, bound, world.vocabulary, self.smoothing)
        return IdealFeatures(*(to_jax(number, float) for number in numbers), points=world.points, power=self.power)

    def execute(self, context: RunContext) -> RunOutput:
        rows: list[dict[str, Any]] = []
        points: list[Float[np.ndarray, 10]] = []
        around: dict[int, dict[int, CountContexts]] = {}  # by n_y, one at a time, and length
        with precision("float64"):
            for number, world in enumerate(self.worlds()):
                if world.points not in around:
                    around = {world.points: self.contexts(world.points)}
                for row, path in self.train(world, around[world.points]):
                    rows.append({**world._asdict(), **row, "first_point": len(points), "num_points": len(path)})
                    points += path
                context.progress("worlds", number + 1, len(self.worlds()))
        arrays = dict(zip(READ, np.array(points).T, strict=True))
        return RunOutput({name: np.array([row[name] for row in rows]) for name in rows[0]}, arrays)

    def train(
        self, world: World, by_length: dict[int, CountContexts]
    ) -> Iterator[tuple[dict[str, Any], list[np.ndarray]]]:
        """Of each stage what it begins and ends with, and its path."""
        features, scores = self.features(world), np.zeros(4)
        goal = math.exp(log_stop(world.vocabulary, world.clip, self.stop))
        for stage in range(1, self.stages + 1):
            length = 2**stage
            around = by_length[length]
            row = {"stage": stage, "length": length, **self.labels(features, scores, around)}
            path = self.descend(features, around, scores, goal, variables_left(world))
            scores = path[-1][2:6]
            row |= {"stop": goal, "ended_by_loss": bool(path[-1][1] <= goal), "floor": float(features.floor)}
            row["error_beyond"] = float(_error(features, to_jax(scores), by_length[2 * length]))
            yield row, path
            if not row["ended_by_loss"]:
                return

    def contexts(self, points: int) -> dict[int, CountContexts]:
        """By length: those of every stage, and of twice the last one's."""
        lengths = [2**k for k in range(1, self.stages + 2)]
        how = {"most": self.enumerated, "drawn": self.drawn, "seed": self.seed}
        return {length: count_contexts(points, length, **how) for length in lengths}

    def labels(self, features: IdealFeatures, scores: np.ndarray, around: CountContexts) -> dict[str, float]:
        """The share of sentences in which an answer of the annotator is wrong, and whether the worst's is: of
        T^2 the answers are given."""
        if around.length == 2:
            return {"false_first": 0.0, "false_second": 0.0, "false_worst": 0.0}
        worst = worst_context(features.points, int(around.length))
        asked = {"first": (around, 1), "second": (around, 2), "worst": (worst, 2)}
        return {f"false_{name}": float(_false(features, to_jax(scores), *of)) for name, of in asked.items()}

    def descend(
        self, features: IdealFeatures, around: CountContexts, scores: np.ndarray, goal: float, variables: float
    ) -> list[np.ndarray]:
        """The points of the path; the last is where the loss comes to its stop, by its logarithm between two."""
        speeds = np.asarray(entry_speeds(variables))

        def motion(at: np.ndarray) -> tuple[float, np.ndarray]:
            loss, slope = loss_and_slope(to_jax(at), features, around)
            return float(loss), -speeds * np.asarray(slope)

        flow = Flow.start(motion, scores, self.stride / float(features.bound))
        path = [np.array([0.0, flow.loss, *flow.scores, *flow.velocity])]
        while path[-1][1] > goal and flow.evaluations < self.evaluations:
            flow.advance(math.inf, evaluations=flow.evaluations + 1)
            if np.any(flow.scores != path[-1][2:6]):
                path.append(np.array([flow.time, motion(flow.scores)[0], *flow.scores, *flow.velocity]))
        if path[-1][1] <= goal and len(path) > 1:
            before, after = math.log(path[-2][1]), math.log(path[-1][1])
            part = (before - math.log(goal)) / (before - after)
            path[-1] = (1 - part) * path[-2] + part * path[-1]
            path[-1][1] = goal
        return path


_error = eqx.filter_jit(lambda features, scores, around: features.error(scores, around))
_false = eqx.filter_jit(lambda features, scores, around, step: features.false(scores, around, step))


def variables_left(world: World) -> float:
    """|X|: what S_n leaves of the vocabulary."""
    return world.vocabulary - world.points - math.factorial(world.points) - 1
