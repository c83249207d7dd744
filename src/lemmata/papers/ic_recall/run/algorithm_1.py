"""Algorithm 1: gradient descent, a random push, gradient descent again; with the paper's two schedules.

Theta-notation hides constants; here each is a field. A schedule is a config: it can be stored, and changed by name.
"""

from dataclasses import dataclass
from math import ceil, log, prod, sqrt
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key, PyTree

from lemmata.core import RunContext, TrainState, require
from lemmata.train.descent import Loss, Where
from lemmata.train.gradient_descent import GradientDescent, Projection
from lemmata.train.loop import fit_many


@dataclass(frozen=True, kw_only=True)
class ToConvergence:
    """Theorem 4.2: eta_1 = c_1 T^2, eta_2 = c_2 T^2, both stages run until they converge.

    In floating point stage 1 would leave the saddle by itself. `settle` says what stops it: "gradient norm" freezes the
    iterate once the gradient is below `tolerance`; "projection" keeps it on the symmetric subspace.
    """

    c1: float = 1.0
    c2: float = 1.0
    steps1: int = 20_000
    steps2: int = 100_000
    settle: Literal["gradient norm", "projection"] = "projection"
    tolerance: float = 1e-6
    perturbation: float = 1.0
    delta: float = 0.1

    def __post_init__(self) -> None:
        _check_constants(self.c1, self.c2, self.perturbation, self.delta)
        require(self.steps1 >= 1, "steps1", self.steps1, "at least 1")
        require(self.steps2 >= 1, "steps2", self.steps2, "at least 1")
        require(self.tolerance > 0, "tolerance", self.tolerance, "above 0")

    def rates(self, temperature: float) -> tuple[float, float]:
        return self.c1 * temperature**2, self.c2 * temperature**2

    def steps(self, temperature: float) -> tuple[int, int]:
        return self.steps1, self.steps2


@dataclass(frozen=True, kw_only=True)
class OneLargeStep:
    """Theorems 4.1 and 4.4: eta_1 = c_1 T sqrt(T) log(1/T), t_1 = 1; eta_2 = c_2 T^2, t_2 = C_2 / T log(1/T)."""

    c1: float = 1.0
    c2: float = 1.0
    stage2: float = 10.0  # C_2
    perturbation: float = 1.0
    delta: float = 0.1

    def __post_init__(self) -> None:
        _check_constants(self.c1, self.c2, self.perturbation, self.delta)
        require(self.stage2 > 0, "stage2", self.stage2, "above 0")

    def rates(self, temperature: float) -> tuple[float, float]:
        _check_low(temperature)
        return self.c1 * temperature * sqrt(temperature) * log(1 / temperature), self.c2 * temperature**2

    def steps(self, temperature: float) -> tuple[int, int]:
        _check_low(temperature)
        return 1, ceil(self.stage2 / temperature * log(1 / temperature))


Schedule = ToConvergence | OneLargeStep


def radius(schedule: Schedule, temperature: float) -> float:
    """Of the ball the perturbation is drawn from: c T^3 / log(1/delta)^2."""
    return schedule.perturbation * temperature**3 / log(1 / schedule.delta) ** 2


def perturb(model: Any, where: Where, size: float | Float[Array, ""], key: Key[Array, ""]) -> Any:
    """The model with its chosen leaves moved, together, by a uniform draw from a ball of this radius."""
    leaves = jax.tree.leaves(where(model))
    dimension = sum(leaf.size for leaf in leaves)
    direction_key, length_key = jax.random.split(key)
    direction = jax.random.normal(direction_key, (dimension,))
    length = size * jax.random.uniform(length_key) ** (1 / dimension)
    move = direction * (length / jnp.linalg.norm(direction))
    parts, first = [], 0
    for leaf in leaves:
        parts.append(leaf + move[first : first + leaf.size].reshape(leaf.shape))
        first += prod(leaf.shape)
    return eqx.tree_at(lambda m: jax.tree.leaves(where(m)), model, parts)


def perturbed_gradient_descent(
    loss: Loss,
    where: Where,
    schedule: Schedule,
    temperature: float,
    task: PyTree,
    models: Any,
    keys: Key[Array, " replica"],
    *,
    records: tuple[int, int] = (1, 1),
    probe: Any = None,
    symmetric: Projection | None = None,
    replicas: Literal["map", "vmap"] = "map",
    context: RunContext | None = None,
) -> "TwoStages":
    """Algorithm 1 for a stack of replicas (leading axis on `task`, `models`, `keys`).

    `records` is how many rows of metrics each stage keeps after its first; the number of steps is rounded up to a
    multiple of it. `symmetric` is the projection that a "projection" schedule applies in stage 1.
    """
    (rate1, rate2), (steps1, steps2) = schedule.rates(temperature), schedule.steps(temperature)
    settle = schedule.settle if isinstance(schedule, ToConvergence) else None
    tolerance = schedule.tolerance if isinstance(schedule, ToConvergence) and settle == "gradient norm" else 0.0
    if settle == "projection":
        require(symmetric is not None, "settle", settle, "a projection must be given with it")
    stage1 = GradientDescent(loss, where, rate1, tolerance, symmetric if settle == "projection" else None)
    stage2 = GradientDescent(loss, where, rate2)

    def run(algorithm: GradientDescent, models: Any, steps: int, rows: int, name: str) -> tuple[Any, dict]:
        every = ceil(steps / min(rows, steps))
        state = TrainState(models, jnp.full(keys.shape, algorithm.learning_rate))
        total = every * ceil(steps / every)
        state, metrics = fit_many(
            algorithm,
            task,
            state,
            keys,
            steps=total,
            every=every,
            probe=probe,
            replicas=replicas,
            context=context,
            stage=name,
        )
        return state.model, metrics | {
            "step": np.broadcast_to(np.arange(total // every + 1) * every, (len(keys), total // every + 1))
        }

    settled, first = run(stage1, models, steps1, records[0], "stage 1")
    noise = jax.vmap(lambda key: jax.random.fold_in(key, 2**31 - 1))(keys)
    dynamic, static = eqx.partition(settled, eqx.is_array)

    def push(dynamic: PyTree, key: Key[Array, ""]) -> PyTree:
        return eqx.filter(
            perturb(eqx.combine(dynamic, static), where, radius(schedule, temperature), key), eqx.is_array
        )

    pushed = eqx.combine(jax.vmap(push)(dynamic, noise), static)
    final, second = run(stage2, pushed, steps2, records[1], "stage 2")
    return TwoStages(settled, final, first, second)


@dataclass(frozen=True)
class TwoStages:
    """What Algorithm 1 leaves: the models after each stage, and each stage's metrics (replica, record)."""

    settled: Any
    final: Any
    stage1: dict[str, np.ndarray]
    stage2: dict[str, np.ndarray]


def _check_constants(c1: float, c2: float, perturbation: float, delta: float) -> None:
    require(c1 > 0, "c1", c1, "above 0")
    require(c2 > 0, "c2", c2, "above 0")
    require(perturbation >= 0, "perturbation", perturbation, "at least 0")
    require(0 < delta < 1, "delta", delta, "between 0 and 1")


def _check_low(temperature: float) -> None:
    require(0 < temperature < 1, "temperature", temperature, "between 0 and 1 (the schedule uses log(1/T))")
