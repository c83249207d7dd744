"""Runs about the warm-up's loss landscape: how sharply it bends, the pairwise line, and its lowest point."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize

from lemmata import core
from lemmata.papers.ic_recall.model import pattern_logits
from lemmata.papers.ic_recall.run.first_step import (
    affine_log_counts,
    as_jax,
    loss_in_theta,
    loss_in_v,
    near_ties,
    simplex_points,
    warmup_log_counts,
    warmup_rows,
)
from lemmata.papers.ic_recall.run.turning_points import quadratics, turning_points
from lemmata.papers.ic_recall.task import Affine

OnLine = Annotated[
    tuple[Annotated[float, core.Bound(least=0.002)], ...], core.Bound(least=2)
]  # temperatures of the line


@dataclass(frozen=True, kw_only=True)
class Smoothness(core.RunConfig):
    """The largest Hessian and third-derivative norms of L_1 in theta over many attention vectors, by temperature.

    At low temperature the loss bends only where logits tie, so half of the vectors are drawn where l(r_1) - l(r_2) is a
    few T. The maximum over a sample is a lower bound on the constant; the sample is the same at each temperature.
    """

    kind = "ic-recall/smoothness"

    temperatures: Annotated[tuple[core.Positive, ...], core.Bound(least=3)] = (0.01, 0.005, 0.0025, 0.00125, 0.0006)
    points: Annotated[int, core.Bound(least=10)] = 3000
    seed: int = 0

    def execute(self, context: core.RunContext) -> core.RunOutput:
        rows = []
        with core.precision("float64"):
            log_counts = warmup_log_counts()

            def norms(function: Callable, x: jax.Array, t: jax.Array) -> tuple[jax.Array, jax.Array]:
                def hessian(x: jax.Array) -> jax.Array:
                    return jax.hessian(function)(x, log_counts, t)

                values, vectors = jnp.linalg.eigh(hessian(x))
                sharpest = vectors[:, jnp.argmax(jnp.abs(values))]
                _, turned = jax.jvp(hessian, (x,), (sharpest,))
                return jnp.abs(values).max(), jnp.abs(jnp.linalg.eigvalsh(turned)).max()

            def largest(v: jax.Array, t: jax.Array) -> tuple[jax.Array, ...]:
                in_theta = jax.vmap(lambda u: norms(loss_in_theta, jnp.log(u), t))(v)
                in_v = jax.vmap(lambda u: norms(loss_in_v, u, t))(v)
                return tuple(values.max() for values in (*in_theta, *in_v))

            measure = jax.jit(largest)
            for i, temperature in enumerate(self.temperatures):
                half = self.points // 2
                everywhere = simplex_points(self.points - half, self.seed, "everywhere")
                v = np.maximum(np.concatenate([near_ties(half, temperature, self.seed), everywhere]), 1e-12)
                rows.append((temperature, *(float(x) for x in measure(as_jax(v), core.to_jax(temperature)))))
                context.progress("temperatures", i + 1, len(self.temperatures))
        names = ("temperature", "hessian", "third", "hessian_v", "third_v")
        return core.RunOutput(dict(zip(names, np.array(rows).T, strict=True)))


def on_line(x: jax.Array) -> jax.Array:
    """The point x of the pairwise line."""
    return jnp.stack([x, x, 0.5 - x, 0.5 - x, 0 * x, 0 * x])


@dataclass(frozen=True, kw_only=True)
class PairwiseLine(core.RunConfig):
    """The model's loss on v = (x, x, 1/2 - x, 1/2 - x, 0, 0): gaps, values, turning points."""

    kind = "ic-recall/pairwise-line"
    version = 2

    temperatures: OnLine = (0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08)
    low_temperatures: OnLine = (0.002, 0.003, 0.004, 0.006, 0.008)
    hot_temperatures: OnLine = (0.095, 0.1, 0.12)  # above the fold, where the pairwise minimum is gone
    points: Annotated[int, core.Bound(least=21)] = 241

    def execute(self, context: core.RunContext) -> core.RunOutput:
        grid = np.linspace(0, 0.5, self.points)
        with core.precision("float64"):
            log_counts = warmup_log_counts()

            def loss(x: jax.Array, t: jax.Array) -> jax.Array:
                return loss_in_v(on_line(x), log_counts, t)

            values = jax.jit(jax.vmap(loss, in_axes=(0, None)))
            logits = jax.vmap(lambda x: pattern_logits(on_line(x), 2))(as_jax(np.array([0.0, 0.25, 0.5])))
            logits = np.asarray(logits)[:, warmup_rows()]
            curves = np.stack([np.asarray(values(as_jax(grid), core.to_jax(t))) for t in self.temperatures])
        samples = logits[:, 1:] - logits[:, :1]
        every = (*self.temperatures, *self.low_temperatures, *self.hot_temperatures)
        turns = np.array([(t, *turn) for t in every for turn in turning_points(quadratics(samples), t)])
        columns = zip(("temperature", "x", "loss", "is_minimum"), turns.reshape(-1, 4).T, strict=True)
        return core.RunOutput(dict(columns), {"grid": grid, "curves": curves, "gap_samples": samples})


@dataclass(frozen=True, kw_only=True)
class LowestPoint(core.RunConfig):
    """Minimisation of the model's loss over the whole simplex from many random starts, by temperature.

    The world is the full affine one of n subjects; n = 3 is the warm-up.
    v = u^2 / |u|^2 lets a coordinate become exactly 0, which softmax only approaches.
    """

    kind = "ic-recall/lowest-point"

    temperatures: Annotated[tuple[core.Positive, ...], core.Bound(least=1)] = field(
        default=(0.02, 0.04, 0.06, 0.08, 0.1), metadata=core.also("temperature")
    )
    n: int = 3
    starts: core.Count = 64
    steps: core.Natural = 3000
    seed: int = 0

    def cross_check(self) -> None:
        Affine(n=self.n)

    def execute(self, context: core.RunContext) -> core.RunOutput:
        starts = core.named_generator(self.seed, "starts").normal(size=(self.starts, 6))
        rows = []
        with core.precision("float64"):
            log_counts = affine_log_counts(self.n)
            temperatures = as_jax(np.array(self.temperatures))

            def loss(u: jax.Array, t: jax.Array) -> jax.Array:
                return loss_in_v(u**2 / jnp.sum(u**2), log_counts, t)

            def settle(u: jax.Array, t: jax.Array) -> jax.Array:
                """Normalised descent with shrinking steps: to the bottom of the basin it started in."""

                def step(i: jax.Array, u: jax.Array) -> jax.Array:
                    down = jax.grad(loss)(u, t)
                    u = u - 0.1 / (1 + i / 50) * down / (jnp.linalg.norm(down) + 1e-300)
                    return u / jnp.linalg.norm(u)

                return jax.lax.fori_loop(0, self.steps, step, u / jnp.linalg.norm(u))

            settled = jax.jit(jax.vmap(jax.vmap(settle, in_axes=(0, None)), in_axes=(None, 0)))
            bottoms = settled(as_jax(starts), temperatures)
            values = np.asarray(jax.jit(jax.vmap(jax.vmap(loss, in_axes=(0, None))))(bottoms, temperatures))
            both = jax.jit(jax.value_and_grad(loss))
            for i, temperature in enumerate(self.temperatures):

                def value(u: np.ndarray, t: jax.Array = temperatures[i]) -> tuple[float, np.ndarray]:
                    found, down = both(as_jax(u), t)
                    return float(found), np.asarray(down)

                for rank, j in enumerate(np.argsort(values[i])):
                    u, height = np.asarray(bottoms[i, j]), float(values[i, j])
                    if rank < 2:  # the lowest ones, to the last digits
                        found = minimize(value, u, jac=True, method="L-BFGS-B", options={"gtol": 1e-12, "ftol": 1e-16})
                        u, height = found.x, float(found.fun)
                    rows.append((temperature, height, *(u**2 / (u**2).sum())))
                context.progress("temperatures", i + 1, len(self.temperatures))
        names = ("temperature", "loss", "v1", "v2", "v3", "v4", "v5", "v6")
        return core.RunOutput(dict(zip(names, np.array(rows).T, strict=True)))
