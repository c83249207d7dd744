"""Losses on a batch: the mean cross-entropy over the positions where the batch's mask holds."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PyTree

from lemmata.core import Batch

BatchLoss = Callable[[Any, Batch], Float[Array, ""]]


def next_token_loss(model: Any, batch: Batch) -> Float[Array, ""]:
    """Logits at every position, the loss under the mask."""
    logits = jax.vmap(model)(batch.tokens)
    return masked_cross_entropy(logits, batch.targets, batch.mask)


MANY_QUERIES = 32  # from here on a second, shorter program is worth its compilation


def nll_by_sequence(
    model: Any,
    tokens: Int[Array, "batch seq"],
    positions: Int[Array, "batch query"],
    targets: Int[Array, "batch query"],
    kept: Bool[Array, "batch query"],
) -> Float[Array, ""]:
    """The mean surprise at the kept positions, of a model with an `at` method for one sequence."""
    return masked_cross_entropy(jax.vmap(model.at)(tokens, positions), targets, kept)


class QueryLoss(eqx.Module):
    """The same number for a model that computes logits only where the mask can hold.

    `queries` bounds the number of masked positions of a sequence (a task says it: `task.queries`).
    """

    queries: int = eqx.field(static=True)
    nll: Callable[..., Float[Array, ""]] = eqx.field(static=True, default=nll_by_sequence)

    def __call__(self, model: Any, batch: Batch) -> Float[Array, ""]:
        positions, kept = query_positions(batch.mask, self.queries)
        targets = jnp.take_along_axis(batch.targets, positions, axis=1)
        return self.nll(model, batch.tokens, positions, targets, kept)


def value_and_gradient(
    loss: BatchLoss, learned: PyTree, fixed: PyTree, batch: Batch
) -> tuple[Float[Array, ""], PyTree]:
    """Of the loss in the learned leaves. Most batches hold half of the possible queries at most, and take a shorter
    way to the same numbers; the choice stands outside the derivative, which would otherwise keep both ways' values."""

    def by(loss: BatchLoss) -> tuple[Float[Array, ""], PyTree]:
        return jax.value_and_grad(lambda learned: loss(eqx.combine(learned, fixed), batch))(learned)

    if not isinstance(loss, QueryLoss) or loss.queries < MANY_QUERIES:
        return by(loss)
    few = loss.queries // 2
    fits = jnp.max(jnp.sum(batch.mask, axis=1)) <= few
    return jax.lax.cond(fits, lambda: by(QueryLoss(few, loss.nll)), lambda: by(loss))


def query_positions(
    mask: Bool[Array, "batch seq"], queries: int
) -> tuple[Int[Array, "batch query"], Bool[Array, "batch query"]]:
    """The masked positions of each sequence in order, padded to `queries` with unmasked ones, and which are real."""
    if queries == mask.shape[1]:
        return jnp.broadcast_to(jnp.arange(queries), mask.shape), mask
    if queries == 1:
        positions = jnp.argmax(mask, axis=1, keepdims=True)
    else:
        # A stable sort of "is not masked" puts the masked positions first and keeps their order.
        positions = jnp.argsort(~mask, axis=1, stable=True)[:, :queries]
    return positions, jnp.take_along_axis(mask, positions, axis=1)


def masked_cross_entropy(
    logits: Float[Array, "batch seq vocab"], targets: Int[Array, "batch seq"], mask: Bool[Array, "batch seq"]
) -> Float[Array, ""]:
    """The mean surprise over the places where the mask holds; 0 if it holds nowhere."""
    nll = jax.nn.logsumexp(logits, axis=-1) - jnp.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return jnp.sum(jnp.where(mask, nll, 0)) / jnp.maximum(jnp.sum(mask), 1)
