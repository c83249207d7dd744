"""Gradient descent on the first decoding step for many temperatures and seeds at once, in float64.

theta and omega never meet in the loss, so theta alone is trained here. Temperatures, rates and data are a replica axis:
one compiled program serves them all.
"""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lemmata.core import Metrics, RunContext, TrainState, named_key
from lemmata.papers.ic_recall.model import PatternModel
from lemmata.papers.ic_recall.run.algorithm_1 import perturb
from lemmata.papers.ic_recall.run.problems import FineTuning, first_step_loss, symmetric_pairs
from lemmata.papers.ic_recall.task import AllBijections, Dataset, dataset
from lemmata.train import GradientDescent, fit_many, stack


def theta_of(model: Any) -> Any:
    return model.theta


def descend_theta(
    starts: Float[np.ndarray, "replica 6"],
    tasks: Sequence[FineTuning],
    rates: Float[np.ndarray, " replica"],
    *,
    steps: int,
    every: int,
    symmetric: bool = False,
    context: RunContext,
    stage: str,
) -> dict[str, np.ndarray]:
    """theta, loss and gradient norm of each replica, every so many steps; shapes (replica, record, ...).

    `symmetric` keeps the iterate on v_1 = v_3, v_2 = v_4, where exact gradient flow from 0 stays and rounding does not.
    """
    blank = PatternModel.zeros(2, 3)
    models = stack([eqx.tree_at(theta_of, blank, jnp.asarray(theta)) for theta in starts])
    algorithm = GradientDescent(first_step_loss, theta_of, 0.0, 0.0, symmetric_pairs if symmetric else None)
    keys = jnp.stack([named_key(0, "unused")] * len(starts))
    _, rows = fit_many(
        algorithm,
        stack(list(tasks)),
        TrainState(models, jnp.asarray(rates)),
        keys,
        steps=steps,
        every=every,
        probe=_theta,
        replicas="vmap",
        context=context,
        stage=stage,
    )
    return rows


def _theta(model: PatternModel, task: Any, key: Key[Array, ""]) -> Metrics:
    del task, key
    return {"theta": model.theta}


def pushed(theta: Float[np.ndarray, " 6"], size: float, seed: int, name: str) -> Float[np.ndarray, " 6"]:
    """theta moved by a uniform draw from a ball of this radius."""
    model = eqx.tree_at(theta_of, PatternModel.zeros(2, 3), jnp.asarray(theta))
    return np.asarray(perturb(model, theta_of, size, named_key(seed, "push", name)).theta)


def warmup_data() -> Dataset:
    return dataset(AllBijections(n=3).draw(), 1, 2, seed=0, name="warm-up")


def softmax(theta: np.ndarray) -> np.ndarray:
    weights = np.exp(theta - theta.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)
