"""Section 3.2 letter by letter: all five tokens of a clause, all d classes, the whole of Q, nothing left out as zero.

For sentences so few and vocabularies so small that vectors of 5 d entries cost nothing; the clip is not among it.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.lego.model.theory_transformer import smooth_relu


class Dense(NamedTuple):
    feed: Float[Array, "5 vocab neurons 5 vocab"]  # W_{i,j,r} by token place of the input
    query: Float[Array, "5 vocab 5 vocab"]  # Q by blocks


def embed(clauses: Int[Array, "*clauses 5"], vocab: int) -> Float[Array, "*clauses 5 vocab"]:
    """One-hot, the blank (the last token) zero: orthonormal, as Definition 3.2 asks."""
    return jnp.eye(vocab).at[-1].set(0)[clauses]


def logits(model: Dense, clauses: Int[Array, "clauses 5"], bias: float, power: int) -> Float[Array, "5 vocab"]:
    """F(Z) of Definition 3.5 before the clip; the last clause asks."""
    z = embed(clauses, model.query.shape[1])
    scores = jnp.einsum("pa,paqb,kqb->k", z[-1], model.query, z)
    attended = jnp.einsum("k,kqb->qb", jax.nn.softmax(scores), z)
    read = jnp.einsum("ijrqb,qb->ijr", model.feed, attended) + bias
    return jnp.sum(smooth_relu(read, jnp.ones(()), power), axis=-1)


def token_loss(
    model: Dense, sentences: Int[Array, "sentences clauses 5"], predicates: int, step: int, bias: float, power: int
) -> Float[Array, "5"]:
    """Loss_i^{L,l} of Definition 3.7, all five tokens: -log p of the answer after L + l clauses."""
    seen, target = sentences[:, : predicates + step], sentences[:, predicates + step]

    def one(clauses: Array, answer: Array) -> Array:
        found = jax.nn.log_softmax(logits(model, clauses, bias, power), axis=-1)
        return -jnp.take_along_axis(found, answer[:, None], axis=1)[:, 0]

    return jnp.mean(jax.vmap(one)(seen, target), axis=0)
