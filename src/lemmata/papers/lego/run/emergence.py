"""Stage 1 watched while features emerge: every composite magnitude with its velocity along the exact gradient flow."""

import math
from dataclasses import dataclass

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lemmata.core import RunConfig, RunContext, RunOutput, named_key, precision, require, to_jax
from lemmata.core.constraints import Count, Positive, Several, Some
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons
from lemmata.papers.lego.probe.weights import Features
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor, learn_one_step, one_step_slopes
from lemmata.papers.lego.run.stage_one import model_config
from lemmata.papers.lego.task import action


@dataclass(frozen=True, kw_only=True)
class Emergence(RunConfig):
    """Velocities are derivatives, not differences of records: a power method is over in no time at all."""

    kind = "lego/emergence"

    action: str = "C6"
    variables: Several = 41
    width: Count = 12
    power: Several = 4
    scale: Positive | None = 0.005
    clip: Positive = 2.0
    stride: Positive = 0.05
    records: Count = 300
    every: Count = 4  # steps
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        self.model()
        require(action(self.action).num_values > 1, "action", self.action, "one that moves two values or more")

    def model(self):
        given = {"width": self.width, "power": self.power, "scale": self.scale, "clip": self.clip}
        return model_config(self.action, self.variables, **given)

    def execute(self, context: RunContext) -> RunOutput:
        model = self.model()
        table = to_jax(action(self.action).table)
        sizes, speeds = [], []
        with precision("float64"):
            plan = ToTheFloor(stride=self.stride, steps=self.every)
            for number, seed in enumerate(self.seeds):
                neurons = ValueNeurons.create(model, key=named_key(seed, "init", "population"))
                for _ in range(self.records):
                    size, speed = composite(neurons, table)
                    sizes.append(np.asarray(size))
                    speeds.append(np.asarray(speed))
                    neurons, _ = learn_one_step(neurons, table, plan)
                context.progress("seeds", number + 1, len(self.seeds))
        shape = (len(self.seeds), self.records, *sizes[0].shape)
        arrays = {
            "size": np.reshape(sizes, shape) + model.sigma * math.log(model.vocab),
            "speed": np.reshape(speeds, shape),
        }
        rows = {
            "seed": np.repeat(self.seeds, self.records),
            "record": np.tile(np.arange(self.records), len(self.seeds)),
        }
        return RunOutput(rows, arrays)


@eqx.filter_jit
def composite(
    neurons: ValueNeurons, table: Int[Array, "action value"]
) -> tuple[Float[Array, "classes neurons values"], Float[Array, "classes neurons values"]]:
    """V_{j,r} on the fibre of (j, y), and minus its derivative."""
    _, by_action, by_value = one_step_slopes(neurons, table)

    def over_fibres(by_action: Array, by_value: Array) -> Array:
        return Features(jnp.swapaxes(by_action, 0, 1), jnp.swapaxes(by_value, 0, 1)).over_fibres(table)

    return over_fibres(neurons.actions, neurons.values), over_fibres(-by_action, -by_value)
