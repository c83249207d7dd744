"""Equal to sums over rows of neurons, written so that the compiler makes one vectorised pass of each."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

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


def nll_and_residual(
    logits: Float[Array, "rows class"], targets: Int[Array, " rows"], weights: Rows | float
) -> tuple[Rows, Float[Array, "rows class"]]:
    """Each row's negative log-likelihood of its target, and the gradient of the weighted sum in the logits."""
    weights = jnp.broadcast_to(jnp.asarray(weights, logits.dtype), targets.shape)[:, None]
    sizes, total, log_total = _totals(logits)
    hit = jnp.arange(logits.shape[1]) == targets[:, None]
    reached = jnp.take_along_axis(logits, targets[:, None], axis=1)
    return (log_total - reached)[:, 0], sizes * (weights / total) - jnp.where(hit, weights, 0)


def grouped_nll_and_residual(
    logits: Float[Array, "rows class"], rows: Int[Array, " item"], targets: Int[Array, " item"], weight: float
) -> tuple[Float[Array, " item"], Float[Array, "rows class"]]:
    """The same of items of one weight, each at a target of one of the rows."""
    sizes, total, log_total = _totals(logits)
    target_weights = jnp.zeros_like(logits).at[rows, targets].add(weight)
    residual = sizes * (jnp.sum(target_weights, axis=1, keepdims=True) / total) - target_weights
    return log_total[rows, 0] - logits[rows, targets], residual


def _totals(logits: Float[Array, "rows class"]) -> tuple[Float[Array, "rows class"], Array, Array]:
    top = jnp.max(logits, axis=1, keepdims=True)
    sizes = jnp.exp(logits - top)
    total = jnp.sum(sizes, axis=1, keepdims=True)
    return sizes, total, top + jnp.log(total)
