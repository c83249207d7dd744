"""Equals `plain.fine_tune`: gradient descent on questions in the coordinates of the tokens that they read.

Every gradient in the neurons is tokens.T @ rows, so descent from w reaches w + tokens.T @ moved: a low-rank update
whose left factor stays. What the neurons make of the tokens follows by the tokens' inner products, and no product with
the neurons themselves is left. Exact for plain descent along the whole gradient or its part of rank 1; AdamW, whose
steps are not sums of tokens, needs the matrices.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Key

from lemmata.core import AbstractAlgorithm, Metrics, TrainState
from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.model.one_layer import Factors
from lemmata.papers.knowledge.run.fast.finetuning_gradient import TrainQuestions, finetuning_gradient, tokens_read
from lemmata.papers.knowledge.run.fast.neuron_sums import Hidden
from lemmata.papers.knowledge.run.pretraining import LearningRates
from lemmata.papers.knowledge.task import Questions

MOST_POWERS = 100  # where the first two are that close, either will do


class OnTokens(eqx.Module):
    """What the neurons make of the tokens, and the tokens' inner products."""

    hidden: Hidden
    gram: Float[Array, "token token"]


class TokenDescent(AbstractAlgorithm):
    """On the mean loss over all questions that are asked, about `subjects` different ones at most."""

    lr: LearningRates
    subjects: int = eqx.field(static=True)
    leading: bool = eqx.field(static=True)  # along the part of rank 1 of the neurons' gradient

    def init(self, model: tuple[OneLayer, Questions]) -> TrainState:
        """Of a model and the questions it is fine-tuned on: the state has their tokens."""
        return begun(*model, self.subjects)

    def step(self, task: Questions, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        model, now = state.model, state.opt_state
        questions = TrainQuestions.about(task, task.different[: self.subjects], task.share[: self.subjects])
        opened = task.facts.vocabulary.opened
        loss, attention, rows = finetuning_gradient(
            model, model.attention, opened, questions, _tokens(model), now.hidden
        )
        if self.leading:
            direction, along = leading_part(rows, now.gram)
            rows, change = direction[:, None] * along, (now.gram @ direction)[:, None] * along
        else:
            change = now.gram @ rows
        moved = eqx.tree_at(
            lambda one: (one.attention, one.neuron_update.right),
            model,
            (model.attention - self.lr.attention * attention, model.neuron_update.right - self.lr.neurons * rows),
        )
        return TrainState(moved, OnTokens(now.hidden - self.lr.neurons * change, now.gram)), {"loss": loss}


def begun(model: OneLayer, task: Questions, subjects: int) -> TrainState:
    """The state of descent on these questions, with an update of the neurons in their tokens, 0 at first."""
    tokens = tokens_read(model, task, task.different[:subjects])
    on_tokens = tokens @ model.neurons.reshape(tokens.shape[1], -1)
    moved = model.with_factors(None, Factors(tokens.T, jnp.zeros_like(on_tokens)))
    return TrainState(moved, OnTokens(on_tokens, tokens @ tokens.T))


def _tokens(model: OneLayer) -> Float[Array, "token width"]:
    assert model.neuron_update is not None
    return model.neuron_update.left.T


def leading_part(
    rows: Hidden, gram: Float[Array, "token token"]
) -> tuple[Float[Array, " token"], Float[Array, " unit"]]:
    """Of the matrix tokens.T @ rows, the part u u.T (tokens.T @ rows) along its first left singular vector u: u as a
    combination of tokens, and u.T (tokens.T @ rows). By powers, in which the width does not appear."""
    squares = rows @ rows.T

    def unit(values: Float[Array, " token"]) -> Float[Array, " token"]:
        return values / jnp.maximum(length(values), jnp.finfo(values.dtype).tiny)

    def length(values: Float[Array, " token"]) -> Float[Array, ""]:
        return jnp.sqrt(jnp.maximum(values @ gram @ values, 0))

    def turns(state: tuple[Array, Array, Array]) -> Bool[Array, ""]:
        before, now, number = state
        return (number < MOST_POWERS) & (length(now - before) > 100 * jnp.finfo(now.dtype).eps)

    def power(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        _, now, number = state
        return now, unit(squares @ (gram @ now)), number + 1

    start = unit(squares[:, jnp.argmax(jnp.diag(squares))])
    direction = jax.lax.while_loop(turns, power, (jnp.zeros_like(start), start, jnp.zeros((), jnp.int32)))[1]
    return direction, (direction @ gram) @ rows
