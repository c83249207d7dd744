"""Full-batch descent on any loss, of any chosen leaves: plain gradient descent and Adam."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Key

from lemmata.core import AbstractAlgorithm, Metrics, TrainState
from lemmata.train.descent import Loss, Where, chosen_leaves

Projection = Callable[[Any], Any]


class GradientDescent(AbstractAlgorithm):
    """x <- x - rate * gradient. The rate lives in the state, so replicas may have rates of their own.

    `stop_below` freezes a replica once the norm of its gradient is smaller: rounding then cannot carry it on from a
    saddle that exact gradient flow would only approach. `project` maps the model back onto a subspace after each step.
    """

    loss: Loss = eqx.field(static=True)
    where: Where = eqx.field(static=True)
    learning_rate: float = eqx.field(static=True)
    stop_below: float = eqx.field(static=True, default=0.0)
    project: Projection | None = eqx.field(static=True, default=None)

    def init(self, model: Any) -> TrainState:
        return TrainState(model, jnp.asarray(self.learning_rate))

    def step(self, task: Any, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        value, gradient, norm = _value_and_gradient(self, task, state.model, key)
        rate = jnp.where(norm > self.stop_below, state.opt_state, 0.0) if self.stop_below > 0 else state.opt_state
        model = eqx.apply_updates(state.model, jax.tree.map(lambda g: -rate * g, gradient))
        if self.project is not None:
            model = self.project(model)
        return TrainState(model, state.opt_state), {"loss": value, "gradient_norm": norm}


class Adam(AbstractAlgorithm):
    """Adam (Kingma and Ba, 2015) with optax's defaults; the paper's experiments use a rate of 10^-3."""

    loss: Loss = eqx.field(static=True)
    where: Where = eqx.field(static=True)
    learning_rate: float = eqx.field(static=True, default=1e-3)

    def init(self, model: Any) -> TrainState:
        return TrainState(model, optax.adam(self.learning_rate).init(trainable(model, self.where)))

    def step(self, task: Any, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        value, gradient, norm = _value_and_gradient(self, task, state.model, key)
        updates, memory = optax.adam(self.learning_rate).update(gradient, state.opt_state)
        return TrainState(eqx.apply_updates(state.model, updates), memory), {"loss": value, "gradient_norm": norm}


def trainable(model: Any, where: Where) -> Any:
    """The model with every leaf but the chosen ones replaced by None."""
    return eqx.filter(model, chosen_leaves(model, where))


def _value_and_gradient(
    algorithm: GradientDescent | Adam, task: Any, model: Any, key: Key[Array, ""]
) -> tuple[Float[Array, ""], Any, Float[Array, ""]]:
    chosen, rest = eqx.partition(model, chosen_leaves(model, algorithm.where))
    value, gradient = jax.value_and_grad(lambda part: algorithm.loss(eqx.combine(part, rest), task, key))(chosen)
    return value, gradient, optax.tree.norm(gradient)
