"""Algorithm 1: gradient descent, a random perturbation, gradient descent again; with the paper's two schedules.

Theta-notation hides constants; here each is a field. Every claim about Algorithm 1 is judged on this one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, log, sqrt
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Key, PyTree

from lemmata import core
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning
from lemmata.train import GradientDescent, History, Loss, Projection, Where, fit_many


@dataclass(frozen=True, kw_only=True)
class Schedule(core.Config):
    """The learning rates of both stages, and how far the perturbation between them may go."""

    c1: core.Positive = 1.0
    c2: core.Positive = 1.0
    perturbation: core.NonNegative = 1.0
    delta: core.Inside = 0.1

    def learning_rates(self, temperature: float) -> tuple[float, float]:
        return self.c1 * temperature**2, self.c2 * temperature**2

    def radius(self, temperature: float) -> float:
        """Of the ball the perturbation is drawn from: c T^3 / log(1/delta)^2."""
        return self.perturbation * temperature**3 / log(1 / self.delta) ** 2


@dataclass(frozen=True, kw_only=True)
class ToConvergence(Schedule):
    """Theorem 4.2: eta_1 = c_1 T^2, eta_2 = c_2 T^2, both stages run until they converge.

    In floating point stage 1 would leave the saddle by itself: give `algorithm_1` a projection that keeps it there.
    """

    steps1: core.Count = 20_000
    steps2: core.Count = 100_000

    def steps(self, temperature: float) -> tuple[int, int]:
        return self.steps1, self.steps2


@dataclass(frozen=True, kw_only=True)
class OneLargeStep(Schedule):
    """Theorems 4.1 and 4.4: eta_1 = c_1 T sqrt(T) log(1/T), t_1 = 1; eta_2 = c_2 T^2, t_2 = C_2 / T log(1/T)."""

    stage2: core.Positive = 10.0  # C_2

    def learning_rates(self, temperature: float) -> tuple[float, float]:
        return self.c1 * temperature * sqrt(temperature) * _log_inverse(temperature), self.c2 * temperature**2

    def steps(self, temperature: float) -> tuple[int, int]:
        return 1, ceil(self.stage2 / temperature * _log_inverse(temperature))


def _log_inverse(temperature: float) -> float:
    core.require(0 < temperature < 1, "temperature", temperature, "between 0 and 1 (the schedule uses log(1/T))")
    return log(1 / temperature)


class TwoStages(NamedTuple):
    """What Algorithm 1 leaves: the models after each stage, and what each recorded."""

    settled: Any
    final: Any
    stage1: History
    stage2: History


def algorithm_1(
    loss: Loss,
    where: Where,
    schedule: ToConvergence | OneLargeStep,
    task: FineTuning,
    models: Any,
    keys: Key[Array, " replica"],
    *,
    stops: tuple[Sequence[int], Sequence[int]] | None = None,
    project: tuple[Projection | None, Projection | None] = (None, None),
    probe: Any = None,
    context: core.RunContext | None = None,
) -> TwoStages:
    """A stack of replicas (a leading axis on `task` and `models`), each at its own temperature; `keys` draw the
    perturbations.

    `stops` are the numbers of steps after which each stage records; the schedule's own ends if none are given.
    `project` maps the models back onto a subspace after each step of a stage.
    """
    temperatures = [float(t) for t in task.temperature]
    first_rates, second_rates = zip(*(schedule.learning_rates(t) for t in temperatures), strict=True)
    first, second = stops or [(steps,) for steps in schedule.steps(min(temperatures))]  # the coldest needs the most
    settled, stage1 = descend(loss, where, task, models, first_rates, first, project[0], probe, context, "stage 1")
    perturbed = perturb(where, settled, core.to_jax([schedule.radius(t) for t in temperatures]), keys)
    final, stage2 = descend(loss, where, task, perturbed, second_rates, second, project[1], probe, context, "stage 2")
    return TwoStages(settled, final, stage1, stage2)


def descend(
    loss: Loss,
    where: Where,
    task: PyTree,
    models: Any,
    learning_rates: Sequence[float] | np.ndarray,
    stops: Sequence[int],
    project: Projection | None = None,
    probe: Any = None,
    context: core.RunContext | None = None,
    stage: str = "descent",
) -> tuple[Any, History]:
    """Gradient descent with a learning rate a replica; a row at the start and after each of `stops` steps.

    Learning rates and numbers of steps are arguments of the loop's program, so every temperature shares one
    compilation; evenly spaced stops share one call.
    """
    algorithm = GradientDescent(loss, where, 0.0, project=project)  # each replica's learning rate is in its state
    state = core.TrainState(models, core.to_jax(learning_rates))
    unused = jax.random.split(core.named_key(0, "unused"), len(learning_rates))  # a full-batch loss draws nothing
    how: dict[str, Any] = {"probe": probe, "replicas": "vmap", "context": context}
    parts, done = [], 0
    for every, group in groupby(int(count) for count in np.diff(stops, prepend=0)):
        steps = every * len(list(group))
        name = f"{stage}, from {done}"
        state, rows = fit_many(algorithm, task, state, unused, steps=steps, every=every, stage=name, **how)
        parts.append(rows)
        done += steps
    joined = {
        name: np.concatenate([*(part[name][:, :-1] for part in parts), parts[-1][name][:, -1:]], axis=1)
        for name in parts[0]
    }
    return state.model, History(joined, np.array([0, *stops]))


@eqx.filter_jit
def perturb(where: Where, models: Any, sizes: Float[Array, " replica"], keys: Key[Array, " replica"]) -> Any:
    """Each replica's chosen leaves moved, together, by its own uniform draw from a ball of its own radius."""

    def one(model: Any, size: Float[Array, ""], key: Key[Array, ""]) -> Any:
        leaves, unravel = ravel_pytree(where(model))
        direction_key, length_key = jax.random.split(key)
        direction = jax.random.normal(direction_key, leaves.shape)
        length = size * jax.random.uniform(length_key) ** (1 / leaves.size)
        return eqx.tree_at(where, model, unravel(leaves + direction * (length / jnp.linalg.norm(direction))))

    return eqx.filter_vmap(one)(models, sizes, keys)
