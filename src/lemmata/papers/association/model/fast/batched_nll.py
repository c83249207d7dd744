"""Equal to `QueryLoss` a sequence at a time: the loss of a batch at once, the last layer on the queried rows alone.

A sequence holds a third of the positions that its bound allows, on average. From the last attention on no row reads
another: the rows under the mask are gathered, and a loop takes as many parts of them as there are. Their gradient is
taken in the same pass; so no row is computed for the padding, forth or back, and nothing is kept in between.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PyTree

from lemmata.core import platform
from lemmata.models.matmul import in_full
from lemmata.papers.association.model.transformer import Block, Queries, Transformer

PARTS = 8  # of all rows that may be queried: the loop stops after the one that holds the last
FEW_ROWS = 256  # up to here one part is the fastest; with one question a sequence, every row is queried

Learned = tuple[Block, Queries, Queries]  # the last layer, what it is given, what its attention sees


def batched_nll(
    model: Transformer,
    tokens: Int[Array, "batch seq"],
    positions: Int[Array, "batch query"],
    targets: Int[Array, "batch query"],
    kept: Bool[Array, "batch query"],
) -> Float[Array, ""]:
    """The mean nll at the kept positions; 0 if there are none. Embeddings and output are not differentiated."""
    given, mixed = (x.reshape(-1, x.shape[-1]) for x in model.last_layer_inputs(tokens, positions))
    learned, reader = (model.blocks[-1], given, mixed), eqx.tree_at(lambda m: m.blocks, model, ())
    nothing_to_leave_out = kept.size <= FEW_ROWS or kept.shape[1] == 1
    # On a GPU the parts save no time, and in half precision they train a little worse.
    way = _summed if nothing_to_leave_out or platform() != "cpu" else _summed_in_parts
    return way(learned, targets.reshape(-1), kept.reshape(-1), reader) / jnp.maximum(jnp.sum(kept), 1)


def _summed(
    learned: Learned, targets: Int[Array, " row"], kept: Bool[Array, " row"], reader: Transformer
) -> Float[Array, ""]:
    """The nll summed over the kept rows."""
    block, given, mixed = learned
    logits = reader.read(block.after(given, mixed, reader.config.precision))
    nll = jax.nn.logsumexp(logits, axis=-1) - jnp.take_along_axis(logits, targets[:, None], axis=-1)[:, 0]
    return jnp.sum(jnp.where(kept, nll, 0))


_summed_in_parts: Any = eqx.filter_custom_vjp(_summed)


@_summed_in_parts.def_fwd
def _with_gradient(
    _perturbed: Any, learned: Learned, targets: Int[Array, " row"], kept: Bool[Array, " row"], reader: Transformer
) -> tuple[Float[Array, ""], PyTree]:
    block, given, mixed = learned
    part, count = -(-kept.size // PARTS), jnp.sum(kept)
    order = jnp.pad(jnp.argsort(~kept, stable=True), (0, part * PARTS - kept.size))  # the kept rows first

    def advance(number: Int[Array, ""], carry: PyTree) -> PyTree:
        total, of_block, of_rows = carry
        rows = jax.lax.dynamic_slice(order, (number * part,), (part,))
        real = number * part + jnp.arange(part) < count
        value, slope = jax.value_and_grad(_summed)((block, given[rows], mixed[rows]), targets[rows], real, reader)
        of_rows = [
            jax.lax.dynamic_update_slice(old, new, (number * part, 0))
            for old, new in zip(of_rows, slope[1:], strict=True)
        ]
        return total + value, jax.tree.map(jnp.add, of_block, slope[0]), of_rows

    nothing = [jnp.zeros((part * PARTS, x.shape[1]), x.dtype) for x in (given, mixed)]
    carry = jnp.zeros((), in_full(given).dtype), jax.tree.map(jnp.zeros_like, block), nothing
    total, of_block, of_rows = jax.lax.fori_loop(0, -(-count // part), advance, carry)
    place = jnp.cumsum(kept) - 1  # of a kept row among the gathered ones
    return total, (of_block, *(jnp.where(kept[:, None], rows[place], 0) for rows in of_rows))


@_summed_in_parts.def_bwd
def _scaled(gradient: PyTree, weight: Float[Array, ""], *_rest: Any) -> PyTree:
    return jax.tree.map(lambda g: (weight * g).astype(g.dtype), gradient)
