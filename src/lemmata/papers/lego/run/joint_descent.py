"""One stage instead of two: W_4, W_5 and Q descend together on the next-clause loss of T^2, from the start.

The paper trains W on T^1 under uniform attention, then Q on T^2 with W fixed (Algorithm 1), to separate their analyses.
"""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key, PyTree

from lemmata.core import AbstractAlgorithm, Metrics, TrainState, require
from lemmata.papers.lego.model import TheoryTransformer
from lemmata.papers.lego.run.chains import draw_chains, next_logits, nll, step_scores, value_offset
from lemmata.papers.lego.task import Lego

Tokens = Literal["both", "value"]


class JointDescent(AbstractAlgorithm):
    """Plain descent on Loss^2 (6a), of tokens 4 and 5 (or of the value alone), one learning rate for all weights.

    As in `OneStep` the step adapts, so that no weight of a neuron moves by more than a share of itself, and no score of
    attention by more than that number: the gradient flow in few steps, on drawn sentences.
    """

    tokens: Tokens = eqx.field(static=True, default="both")
    batch: int = eqx.field(static=True, default=128)
    stride: float = 0.2
    learning_rate: float = 1e15  # at most

    def init(self, model: TheoryTransformer) -> TrainState:
        """Beside the model: the time of the gradient flow, the learning rates so far summed."""
        require(self.stride > 0, "stride", self.stride, "positive")
        return TrainState(model, jnp.zeros(()))

    def step(self, task: Lego, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        model = state.model
        chains = draw_chains(task, jax.random.split(key, self.batch), length=2, answers=2)

        def losses(weights: PyTree) -> tuple[Float[Array, ""], Metrics]:
            """Means over both answers; the floor of each token's is the clip's."""
            moved = with_weights(model, weights)
            value, variable = jnp.zeros(()), jnp.zeros(())
            for answer in (1, 2):
                seen = jax.nn.softmax(step_scores(moved.query_third, moved.query_fourth, chains, answer), axis=-1)
                values, names = (
                    next_logits(neurons, seen, chains, answer) for neurons in (moved.value, moved.variable)
                )
                value += nll(moved.value, values, chains.values[:, answer] + value_offset(model)) / 2
                variable += nll(moved.variable, names, chains.named[:, answer] - model.variable.first) / 2
            total = value + variable if self.tokens == "both" else value
            return total, {"value_loss": value, "variable_loss": variable}

        weights = weights_of(model)
        (_, metrics), gradient = jax.value_and_grad(losses, has_aux=True)(weights)
        bias, rho = model.value.bias, model.value.rho
        scale = {"Q": jnp.ones_like, "W": lambda w: bias + jnp.minimum(jnp.abs(w), rho)}
        sizes = {name: jax.tree.map(scale[name], tables) for name, tables in weights.items()}
        shares = jax.tree.map(lambda g, s: jnp.max(jnp.abs(g) / s), gradient, sizes)
        fastest = jnp.stack(jax.tree.leaves(shares)).max()
        step_size = jnp.minimum(self.learning_rate, self.stride / jnp.maximum(fastest, jnp.finfo(fastest.dtype).tiny))
        moved = with_weights(model, jax.tree.map(lambda w, g: w - step_size * g, weights, gradient))
        return TrainState(moved, state.opt_state + step_size), {**metrics, "time": state.opt_state}


def weights_of(model: TheoryTransformer) -> dict[str, tuple]:
    return {"Q": (model.query_third, model.query_fourth), "W": (model.variable.tables, model.value.tables)}


def with_weights(model: TheoryTransformer, weights: PyTree) -> TheoryTransformer:
    model = eqx.tree_at(lambda m: (m.query_third, m.query_fourth), model, weights["Q"])
    return eqx.tree_at(lambda m: (m.variable.tables, m.value.tables), model, weights["W"])
