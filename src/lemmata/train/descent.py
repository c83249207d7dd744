"""Descent by any optax rule, on any objective, of any chosen leaves: Adam, AdamW, SGD are rules, not algorithms.

The rates are leaves of the algorithm, so the loop's program takes them as arguments: a sweep compiles once.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import optax
from jaxtyping import Array, Float, Key, PyTree

from lemmata.core import AbstractAlgorithm, Metrics, TrainState
from lemmata.train.losses import BatchLoss, value_and_gradient

Loss = Callable[[Any, Any, Key[Array, ""]], Float[Array, ""]]  # (model, task, key)
Where = Callable[[Any], PyTree]  # the leaves of a model that may change
Objective = Callable[[PyTree, PyTree, Any, Key[Array, ""]], tuple[Metrics, PyTree]]  # (learned, fixed, task, key)


class Descent(AbstractAlgorithm):
    """`rule(rate)` is an optax transformation: `optax.adam`, or an optimizer config. `trainable(model)` is True on the
    leaves that move; the objective gives metrics (a "loss" among them) and the gradient in those leaves."""

    objective: Objective = eqx.field(static=True)
    trainable: Callable[[Any], PyTree] = eqx.field(static=True)
    rule: Callable[[Any], optax.GradientTransformation] = eqx.field(static=True)
    rate: PyTree  # a number, or whatever the rule takes

    def init(self, model: Any) -> TrainState:
        return TrainState(model, self.rule(self.rate).init(eqx.filter(model, self.trainable(model))))

    def step(self, task: Any, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        learned, fixed = eqx.partition(state.model, self.trainable(state.model))
        metrics, gradient = self.objective(learned, fixed, task, key)
        updates, opt_state = self.rule(self.rate).update(gradient, state.opt_state, learned)
        return TrainState(eqx.combine(eqx.apply_updates(learned, updates), fixed), opt_state), metrics


class Autodiff(eqx.Module):
    """The objective of a loss (model, task, key), by automatic differentiation, with its gradient's norm."""

    loss: Loss = eqx.field(static=True)

    def __call__(self, learned: PyTree, fixed: PyTree, task: Any, key: Key[Array, ""]) -> tuple[Metrics, PyTree]:
        value, gradient = jax.value_and_grad(lambda part: self.loss(eqx.combine(part, fixed), task, key))(learned)
        return {"loss": value, "gradient_norm": optax.tree.norm(gradient)}, gradient


class Batches(eqx.Module):
    """The objective of a loss (model, batch) on `size` fresh sequences, drawn in the step from the step's own key."""

    loss: BatchLoss = eqx.field(static=True)
    size: int = eqx.field(static=True)

    def __call__(self, learned: PyTree, fixed: PyTree, task: Any, key: Key[Array, ""]) -> tuple[Metrics, PyTree]:
        loss, gradient = value_and_gradient(self.loss, learned, fixed, task.sample(self.size, key=key))
        return {"loss": loss}, gradient


def only(where: Where) -> Callable[[Any], PyTree]:
    """The filter that is True on the chosen leaves of a model and False on the others."""
    return _Only(where)


class _Only(eqx.Module):
    where: Where = eqx.field(static=True)

    def __call__(self, model: Any) -> PyTree:
        return chosen_leaves(model, self.where)


def chosen_leaves(model: Any, where: Where) -> PyTree:
    """True on the chosen leaves of a model, False on the others."""
    nothing = jax.tree.map(lambda _: False, model)
    return eqx.tree_at(where, nothing, replace_fn=lambda leaf: True)
