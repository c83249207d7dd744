"""Algorithm 1 without noise, as a run: stage 1 to its floor, stage 2 on the whole population; a grid of settings."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lemmata.core import RunConfig, RunContext, RunOutput, named_key, optimized_jit, precision, require, to_jax
from lemmata.core.config import stored_as
from lemmata.core.constraints import Count, NonNegative, Positive, Several, Some
from lemmata.papers.lego.model import TheoryConfig
from lemmata.papers.lego.model.fast.four_scores import SCORES, Scores, attention, entry_speeds
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons
from lemmata.papers.lego.probe.fast.long_chains import ActionChains, at_lengths, ceiling, draw_chains
from lemmata.papers.lego.run.fast.one_step_flow import OneStepEnd, ToTheFloor, learn_one_step
from lemmata.papers.lego.run.fast.population_loss import Contexts, Labels, population, population_loss
from lemmata.papers.lego.run.population_flow import Flow
from lemmata.papers.lego.run.stage_one import model_config, variables_in
from lemmata.papers.lego.task import action, check_length

MEASURED = ("accuracy", "value_accuracy", "greedy", "epsilon", "gap")  # by cell, record and length


class Setting(NamedTuple):
    """What models differ in after stage 1."""

    scale: float | None
    clip: float
    width: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class PopulationRun(RunConfig):
    """Every combination of settings and losses is a cell; records are times of the flow, or of as many steps of descent
    at a learning rate as they hold. All lengths are read at every record."""

    kind = "lego/population"

    action: str = "C6"
    vocabulary: Count = 167  # d; |X| is what the action leaves of it
    scales: Some[Positive | None] = (0.02,)  # sigma_0; None is d^-1/2
    clips: Some[Positive] = (3.0,)  # C_B
    widths: Some[Count] = (12,)  # m
    power: Several = 4  # q
    smoothing: Positive = 1.0  # rho
    losses: Some[Literal["sum", "second"]] = ("sum",)
    method: Literal["flow", "descent"] = "flow"
    learning_rate: Positive = field(default=0.2, metadata=stored_as("rate"))  # of descent, times |X|
    stride: Positive = 0.1  # of the flow
    evaluations: Count = 20_000  # of the flow's slope, at most; the time that was reached is recorded
    converged_at: NonNegative = 0.0  # above the floor, as a share of it: where the flow may end before its last time
    records: Some[Positive] = (1e2, 1e3, 1e4, 1e5, 1e6)
    contexts: Count | None = None  # drawn, instead of all: an estimate of the population
    one_step: ToTheFloor = field(default_factory=ToTheFloor)
    lengths: Some[int] = (2, 5, 10, 20, 40)
    test_sentences: Count = 64
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        for setting in self.settings():
            self.model_config(setting)
        for length in self.lengths:
            check_length(length, self.variables)
        require(list(self.lengths) == sorted(set(self.lengths)), "lengths", self.lengths, "increasing")
        require(list(self.records) == sorted(set(self.records)), "records", self.records, "increasing")
        least_step = f"at least one step of {self.learning_rate:g}"
        require(self.method == "flow" or self.records[0] >= self.learning_rate, "records", self.records, least_step)

    @property
    def variables(self) -> int:
        """|X|."""
        return variables_in(self.action, self.vocabulary)

    def settings(self) -> list[Setting]:
        return [Setting(*s) for s in itertools.product(self.scales, self.clips, self.widths, self.seeds)]

    def model_config(self, setting: Setting) -> TheoryConfig:
        given = {"active": setting.width, "scale": setting.scale, "clip": setting.clip}
        shared = {"width": max(self.widths), "power": self.power, "smoothing": self.smoothing}
        return model_config(self.action, self.variables, **given, **shared)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            return self._execute(context)

    def _execute(self, context: RunContext) -> RunOutput:
        table = action(self.action).table
        chains = draw_chains(to_jax(table), self.test_sentences, max(self.lengths), key=named_key(0, "test"))
        rows: list[dict[str, Any]] = []
        read: dict[str, list[np.ndarray]] = {name: [] for name in (*MEASURED, "error")}
        settings, ends = self.settings(), []
        for number, setting in enumerate(settings):
            neurons, end = self.train_neurons(setting)
            ends.append(end)
            for loss in self.losses:
                every_step = population(table, loss, drawn=self.contexts, seed=setting.seed)
                last, single, by_length = None, {}, {}
                for time, reached, scores in self.train_attention(neurons, table, every_step):
                    if reached != last:  # a flow that has ended stays where it is, and so does all that is read there
                        last = reached
                        single, by_length = read_scores(neurons, table, scores, every_step, chains, self.lengths)
                    about = {**setting._asdict(), "scale": self.model_config(setting).sigma, "losses": loss}
                    about |= {"default_scale": setting.scale is None, "time": time, "time_reached": reached}
                    rows.append(about | single)
                    for name, kept in read.items():
                        kept.append(by_length[name])
            context.progress("settings", number + 1, len(settings))
        shape = (-1, len(self.records), len(self.lengths))
        arrays = {name: np.stack(kept).reshape(shape) for name, kept in read.items()}
        arrays |= {f"one_step.{name}": np.array([getattr(e, name) for e in ends], float) for name in vars(ends[0])}
        return RunOutput({name: np.array([row[name] for row in rows]) for name in rows[0]}, arrays)

    def train_neurons(self, setting: Setting) -> tuple[ValueNeurons, OneStepEnd]:
        """Stage 1."""
        fresh = ValueNeurons.create(self.model_config(setting), key=named_key(setting.seed, "init", "population"))
        return learn_one_step(fresh, to_jax(action(self.action).table), self.one_step)

    def train_attention(
        self, neurons: ValueNeurons, table: Int[np.ndarray, "action value"], every_step: Contexts
    ) -> Iterator[tuple[float, float, Float[np.ndarray, "4"]]]:
        """Stage 2: for each record its time, the time that was reached, and the scores."""
        if self.method == "descent":
            scores, done = jnp.zeros(4), 0
            for time in self.records:
                steps = round(time / self.learning_rate)
                scores = descend(
                    neurons, to_jax(table), every_step, scores, self.variables, self.learning_rate, steps - done
                )
                done = steps
                yield time, done * self.learning_rate, np.asarray(scores)
        else:
            flow = start_flow(neurons, table, every_step, np.zeros(4), self.variables, self.stride)
            enough = (1 + self.converged_at) * len(every_step.step) * float(neurons.floor) if self.converged_at else 0.0
            for time in self.records:
                flow.advance(time, evaluations=self.evaluations, stop_below=enough)
                yield time, flow.time, flow.scores


def start_flow(
    neurons: ValueNeurons,
    table: Int[np.ndarray, "action value"],
    every_step: Contexts,
    scores: Float[np.ndarray, "4"],
    variables: float,
    stride: float,
    labels: Labels | None = None,
) -> Flow:
    """Of the loss on these contexts. Time is the descent's learning rate (without its |X|) times its steps."""
    leaves, shape = jax.tree.flatten((neurons, to_jax(table), every_step, labels))
    speeds = np.asarray(entry_speeds(variables))

    def motion(at: Float[np.ndarray, "4"]) -> tuple[float, Float[np.ndarray, "4"]]:
        loss, *slope = np.asarray(_slope_of_leaves(at, leaves, shape))
        return float(loss), -speeds * slope

    return Flow.start(motion, scores, stride)


@partial(optimized_jit, jit=jax.jit, static_argnames="shape")
def _slope_of_leaves(at: Scores, leaves: list[Array], shape: Any) -> Float[Array, "5"]:
    """The loss, then its slope. Leaves instead of trees, and one array of both: the flow calls this hundreds of times,
    and flattening, or fetching twice, would take longer than C_6."""
    neurons, table, every_step, labels = jax.tree.unflatten(shape, leaves)
    loss, slope = population_loss(neurons, table, at, every_step, labels)
    return jnp.concatenate([loss[None], slope])


@optimized_jit
def descend(
    neurons: ValueNeurons,
    table: Int[Array, "action value"],
    every_step: Contexts,
    scores: Scores,
    variables: Float[Array, ""] | float,
    learning_rate: Float[Array, ""] | float,
    steps: Int[Array, ""] | int,
) -> Scores:
    """Gradient steps on the entries of Q at the learning rate times |X|."""
    speeds = learning_rate * entry_speeds(variables)

    def one(_: Array, now: Scores) -> Scores:
        return now - speeds * population_loss(neurons, table, now, every_step)[1]

    return jax.lax.fori_loop(0, steps, one, scores)


def read_scores(
    neurons: ValueNeurons,
    table: Int[np.ndarray, "action value"],
    scores: Float[np.ndarray, "4"],
    every_step: Contexts,
    chains: ActionChains,
    lengths: tuple[int, ...],
) -> tuple[dict[str, float], dict[str, Float[np.ndarray, " lengths"]]]:
    """A record: numbers of the model, and arrays over the lengths."""
    leaves, shape = jax.tree.flatten((neurons, to_jax(table), every_step, None))
    loss = np.asarray(_slope_of_leaves(scores, leaves, shape))[0]
    about = {name: float(value) for name, value in _about(neurons, to_jax(scores)).items()}
    floor = about.pop("floor") * len(every_step.step)
    single = {"loss": float(loss), "floor": floor, "excess": float(loss) / floor - 1, **about}
    single |= {name: float(score) for name, score in zip(SCORES, scores, strict=True)}
    by_length = _at_lengths(neurons, to_jax(scores), chains, to_jax(lengths))
    return single, {name: np.asarray(value, np.float64) for name, value in by_length.items()}


_at_lengths = optimized_jit(at_lengths)


@eqx.filter_jit  # a record of C_6 is read faster than these few operations would be sent off one by one
def _about(neurons: ValueNeurons, scores: Scores) -> dict[str, Float[Array, ""]]:
    short = attention(scores, 2.0, 2.0)
    found = {"floor": neurons.floor, "ceiling": ceiling(neurons)}
    return found | {"epsilon_22": short.epsilon, "gap_22": short.gap}
