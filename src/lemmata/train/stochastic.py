"""Stochastic gradient methods: a fresh batch each step, drawn inside the step from the step's own key."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import optax
from jaxtyping import Array, Key, PyTree

from lemmata.core import AbstractAlgorithm, Metrics, TrainState
from lemmata.train.losses import BatchLoss, value_and_gradient


class StochasticDescent(AbstractAlgorithm):
    """An optax rule on the loss of `batch` sequences. What is learned is a filter on the tree, not a flag in it."""

    optimizer: optax.GradientTransformation
    batch: int = eqx.field(static=True)
    loss: BatchLoss
    trainable: Callable[[Any], PyTree]  # the model's filter: True on the leaves that move

    def init(self, model: Any) -> TrainState:
        return TrainState(model, self.optimizer.init(eqx.filter(model, self.trainable(model))))

    def step(self, task: Any, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        batch = task.sample(self.batch, key=key)
        learned, fixed = eqx.partition(state.model, self.trainable(state.model))
        loss, gradient = value_and_gradient(self.loss, learned, fixed, batch)
        updates, memory = self.optimizer.update(gradient, state.opt_state, learned)
        return TrainState(eqx.combine(eqx.apply_updates(learned, updates), fixed), memory), {"loss": loss}
