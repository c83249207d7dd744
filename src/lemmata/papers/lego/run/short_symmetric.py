"""S_n with trained features: stage 1 to the clip's floor, then the exact T^2 to the stop of the appendix. Both are
kept, so that what each neuron reads on each sentence can be looked at."""

import math
from dataclasses import dataclass, field

import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, Several, named_key, precision, require, to_jax
from lemmata.core.constraints import Count, Positive, Some
from lemmata.papers.lego.model import TheoryConfig
from lemmata.papers.lego.model.fast.four_scores import SCORES
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor, learn_one_step
from lemmata.papers.lego.run.fast.population_loss import population
from lemmata.papers.lego.run.population import start_flow
from lemmata.papers.lego.run.stage_one import model_config, variables_in
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.self_training import log_stop


@dataclass(frozen=True, kw_only=True)
class ShortSymmetric(RunConfig):
    """Records are points of stage 2's path; what stage 1 left stands in the arrays, by seed."""

    kind = "lego/short-symmetric"

    points: Several = 5  # n_y
    vocabulary: Count = 404  # d
    width: Count = 12  # m
    scale: Positive = 0.003  # sigma_0: at 0.005 a second neuron of a combination stays awake in some seeds
    clip: Positive = 16.0  # C_B; features are off by a share of 1/B
    power: Several = 6  # q
    stride: Positive = 4.0  # of the flow, over B
    evaluations: Count = 2000
    stop: Positive = 3.01  # the multiple of c_1 in the stop's exponent
    one_step: ToTheFloor = field(default_factory=lambda: ToTheFloor(finest=0.02, tolerance=1e-8))
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        require(3 <= self.points <= 5, "points", self.points, "3 to 5: the sentences of T^2 are enumerated")
        highest = self.stop * 1.005 * math.log(self.vocabulary)
        require(highest < 600, "stop", self.stop, "so small that the loss it names is a float64")
        self.model_config()

    @property
    def action(self) -> str:
        return f"S{self.points}"

    def model_config(self) -> TheoryConfig:
        given = {"width": self.width, "scale": self.scale, "clip": self.clip, "power": self.power}
        return model_config(self.action, variables_in(self.action, self.vocabulary), **given)

    def execute(self, context: RunContext) -> RunOutput:
        table, rows, neurons = action(self.action).table, [], []
        with precision("float64"):
            for number, seed in enumerate(self.seeds):
                fresh = ValueNeurons.create(self.model_config(), key=named_key(seed, "init", "population"))
                learned, end = learn_one_step(fresh, to_jax(table), self.one_step)
                stride, goal = (
                    self.stride / float(learned.bound),
                    math.exp(log_stop(self.vocabulary, self.clip, self.stop)),
                )
                variables = variables_in(self.action, self.vocabulary)
                flow = start_flow(learned, table, population(table, "second"), np.zeros(4), variables, stride)
                path = [(flow.loss, flow.scores)]
                while path[-1][0] > goal and flow.evaluations < self.evaluations:
                    flow.advance(math.inf, evaluations=flow.evaluations + 1)
                    if np.any(flow.scores != path[-1][1]):
                        path.append((flow.motion(flow.scores)[0], flow.scores))
                if path[-1][0] < goal and len(path) > 1:  # where the loss comes to its stop, between two points
                    before, after = (math.log(loss) for loss, _ in path[-2:])
                    part = (before - math.log(goal)) / (before - after)
                    path[-1] = goal, (1 - part) * path[-2][1] + part * path[-1][1]
                about = {"seed": seed, "one_step_excess": float(end.excess)}
                rows += [{**about, "loss": x, **dict(zip(SCORES, s.tolist(), strict=True))} for x, s in path]
                neurons.append(learned)
                context.progress("seeds", number + 1, len(self.seeds))
        arrays = {name: np.stack([np.asarray(getattr(one, name)) for one in neurons]) for name in ("actions", "values")}
        arrays["bias"] = np.array([float(one.bias) for one in neurons])
        return RunOutput({name: np.array([row[name] for row in rows]) for name in rows[0]}, arrays)
