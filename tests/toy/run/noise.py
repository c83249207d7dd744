"""Draws around a centre, by a JAX key and by a NumPy stream."""

from dataclasses import dataclass

import jax
import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, Some, named_generator, named_keys


@dataclass(frozen=True, kw_only=True)
class Noise(RunConfig):
    kind = "toy/noise"
    centre: float = 0.0
    seeds: Some[int] = (0, 1)

    def execute(self, context: RunContext) -> RunOutput:
        by_key = np.asarray(jax.vmap(jax.random.normal)(named_keys(self.seeds, "draw")), float)
        by_stream = np.array([named_generator(seed, "draw").normal() for seed in self.seeds])
        return RunOutput({"seed": np.asarray(self.seeds), "x": self.centre + (by_key + by_stream) / 2**0.5})
