"""The tensor power method by iteration: one sequence to a threshold, and what a smaller one has reached by then."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lemmata.core import RunConfig, RunContext, RunOutput, optimized_jit, precision
from lemmata.core.constraints import NonNegative, Positive, Several, Some


@dataclass(frozen=True, kw_only=True)
class PowerMethod(RunConfig):
    """x_{t+1} = x_t + eta E[(xi + x_t)^(q-1)] with xi ~ N(0, noise^2), and y with eta S in the place of eta."""

    kind = "lego/power-method"

    power: Several = 4  # q
    starts: Some[Positive] = (0.02, 0.04, 0.08)  # y_0
    gaps: Some[Positive] = (0.003, 0.01, 0.03, 0.1)  # x_0 = y_0 S^(1/(q-2)) (1 + gap)
    ratio: Positive = 2.0  # S
    noise: NonNegative = 0.0  # as a share of y_0
    rate: Positive = 0.05  # eta
    threshold: Positive = 1.0  # A

    def execute(self, context: RunContext) -> RunOutput:
        start, gap = (grid.ravel() for grid in np.meshgrid(self.starts, self.gaps, indexing="ij"))
        first = start * self.ratio ** (1 / (self.power - 2)) * (1 + gap)
        nodes, weights = np.polynomial.hermite_e.hermegauss(self.power + 1)
        with precision("float64"):
            noise = self.noise * start[:, None] * nodes
            given = (first, start, noise, weights / weights.sum())
            plan = jnp.array([self.rate, self.ratio, self.threshold])
            time, reached = iterate(*(jnp.asarray(one) for one in given), plan, self.power)
        rows = {"start": start, "gap": gap, "first": first, "time": self.rate * np.asarray(time)}
        return RunOutput(rows | {"reached": np.asarray(reached) / start})


@optimized_jit
def iterate(
    x: Float[Array, " case"],
    y: Float[Array, " case"],
    noise: Float[Array, "case node"],
    weights: Float[Array, " node"],
    plan: Float[Array, "3"],
    power: int,
) -> tuple[Float[Array, " case"], Float[Array, " case"]]:
    """Steps until x is at the threshold, and y then."""
    rate, ratio, threshold = plan

    def step(carry):
        x, y, time = carry
        going = x < threshold
        up, along = (jnp.sum(weights * (noise + z[:, None]) ** (power - 1), axis=1) for z in (x, y))
        return (jnp.where(going, x + rate * up, x), jnp.where(going, y + rate * ratio * along, y), time + going)

    found = jax.lax.while_loop(lambda c: jnp.any(c[0] < threshold), step, (x, y, jnp.zeros_like(x)))
    return found[2], found[1]
