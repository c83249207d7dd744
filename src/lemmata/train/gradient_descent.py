"""Full-batch gradient descent on any loss, of any chosen leaves."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import optax
from jaxtyping import Array, Key

from lemmata.core import AbstractAlgorithm, Metrics, TrainState, to_jax
from lemmata.train.descent import Loss, Where, chosen_leaves

Projection = Callable[[Any], Any]


class GradientDescent(AbstractAlgorithm):
    """x <- x - rate * gradient. The rate lives in the state, so replicas may have rates of their own.

    `project` maps the model back onto a subspace after each step.
    """

    loss: Loss = eqx.field(static=True)
    where: Where = eqx.field(static=True)
    learning_rate: float
    project: Projection | None = eqx.field(static=True, default=None)

    def init(self, model: Any) -> TrainState:
        return TrainState(model, to_jax(self.learning_rate))

    def step(self, task: Any, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        chosen, rest = eqx.partition(state.model, chosen_leaves(state.model, self.where))
        value, gradient = jax.value_and_grad(lambda part: self.loss(eqx.combine(part, rest), task, key))(chosen)
        model = eqx.apply_updates(state.model, jax.tree.map(lambda g: -state.opt_state * g, gradient))
        if self.project is not None:
            model = self.project(model)
        return TrainState(model, state.opt_state), {"loss": value, "gradient_norm": optax.tree.norm(gradient)}
