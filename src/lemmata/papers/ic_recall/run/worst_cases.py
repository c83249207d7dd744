"""Where the bounds of Appendix E are reached, or most nearly: bowls for Lemma E.2, two logits for Proposition E.1."""

from dataclasses import dataclass
from itertools import product
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np

from lemmata.core import Bound, Count, Positive, RunConfig, RunContext, RunOutput, Some, precision, to_jax


@dataclass(frozen=True, kw_only=True)
class Bowls(RunConfig):
    """Gradient descent on f(x) = l x^2 / 2 from each x in `starts`, with steps of each `factors` / l.

    One step of 1/l goes to the bottom, as far as the lemma allows.
    """

    kind = "ic-recall/bowls"

    smoothness: Some[Positive] = (0.1, 1.0, 30.0)
    factors: Some[Positive] = (1.0, 1.9)
    starts: Some[Positive] = (0.1, 1.0)
    steps: Count = 20

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            cells = product(self.factors, self.smoothness, self.starts)
            rows = [row for cell in cells for row in self._path(*cell)]
        names = ("factor", "smoothness", "start", "step", "moved", "first_loss")
        return RunOutput({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})

    def _path(self, factor: float, smoothness: float, start: float) -> list[tuple[float, ...]]:
        def loss(x: jax.Array) -> jax.Array:
            return smoothness * x**2 / 2

        x, rows = to_jax(start), []
        for step in range(1, self.steps + 1):
            x = x - factor / smoothness * jax.grad(loss)(x)
            rows.append((factor, smoothness, start, step, abs(float(x) - start), float(loss(to_jax(start)))))
        return rows


@dataclass(frozen=True, kw_only=True)
class TwoLogits(RunConfig):
    """The largest second and third derivatives at x = 0 of log sum exp(l_j(x) / T) - l_1(x) / T, where the two logits
    beside l_1 have slopes G and -G, over how much weight each of the two has.

    For the second derivative both bend by H and l_1 by -H; for the third one bends up and the other down.
    """

    kind = "ic-recall/two-logits"

    temperatures: Some[Positive] = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
    slope: Positive = 2 * 2**0.5
    bend: Positive = 4.0
    weights: Annotated[int, Bound(least=11)] = 401

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            share = jnp.linspace(1e-3, 1 - 1e-3, self.weights)
            offsets = jnp.log(jnp.stack([share, 1 - share], axis=-1))

            def loss(x: jax.Array, offset: jax.Array, bends: jax.Array, t: jax.Array) -> jax.Array:
                two = jnp.array([self.slope, -self.slope]) * x + bends[:2] * x**2 / 2
                return jax.nn.logsumexp(two / t + offset) - bends[2] * x**2 / 2 / t

            second, zero = jax.grad(jax.grad(loss)), jnp.zeros(())
            up, apart = (jnp.array([1.0, sign, -1.0]) * self.bend for sign in (1.0, -1.0))
            rows = [
                (
                    jax.vmap(lambda o, t=t: second(zero, o, up, t))(offsets).max(),
                    jnp.abs(jax.vmap(lambda o, t=t: jax.grad(second)(zero, o, apart, t))(offsets)).max(),
                )
                for t in map(to_jax, self.temperatures)
            ]
        second_largest, third_largest = np.array(rows, float).T
        return RunOutput({"temperature": np.array(self.temperatures), "second": second_largest, "third": third_largest})
