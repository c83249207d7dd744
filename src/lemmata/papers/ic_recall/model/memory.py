"""The MLP as an associative memory: Lemma 3.1's construction, and its exact value without any weights."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.core import require


class Memory(eqx.Module):
    """f(x) = V^T (W x)^2, elementwise square; columns of `read` are w_j, columns of `write` v_j.

    Columns, because a gradient of this shape, long in its last axis, is the faster one on a CPU.
    """

    read: Float[Array, "*replica dim hidden"]
    write: Float[Array, "*replica dim hidden"]

    def __call__(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        return self.write @ (x @ self.read) ** 2


@eqx.filter_jit
def associative_memory(table: Int[Array, "relations n"], embeddings: Float[Array, "vocab dim"]) -> Memory:
    """Lemma 3.1: three hidden units for each (s, a) pair, width 3 |S| |A|.

    One reads s and the relations R(s, a) and writes a; one reads s and a and writes those relations; one reads a and
    the relations and writes s.
    """
    m, n = table.shape
    require(embeddings.shape[0] == 2 * n + m + 1, "embeddings", embeddings.shape, f"one row a token: {2 * n + m + 1}")
    subject = jnp.repeat(embeddings[:n], n, axis=0)  # pairs (s, a) in lexicographic order
    answer = jnp.tile(embeddings[n : 2 * n], (n, 1))
    pair = jnp.arange(n)[None, :] * n + table  # (m, n): the pair each fact belongs to
    facts = jnp.repeat(embeddings[2 * n : 2 * n + m], n, axis=0)
    relations = jnp.zeros_like(subject).at[pair.ravel()].add(facts)
    read = jnp.concatenate([subject + relations, answer + subject, answer + relations])
    write = jnp.concatenate([answer, relations, subject])
    return Memory(read.T, write.T)


def exact_relation_logits(
    table: Int[Array, "relations n"], subjects: Float[Array, " n"], answers: Float[Array, " n"]
) -> Float[Array, " relations"]:
    """phi(r)^T f(x) when x has these coefficients on subjects and answers: the sum over s of (x_s + x_{r(s)})^2."""
    return jnp.sum((subjects[None, :] + answers[table]) ** 2, axis=1)


def exact_answer_logits(
    table: Int[Array, "relations n"], subjects: Float[Array, " n"], relations: Float[Array, " relations"]
) -> Float[Array, " n"]:
    """phi(a)^T f(x): the sum over s of (x_s + sum of x_r over the relations with r(s) = a)^2."""
    return jnp.sum((subjects[:, None] + _mass(table, relations)) ** 2, axis=0)


def exact_subject_logits(
    table: Int[Array, "relations n"], answers: Float[Array, " n"], relations: Float[Array, " relations"]
) -> Float[Array, " n"]:
    """phi(s)^T f(x): the sum over a of (x_a + sum of x_r over the relations with r(s) = a)^2."""
    return jnp.sum((answers[None, :] + _mass(table, relations)) ** 2, axis=1)


def _mass(table: Int[Array, "relations n"], relations: Float[Array, " relations"]) -> Float[Array, "n n"]:
    n = table.shape[1]
    return jnp.zeros((n, n), relations.dtype).at[jnp.arange(n)[None, :], table].add(relations[:, None])
