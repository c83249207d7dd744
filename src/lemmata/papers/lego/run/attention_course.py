"""Stage 2 of Algorithm 1 as appendix D follows it: neurons trained to the floor, then the course of the four scores."""

from dataclasses import dataclass, field

import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, named_key, precision, require, to_jax
from lemmata.core.constraints import Count, Positive, Several, Share, Some
from lemmata.papers.lego.model import TheoryConfig
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor, learn_one_step
from lemmata.papers.lego.run.fast.population_loss import LOSSES, population
from lemmata.papers.lego.run.population import start_flow
from lemmata.papers.lego.run.stage_one import model_config, variables_in
from lemmata.papers.lego.task import action


@dataclass(frozen=True, kw_only=True)
class AttentionCourse(RunConfig):
    """From every seed: its neurons, and the scores of Q at times that are evenly spaced on a log axis. What the
    appendix says of a moment is read from these two. Time is the learning rate (without its |X|) times steps."""

    kind = "lego/attention-course"

    action: str = "C6"
    vocabulary: Count = 404  # d
    clip: Positive = 4.0  # C_B
    scale: Positive | None = 0.005  # sigma_0; None is d^-1/2
    width: Count = 24  # m
    power: Several = 4  # q
    smoothing: Positive = 1.0  # rho
    loss: str = "sum"  # of Algorithm 1, or "second": that of step 2 alone
    one_step: ToTheFloor = field(default_factory=lambda: ToTheFloor(finest=0.001, steps=100_000))
    stride: Positive = 0.05  # of a score, in a step
    first: Positive = 1e-3  # the first record's time
    degree: Share = 0.25  # c of T_2 = d^(C_B - 1 + c), the last record's time
    a_decade: Count = 8  # records
    evaluations: Count = 20_000  # of the flow's slope, at most
    seeds: Some[int] = (0, 1)

    def cross_check(self) -> None:
        self.model_config()
        require(self.loss in LOSSES, "loss", self.loss, f"one of {', '.join(LOSSES)}")

    @property
    def variables(self) -> int:
        """|X|."""
        return variables_in(self.action, self.vocabulary)

    @property
    def records(self) -> np.ndarray:
        """Times, the first of them 0."""
        last = self.vocabulary ** (self.clip - 1 + self.degree)
        decades = np.log10(last / self.first)
        return np.append(0.0, np.geomspace(self.first, last, int(np.ceil(decades * self.a_decade)) + 1))

    def model_config(self) -> TheoryConfig:
        given = {"width": self.width, "scale": self.scale, "clip": self.clip}
        return model_config(self.action, self.variables, **given, power=self.power, smoothing=self.smoothing)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            cells = [self.course(seed, number, context) for number, seed in enumerate(self.seeds)]
        arrays = {name: np.stack([cell[name] for cell in cells]) for name in cells[0]}
        rows = {"seed": np.array(self.seeds), "reached": arrays["times"][:, -1], "excess": arrays["excess"]}
        return RunOutput(rows, arrays)

    def course(self, seed: int, number: int, context: RunContext) -> dict[str, np.ndarray]:
        table = action(self.action).table
        fresh = ValueNeurons.create(self.model_config(), key=named_key(seed, "init", "population"))
        neurons, end = learn_one_step(fresh, to_jax(table), self.one_step)
        flow = start_flow(neurons, table, population(table, self.loss), np.zeros(4), self.variables, self.stride)
        times, scores = [], []
        for time in self.records:
            flow.advance(float(time), evaluations=self.evaluations)
            times.append(flow.time)
            scores.append(flow.scores)
        context.progress("seeds", number + 1, len(self.seeds))
        kept = {"actions": neurons.actions, "values": neurons.values}
        kept |= {"fresh.actions": fresh.actions, "fresh.values": fresh.values, "excess": end.excess}
        found = {name: np.asarray(value, float) for name, value in kept.items()}
        return found | {"times": np.array(times), "scores": np.stack(scores)}
