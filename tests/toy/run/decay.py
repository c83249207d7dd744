"""Gradient descent on a parabola."""

from dataclasses import dataclass
from typing import Annotated

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from lemmata.core import (
    AbstractAlgorithm,
    Bound,
    Count,
    Metrics,
    RunConfig,
    RunContext,
    RunOutput,
    Some,
    TrainState,
    named_keys,
    precision,
)
from lemmata.train import fit_many, stack


class Descent(AbstractAlgorithm):
    rate: float

    def init(self, model: Float[Array, ""]) -> TrainState:
        return TrainState(model, ())

    def step(self, task: Float[Array, ""], state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        return TrainState(state.model * (1 - self.rate * task), ()), {"x": state.model}


@dataclass(frozen=True, kw_only=True)
class Decay(RunConfig):
    kind = "toy/decay"
    rate: Annotated[float, Bound(above=0, below=2)] = 0.5
    steps: Count = 20
    every: Count = 1
    seeds: Some[int] = (0, 1)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            algorithm = Descent(self.rate)
            state = stack([algorithm.init(jnp.asarray(1.0 + seed)) for seed in self.seeds])
            keys, curvature = named_keys(self.seeds, "noise"), jnp.ones(len(self.seeds))
            _, history = fit_many(
                algorithm, curvature, state, keys, steps=self.steps, every=self.every, context=context
            )
        return RunOutput(history.table(seed=self.seeds), {"x": history["x"]})
