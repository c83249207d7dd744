"""Sums over rows of neurons, written so that the compiler makes one vectorised pass of each."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

Rows = Float[Array, " rows"]
Hidden = Float[Array, "rows unit"]


def softmax(*scores: Rows) -> list[Rows]:
    """Of a few scores a row, kept apart: stacking them would cost more than the sums."""
    top = jnp.stack(scores).max(axis=0)
    parts = [jnp.exp(score - top) for score in scores]
    total = sum(parts[1:], parts[0])
    return [part / total for part in parts]


def dots(first: Float[Array, "rows inner"], second: Float[Array, "rows inner"]) -> Rows:
    return jnp.sum(first * second, axis=1)


def mix(shares: Sequence[Rows], tokens: Sequence[Array]) -> Hidden:
    """Each row's combination of what stands in it: a row of its own, or one for all."""
    first, *others = (share[:, None] * token for share, token in zip(shares, tokens, strict=True))
    return sum(others, first)


def sum_active(hidden: Hidden, classes: int) -> Float[Array, "rows class"]:
    """relu, summed over the neurons of each class."""
    parts = [jax.nn.relu(hidden[:, i : i + classes]) for i in range(0, hidden.shape[1], classes)]
    return sum(parts[1:], parts[0])


def to_active(residual: Float[Array, "rows class"], hidden: Hidden) -> Hidden:
    """The residual of a class, at each of its neurons that is active."""
    step = residual.shape[1]
    parts = [jnp.where(hidden[:, i : i + step] > 0, residual, 0) for i in range(0, hidden.shape[1], step)]
    return jnp.concatenate(parts, axis=1)


def surprise_and_residual(
    logits: Float[Array, "rows class"], targets: Array, weights: Rows | float
) -> tuple[Float[Array, ""], Float[Array, "rows class"]]:
    """The weighted sum of the rows' surprises at their targets, and its gradient in the logits."""
    weights = jnp.broadcast_to(jnp.asarray(weights, logits.dtype), targets.shape)
    top = jnp.max(logits, axis=1, keepdims=True)
    sizes = jnp.exp(logits - top)
    total = jnp.sum(sizes, axis=1, keepdims=True)
    reached = jnp.take_along_axis(logits, targets[:, None], axis=1) - top - jnp.log(total)
    hit = jnp.arange(logits.shape[1]) == targets[:, None]
    return -jnp.sum(weights * reached[:, 0]), sizes * (weights[:, None] / total) - jnp.where(hit, weights[:, None], 0)


def expected_surprise(
    logits: Float[Array, "rows class"], weights: Float[Array, "rows class"]
) -> tuple[Float[Array, ""], Float[Array, "rows class"]]:
    """The same where a row has a weight for each class."""
    top = jnp.max(logits, axis=1, keepdims=True)
    sizes = jnp.exp(logits - top)
    total = jnp.sum(sizes, axis=1, keepdims=True)
    chances = jnp.where(weights > 0, logits - top - jnp.log(total), 0)  # a class that is not present has the weight 0
    return -jnp.sum(weights * chances), sizes * (jnp.sum(weights, axis=1, keepdims=True) / total) - weights
