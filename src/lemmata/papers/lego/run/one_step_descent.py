"""Stage 1 of Algorithms 1 and 2: gradient descent of the neurons on the one-step task T^1, attention uniform.

The feed-forward layer then reads half of the predicate and half of the first answer (section 6.1), so W_5 sees only
the pair (g_1, y_0) and W_4 only x_1 if they read no other slot, and the full-batch gradient is exact: |G| |Y| inputs
for the value, |X| for the variable. Neurons that read every slot are trained on sampled sentences.

Inputs stand last in every array here: the sums over neurons, classes and pairs then run along contiguous memory.
"""

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lemmata.core import AbstractAlgorithm, Config, Count, Metrics, Positive, TrainState, require, stored_as
from lemmata.papers.lego.model import Neurons, TheoryTransformer, smooth_relu
from lemmata.papers.lego.task import Lego

Token = Literal["variable", "value"]


@dataclass(frozen=True, kw_only=True)
class Descent(Config):
    """Plain descent, or along the gradient flow by strides (see `OneStep`); to a number of steps, or to rest.

    The clip leaves a floor to the loss, log(1 + (d - 1) / e^B). Stage 1 ends where it is reached (T_1 of Algorithm 1).
    """

    steps: Count = 10_000  # at most
    learning_rate: Positive = field(default=10.0, metadata=stored_as("rate"))
    stride: Positive | None = None
    every: Count = 100
    within: Positive | None = None  # at rest once the exact loss exceeds the floor by no more than this share of it
    batch: Count | None = None  # sentences a step; none for the exact gradient

    def cross_check(self) -> None:
        require(self.steps % self.every == 0, "every", self.every, f"a divisor of {self.steps}")

    def require_exact(self, reads: str) -> None:
        """The exact gradient is of neurons that read the needed slots."""
        needed = self.batch is not None or reads == "needed"
        require(needed, "batch", self.batch, "a number if neurons read every slot")

    @property
    def rests(self) -> bool:
        return self.within is not None and self.batch is None

    def algorithm(self, token: Token) -> "OneStep":
        stride = math.inf if self.stride is None else self.stride
        within = -math.inf if self.within is None else self.within
        return OneStep(token=token, learning_rate=self.learning_rate, stride=stride, within=within, batch=self.batch)


class OneStep(AbstractAlgorithm):
    """Plain descent of W_4 (`variable`) or W_5 (`value`) on Loss^1 of that token; the other weights stay.

    The paper's learning rate is 1/poly(d), so its descent is the gradient flow. With a `stride` the rate adapts, up to
    `learning_rate`, so that no weight moves by more than a share of itself: the same flow in few steps.
    `batch` is None for the exact gradient over all inputs, else the number of sentences drawn a step. Once the exact
    loss exceeds its floor by no more than the share `within`, nothing moves.
    """

    token: Token = eqx.field(static=True)
    learning_rate: float = 10.0
    stride: float = math.inf
    within: float = -math.inf
    batch: int | None = eqx.field(static=True, default=None)

    def init(self, model: TheoryTransformer) -> TrainState:
        """Beside the model: the time of the gradient flow that is followed, the learning rates so far summed."""
        require(self.learning_rate > 0, "learning_rate", self.learning_rate, "positive")
        require(self.stride > 0, "stride", self.stride, "positive")
        return TrainState(model, jnp.zeros(()))

    def step(self, task: Lego, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        neurons = getattr(state.model, self.token)

        def loss(tables: Any) -> tuple[Float[Array, ""], Metrics]:
            moved = eqx.tree_at(lambda n: n.tables, neurons, tables)
            metrics = score(moved, *self.inputs(moved, task, key))
            return metrics["loss"], metrics

        (_, metrics), gradient = jax.value_and_grad(loss, has_aux=True)(neurons.tables)
        size = jax.tree.map(lambda w: neurons.bias + jnp.minimum(jnp.abs(w), neurons.rho), neurons.tables)
        relative_speeds = jax.tree.map(lambda g, s: jnp.max(jnp.abs(g) / s), gradient, size)
        fastest = jnp.stack(jax.tree.leaves(relative_speeds)).max()
        step_size = jnp.minimum(self.learning_rate, self.stride / jnp.maximum(fastest, jnp.finfo(fastest.dtype).tiny))
        if self.batch is None:
            step_size = jnp.where(metrics["excess"] <= self.within, 0, step_size)
        tables = jax.tree.map(lambda w, g: w - step_size * g, neurons.tables, gradient)
        new = eqx.tree_at(lambda m: getattr(m, self.token).tables, state.model, tables)
        return TrainState(new, state.opt_state + step_size), {**metrics, "time": state.opt_state}

    def inputs(
        self, neurons: Neurons, task: Lego, key: Key[Array, ""]
    ) -> tuple[Float[Array, "classes neurons *inputs"], Int[Array, "*inputs"]]:
        """What the neurons read, the bias not yet added, and the true classes, of every input or of sentences."""
        if self.batch is None:
            return all_inputs(neurons, task.table, self.token)
        sentences = task.draw(self.batch, key=key, length=1)
        v = task.vocabulary
        offsets = (0, v.first_action, 0, 0, v.first_value)
        # The predicate fills slots 1-3, the first answer slots 4 and 5.
        places = jnp.concatenate([sentences[:, 0, :3], sentences[:, 1, 3:]], axis=1).T
        rows = [w[t - o] for w, t, o in zip(neurons.tables, places, offsets, strict=True) if w is not None]
        read = jnp.moveaxis(sum(rows[1:], rows[0]), 0, -1) / 2
        return read, sentences[:, 2, 3 if self.token == "variable" else 4] - neurons.first


def all_inputs(
    neurons: Neurons, table: Int[Array, "action value"], token: Token
) -> tuple[Float[Array, "classes neurons *inputs"], Int[Array, "*inputs"]]:
    """On every input of T^1: pairs [value, action], or [variable]."""
    read = {slot for slot, weights in enumerate(neurons.tables) if weights is not None}
    if token == "variable":
        require(read == {0}, "reads", "all", "needed: the exact gradient is of neurons that read slot 1 alone")
        (x1,) = (jnp.moveaxis(weights, 0, -1) for weights in neurons.tables if weights is not None)
        return x1 / 2, jnp.arange(x1.shape[-1]) - neurons.first
    require(read == {1, 4}, "reads", "all", "needed: the exact gradient is of neurons that read slots 2 and 5 alone")
    g1, y0 = (jnp.moveaxis(weights, 0, -1) for weights in neurons.tables if weights is not None)
    first_value = neurons.vocab - 1 - table.shape[1]
    return (g1[:, :, None, :] + y0[:, :, :, None]) / 2, table.T + (first_value - neurons.first)


def score(
    neurons: Neurons, read: Float[Array, "classes neurons *inputs"], target: Int[Array, "*inputs"]
) -> dict[str, Float[Array, ""]]:
    """Loss, its excess over the clip's floor (as a share of it), accuracy of the largest logit and probability of the
    truth, over the inputs.

    The softmax is over the whole vocabulary: each token without neurons adds exp(0) to its sum.
    """
    inputs = (1,) * target.ndim
    active = neurons.speaks.reshape(-1, *inputs) * smooth_relu(
        read + neurons.bias, neurons.rho, neurons.power, neurons.branch
    )
    logits = jnp.minimum(jnp.sum(active, axis=1), neurons.bound)
    silent = neurons.vocab - neurons.classes
    truth = jnp.arange(neurons.classes).reshape(-1, *inputs) == target
    right = jnp.sum(jnp.where(truth, logits, 0), axis=0)  # a gather's derivative would be a scatter
    wrong = jnp.where(truth, -jnp.inf, logits)
    rival = jnp.max(wrong, axis=0)
    rival = jnp.maximum(rival, 0) if silent else rival
    highest = jax.lax.stop_gradient(rival)
    others = jnp.sum(jnp.exp(wrong - highest), axis=0) + silent * jnp.exp(-highest)
    nll = jax.nn.softplus(highest + jnp.log(others) - right)  # exact to the last digit where it is tiny
    loss = jnp.mean(nll)
    return {
        "loss": loss,
        "excess": loss / jnp.log1p((neurons.vocab - 1) * jnp.exp(-neurons.bound)) - 1,
        "accuracy": 1 - jnp.mean(jnp.asarray(right <= rival, logits.dtype)),  # exactly 1 where none is wrong
        "probability": jnp.mean(jnp.exp(-nll)),
    }
