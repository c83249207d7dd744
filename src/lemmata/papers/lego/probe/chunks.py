"""Many sentences, and many models, through one program of bounded memory."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
from jaxtyping import Array, Int, PyTree

from lemmata.papers.lego.task import CLAUSE

CELLS = 2**23  # numbers that one chunk may hold at a time: tens of MB


def fitting_chunk(num: int, length: int, vocab: int) -> int:
    """The largest divisor of `num` whose sentences fit: 16 numbers a step and token cover either model's layers."""
    return divisor(num, CELLS // (16 * length * vocab))


def divisor(num: int, most: int) -> int:
    """The largest divisor of `num` that is at most `most` (or 1)."""
    return next(size for size in range(max(min(num, most), 1), 0, -1) if num % size == 0)


def over_sentences(
    read: Callable[[Int[Array, "clauses 5"]], PyTree], clauses: Int[Array, "num clauses 5"], chunk: int
) -> PyTree:
    """`read` on every sentence, `chunk` at a time; a chunk that divides `num` needs no second program."""
    if chunk >= len(clauses):
        return eqx.filter_vmap(read)(clauses)
    together = clauses.reshape(-1, chunk, clauses.shape[1], CLAUSE)
    found = jax.lax.map(jax.vmap(read), together)
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), found)


def over_replicas(read: Callable[..., PyTree], *stacked: Any) -> PyTree:
    """`read` on one replica after another of trees (models, keys, sets) whose arrays are stacked along an axis."""
    arrays, static = eqx.partition(stacked, eqx.is_array)
    return jax.lax.map(lambda items: read(*eqx.combine(items, static)), arrays)
