"""A small run for tests of the store: noisy gradient descent in several seeds."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from lemmata.core import AbstractAlgorithm, RunConfig, RunContext, RunOutput, TrainState, named_key
from lemmata.train import fit_many, stack


class NoisyDescent(AbstractAlgorithm):
    """Gradient descent on |x|^2 with noise: a step that uses its key."""

    def init(self, model: jax.Array) -> TrainState:
        return TrainState(model, jnp.zeros(()))

    def step(self, task: jax.Array, state: TrainState, *, key: jax.Array) -> tuple[TrainState, dict[str, jax.Array]]:
        noise = jax.random.normal(key, state.model.shape)
        new = state.model - 0.1 * (state.model - task) + 0.01 * noise
        return TrainState(new, state.opt_state + 1), {"loss": jnp.sum((state.model - task) ** 2)}


@dataclass(frozen=True, kw_only=True)
class Descent(RunConfig):
    kind: ClassVar[str] = "test/descent"
    seeds: tuple[int, ...] = (0, 1, 2)
    steps: int = 200

    def execute(self, context: RunContext) -> RunOutput:
        algorithm = NoisyDescent()
        state = stack([algorithm.init(jax.random.normal(named_key(seed, "init"), (4,))) for seed in self.seeds])
        keys = jnp.stack([named_key(seed, "noise") for seed in self.seeds])
        state, metrics = fit_many(
            algorithm, jnp.zeros((len(self.seeds), 4)), state, keys, steps=self.steps, every=10, context=context
        )
        records = metrics["loss"].shape[1]
        table = {"seed": np.repeat(self.seeds, records), "loss": metrics["loss"].ravel()}
        return RunOutput(table, {"model": np.asarray(state.model), "scalar": np.asarray(2.5)})
