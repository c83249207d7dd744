"""Gradients of the linear associative memory by autodiff: their flow in time, and the rates of appendix G's basis."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key
from scipy.integrate import solve_ivp

from lemmata.core import RunConfig, RunContext, RunOutput, named_generator, precision, require, to_jax
from lemmata.core.config import UNSAID
from lemmata.core.constraints import Bound, Count, Inside, NonNegative, Several
from lemmata.papers.association.model import LinearMemory
from lemmata.papers.association.model.truncate import decompose

Targets = Float[Array, "inputs outputs"]


def population_loss(model: LinearMemory, targets: Targets, key: Key[Array, ""] | None = None) -> Float[Array, ""]:
    """Uniform inputs make the loss the mean over the rows of the targets."""
    return -jnp.mean(jnp.sum(targets * jax.nn.log_softmax(model.logits()), axis=1))


def targets(inputs: int, alpha: float) -> Targets:
    """Equation (38): p_α(y | x) for every input, the noise as the last of the n + 1 outputs."""
    return to_jax(np.column_stack([(1 - alpha) * np.eye(inputs), np.full(inputs, alpha)]))


@jax.jit
def _velocity(model: LinearMemory, goal: Targets, weight: Float[Array, " flat"]) -> Float[Array, " flat"]:
    def at(flat: Float[Array, " flat"]) -> LinearMemory:
        return eqx.tree_at(lambda m: m.weight, model, flat.reshape(model.weight.shape))

    return -jax.grad(lambda flat: population_loss(at(flat), goal))(weight)


@jax.jit
def _jacobian(model: LinearMemory, goal: Targets, weight: Float[Array, " flat"]) -> Float[Array, "flat flat"]:
    return jax.jacfwd(lambda flat: _velocity(model, goal, flat))(weight)


@dataclass(frozen=True, kw_only=True)
class MemoryFlow(RunConfig):
    """Gradient flow dW/dt = -grad L from W = 0, the gradient by autodiff, in log-time with a stiff solver."""

    kind = "association/memory-flow"

    inputs: Several = 2  # n
    width: Count = 8  # d
    alpha: Inside = 0.3
    last_time: Annotated[float, Bound(above=1)] = 1e8
    points: Annotated[int, Bound(least=3)] = 121
    seed: int = 0
    offset: NonNegative = field(default=0.0, metadata=UNSAID)  # the norm of equation (3)'s W̄, added to every input

    def cross_check(self) -> None:
        require(self.width > self.inputs, "width", self.width, f"more than inputs = {self.inputs}")

    @property
    def times(self) -> Float[np.ndarray, " times"]:
        return np.concatenate([[0.0], np.logspace(-2, math.log10(self.last_time), self.points - 1)])

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            model = LinearMemory.orthonormal(self.inputs, self.width, self.seed, self.offset)
            goal, u = targets(self.inputs, self.alpha), np.log1p(self.times)

            def in_log_time(rate: Callable[..., Array]) -> Callable[[float, np.ndarray], np.ndarray]:
                return lambda u, flat: math.exp(u) * np.asarray(rate(model, goal, to_jax(flat)))

            slope, jacobian, start = in_log_time(_velocity), in_log_time(_jacobian), np.zeros(self.width**2)
            settings = {"method": "LSODA", "t_eval": u, "rtol": 1e-10, "atol": 1e-12}
            found = solve_ivp(slope, (0.0, u[-1]), start, jac=jacobian, **settings)
            require(found.success, "last_time", self.last_time, f"a time the solver reaches ({found.message})")
            rows = [self._row(model, weight.reshape(self.width, self.width)) for weight in found.y.T]
        columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        return RunOutput({"time": self.times, **columns}, {"weight": found.y.T.reshape(-1, self.width, self.width)})

    def _row(self, model: LinearMemory, weight: np.ndarray) -> dict[str, float]:
        n = self.inputs
        model = jax.tree.map(np.asarray, eqx.tree_at(lambda m: m.weight, model, weight))
        logits = np.asarray(model.inputs @ weight.T @ model.outputs.T)
        (spectrum,) = decompose(model, "weight").spectra
        cut = np.asarray(model.inputs @ spectrum.low_rank(n - 1).T @ model.outputs.T)
        ones = model.inputs.sum(axis=0) / math.sqrt(n + (n * self.offset) ** 2)
        overlap = np.abs(spectrum.right.T @ ones)  # which right singular vector is the sum of all inputs
        values = spectrum.values[:n]
        carrier = int(np.argmax(overlap[:n])) if values[0] > 0 else 0
        return {
            "a": float(np.mean([logits[i, j] - logits[i, i] for i in range(n) for j in range(n) if i != j])),
            "b": float(np.mean([logits[i, n] - logits[i, i] for i in range(n)])),
            **{f"full_{name}": value for name, value in _probabilities(logits).items()},
            **{f"cut_{name}": value for name, value in _probabilities(cut).items()},
            "noise_singular": float(values[carrier]),
            "signal_singular": float(np.delete(values, carrier).min()),
            "overlap": float(overlap[:n].max()),
        }


def _probabilities(logits: np.ndarray) -> dict[str, float]:
    """Mean over inputs of the probability of the label, of the noise, and of all else."""
    n = len(logits)
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = shifted / shifted.sum(axis=1, keepdims=True)
    correct, noise = float(p[np.arange(n), np.arange(n)].mean()), float(p[:, n].mean())
    wrong = float((p[:, :n].sum(axis=1) - p[np.arange(n), np.arange(n)]).mean())
    return {"correct": correct, "noise": noise, "wrong": wrong}


FIRST = np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]])  # β_1's matrix in equation (41), as [output, input]
SECOND = np.array([[1.0, 1.0], [1.0, 1.0], [-2.0, -2.0]])  # β_2's


@dataclass(frozen=True, kw_only=True)
class CoefficientRates(RunConfig):
    """-grad L at random W = β_1 (...) + β_2 (...), by autodiff, read back as rates of β_1 and β_2, and what it has
    outside of these two matrices; also at random W that are not in their span."""

    kind = "association/coefficient-rates"
    version = 2

    alpha: Inside = 0.3
    points: Count = 32
    seed: int = 0

    def execute(self, context: RunContext) -> RunOutput:
        betas = named_generator(self.seed, "betas").normal(size=(self.points, 2))
        any_logits = named_generator(self.seed, "any W").normal(size=(self.points, 3, 2))
        with precision("float64"):
            model, goal = LinearMemory.orthonormal(2, 4, self.seed), targets(2, self.alpha)
            outputs, inputs = np.asarray(model.outputs), np.asarray(model.inputs)

            def decomposed(logits: np.ndarray) -> tuple[float, float, float]:
                """The rates of both coefficients, and the largest entry of the velocity outside of their matrices."""
                weight = outputs.T @ logits @ inputs
                velocity = np.asarray(_velocity(model, goal, to_jax(weight.ravel()))).reshape(weight.shape)
                moved = outputs @ velocity @ inputs.T
                first, second = (float(np.sum(moved * m) / np.sum(m * m)) for m in (FIRST, SECOND))
                return first, second, float(np.abs(moved - first * FIRST - second * SECOND).max())

            found = np.array([decomposed(first * FIRST + second * SECOND) for first, second in betas])
            elsewhere = np.array([decomposed(logits)[2] for logits in any_logits])
        columns = {"beta_1": betas[:, 0], "beta_2": betas[:, 1], "rate_1": found[:, 0], "rate_2": found[:, 1]}
        return RunOutput(columns | {"outside": found[:, 2], "outside_of_any": elsewhere})
