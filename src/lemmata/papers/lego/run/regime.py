"""Many settings of Algorithm 1 as a few compiled programs: cells differ in arrays, never in shape."""

import itertools
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, named_key, require
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import length_reached, over_lengths, query_diagonals
from lemmata.papers.lego.run.attention_descent import FRESH, AttentionDescent
from lemmata.papers.lego.run.one_step import Descent
from lemmata.papers.lego.run.theory import one_step_stage
from lemmata.papers.lego.task import Lego, LegoConfig, action, check_length
from lemmata.train import fit_many, stack

KEPT = ("values", "epsilon_worst_step", "gap")  # by cell, record and length
LEVEL = 0.9  # a length is reached where all values are right in this share of sentences


class Memory(NamedTuple):
    """What stage 1 depends on."""

    scale: float | None
    clip: float
    width: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class RegimeCells(RunConfig):
    """Algorithm 1 on one action over a grid of settings: initial scale, clip, width; rate and data of stage 2; steps
    are the records of one training. Every combination is a cell, none is dropped."""

    kind: ClassVar[str] = "lego/regime-cells"

    action: str = "S5"
    variables: int = 41
    scales: tuple[float | None, ...] = (0.02,)  # sigma_0; None is d^-1/2
    clips: tuple[float, ...] = (2.0,)  # C_B
    widths: tuple[int, ...] = (12,)  # m
    rates: tuple[float, ...] = (0.2,)  # of stage 2, times |X|
    sentences: tuple[int, ...] = (FRESH,)  # of T^2 to draw from
    steps: int = 800
    every: int = 400
    batch: int = 64
    one_step_rate: float = 10.0
    one_step_steps: int = 10_000
    lengths: tuple[int, ...] = (2, 5, 10, 20, 40)
    test_sentences: int = 64
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        for name in ("scales", "clips", "widths", "rates", "sentences", "lengths", "seeds"):
            require(len(getattr(self, name)) >= 1, name, getattr(self, name), "at least one")
        for scale, clip, width in itertools.product(self.scales, self.clips, self.widths):
            self.model_config(Memory(scale, clip, width, 0))
        for length in self.lengths:
            check_length(length, self.variables)
        require(list(self.lengths) == sorted(set(self.lengths)), "lengths", self.lengths, "increasing")
        require(self.steps >= 1, "steps", self.steps, "at least 1")
        divides = self.every >= 1 and self.steps % self.every == 0
        require(divides, "every", self.every, f"a divisor of steps = {self.steps}")
        require(self.test_sentences >= 1, "test_sentences", self.test_sentences, "at least 1")
        for rate in self.rates:
            require(rate > 0, "rates", rate, "positive")
        for number in self.sentences:
            require(1 <= number <= FRESH, "sentences", number, f"1 to {FRESH} (never the same twice)")
        self.algorithm()
        self.one_step()

    def model_config(self, memory: Memory) -> TheoryConfig:
        actions, values = action(self.action).table.shape
        config = TheoryConfig(variables=self.variables, actions=actions, values=values, width=max(self.widths))
        return replace(config, active=memory.width, scale=memory.scale, clip=memory.clip)

    def algorithm(self) -> AttentionDescent:
        return AttentionDescent(length=2, answers=(1, 2), batch=self.batch)

    def one_step(self) -> Descent:
        require(self.one_step_steps >= 1, "one_step_steps", self.one_step_steps, "at least 1")
        require(self.one_step_rate > 0, "one_step_rate", self.one_step_rate, "positive")
        return Descent(steps=self.one_step_steps, rate=self.one_step_rate, every=self.one_step_steps)

    def execute(self, context: RunContext) -> RunOutput:
        replicas = "map" if jax.default_backend() == "cpu" else "vmap"
        task = Lego.create(LegoConfig(action=self.action, variables=self.variables, length=2))
        memories = [Memory(*m) for m in itertools.product(self.scales, self.clips, self.widths, self.seeds)]
        taught, arrays = self.memories(memories, task, replicas, context)
        courses = list(itertools.product(self.rates, self.sentences))
        algorithm = self.algorithm()
        cells, states = [], []
        for number, memory in enumerate(memories):
            model = jax.tree.map(lambda leaf, i=number: leaf[i], taught)
            for rate, sentences in courses:
                corpus = named_key(memory.seed, "sentences")
                states.append(algorithm.init(model, rate=rate, sentences=sentences, corpus=corpus))
                cells.append((memory, rate, sentences, number))

        def reach(model: TheoryTransformer, task: Lego, key: Key[Array, ""]) -> Metrics:
            found = over_lengths(model, task, self.lengths, key=named_key(0, "test"), num=self.test_sentences)
            return {**query_diagonals(model), **{name: found[name] for name in KEPT}}

        _, metrics = fit_many(
            algorithm,
            stack([task] * len(cells)),
            stack(states),
            jnp.stack([named_key(memory.seed, "attention") for memory, *_ in cells]),
            steps=self.steps,
            every=self.every,
            probe=reach,
            replicas=replicas,
            context=context,
            stage="cells",
        )
        records = self.steps // self.every + 1
        accuracy = metrics["values"].astype(np.float64)  # [cell, record, length]

        def column(values: list[Any]) -> np.ndarray:
            return np.repeat(np.array(values, np.float64), records)

        table = {
            "scale": column([self.model_config(m).sigma for m, *_ in cells]),
            "default_scale": column([m.scale is None for m, *_ in cells]),
            "clip": column([m.clip for m, *_ in cells]),
            "width": column([m.width for m, *_ in cells]),
            "rate": column([rate for _, rate, _, _ in cells]),
            "sentences": column([sentences for _, _, sentences, _ in cells]),
            "seed": column([m.seed for m, *_ in cells]),
            "step": np.tile(self.every * np.arange(records), len(cells)),
            "one_step_accuracy": column([arrays["one_step.value.accuracy"][i] for *_, i in cells]),
            "one_step_loss": column([arrays["one_step.value.loss"][i] for *_, i in cells]),
            "loss": metrics["loss"].astype(np.float64).reshape(-1),
            "reached": length_reached(self.lengths, accuracy, LEVEL).reshape(-1),
        }
        for name in ("third_diagonal", "fourth_diagonal", "third_rest", "fourth_rest"):
            table[name] = metrics[name].astype(np.float64).reshape(-1)
        return RunOutput(table, {**{name: metrics[name].astype(np.float64) for name in KEPT}, **arrays})

    @staticmethod
    def smallest(action: str) -> "RegimeCells":
        """One cell that only shows that everything runs: the same at smoke scale wherever cells are asked for."""
        return RegimeCells(
            action=action,
            variables=9,
            widths=(4,),
            steps=2,
            every=1,
            batch=8,
            one_step_steps=50,
            lengths=(2,),
            test_sentences=8,
        )

    def memories(
        self, memories: list[Memory], task: Lego, replicas: Any, context: RunContext
    ) -> tuple[TheoryTransformer, dict[str, np.ndarray]]:
        """Stage 1 of every distinct memory; W_4 is not needed, for the labels are true."""
        models = []
        for memory in memories:
            config = self.model_config(memory)
            models.append(TheoryTransformer.create(config, key=named_key(memory.seed, "init", "theory")))
        seeds = tuple(memory.seed for memory in memories)
        stacked = eqx.filter_jit(stack)(models)
        return one_step_stage(
            stacked, stack([task] * len(models)), seeds, {"value": self.one_step()}, context, replicas
        )
