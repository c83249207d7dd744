"""The paper's one-layer transformer (Section 2.1): dense, and with its memory evaluated exactly."""

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from lemmata.core import AbstractModel, Trace, require, to_jax
from lemmata.papers.ic_recall.model.memory import (
    Memory,
    associative_memory,
    exact_answer_logits,
    exact_relation_logits,
    exact_subject_logits,
)
from lemmata.papers.ic_recall.model.vocabulary import Vocabulary, orthonormal

Tokens = Int[Array, " seq"]


class KeyQuery(eqx.Module):
    """The matrix of the score z_i^T W^KQ z_t for inputs z = (one-hot position, token embedding): keys left.

    In its four blocks, so that "train the position block alone" is a choice of leaves and not a flag.
    """

    position: Float[Array, "*replica positions positions"]
    position_token: Float[Array, "*replica positions dim"]
    token_position: Float[Array, "*replica dim positions"]
    token: Float[Array, "*replica dim dim"]

    @classmethod
    def zeros(cls, positions: int, dim: int) -> "KeyQuery":
        shapes = ((positions, positions), (positions, dim), (dim, positions), (dim, dim))
        return cls(*(jnp.zeros(shape) for shape in shapes))

    @classmethod
    def split(cls, matrix: Float[Array, "width width"], positions: int) -> "KeyQuery":
        """The blocks of a full (positions + dim) x (positions + dim) matrix."""
        p = positions
        return cls(matrix[:p, :p], matrix[:p, p:], matrix[p:, :p], matrix[p:, p:])

    def matrix(self) -> Float[Array, "width width"]:
        return jnp.block([[self.position, self.position_token], [self.token_position, self.token]])

    def attention(self, embedded: Float[Array, "seq dim"], query: int) -> Float[Array, " keys"]:
        """How much position `query` attends to itself and to each position before it."""
        keys, last = embedded[: query + 1], embedded[query]
        here = slice(0, query + 1)
        scores = (
            self.position[here, query]
            + self.position_token[here] @ last
            + keys @ (self.token_position[:, query] + self.token @ last)
        )
        return jax.nn.softmax(scores)


class AbstractTransformer(AbstractModel):
    """h = z_t + sum_i attention_i z_i on the token part, then the memory; logits are overlaps with the embeddings.

    Tokens are (s_1, a_1, ..., s_{k+1}, EoS, r): the relation is decoded at EoS, the answer at the relation.
    """

    key_query: KeyQuery
    embeddings: Float[Array, "*replica vocab dim"]
    vocabulary: Vocabulary = eqx.field(static=True)

    @abc.abstractmethod
    def recall(self, tokens: Tokens, attention: Float[Array, " keys"], part: slice) -> Float[Array, " logits"]:
        """Logits of one part of the vocabulary when the last of the attended tokens looks back like this."""

    def attention_at(self, tokens: Tokens, query: int) -> Float[Array, " keys"]:
        return self.key_query.attention(self.embeddings[tokens], query)

    def logits_at(self, tokens: Tokens, query: int, part: slice) -> Float[Array, " logits"]:
        return self.recall(tokens, self.attention_at(tokens, query), part)

    def relation_logits(self, tokens: Tokens) -> Float[Array, " relations"]:
        """First step: at EoS, relations alone."""
        return self.logits_at(tokens, _eos(tokens), self.vocabulary.relations)

    def answer_logits(self, tokens: Tokens) -> Float[Array, " answers"]:
        """Second step: at the decoded relation (the last token), answers alone."""
        return self.logits_at(tokens, _eos(tokens) + 1, self.vocabulary.answers)

    def direct_answer_logits(self, tokens: Tokens) -> Float[Array, " answers"]:
        """Answers decoded at EoS, without the intermediate relation (Lemma B.1)."""
        return self.logits_at(tokens, _eos(tokens), self.vocabulary.answers)

    def __call__(self, tokens: Tokens) -> Float[Array, "seq vocab"]:
        return jnp.stack([self.logits_at(tokens, t, self.vocabulary.everything) for t in range(tokens.shape[0])])

    def trace(self, tokens: Tokens) -> Trace:
        length, embedded = tokens.shape[0], self.embeddings[tokens]
        rows = [self.attention_at(tokens, t) for t in range(length)]
        attention = jnp.stack([jnp.pad(row, (0, length - row.shape[0])) for row in rows])
        return Trace(attention[None], jnp.stack([embedded, embedded + attention @ embedded]), self(tokens))


class DenseTransformer(AbstractTransformer):
    """Everything as matrices: exact for any embeddings and any memory, constructed or trained."""

    memory: Memory

    @classmethod
    def constructed(cls, table: Int[np.ndarray, "relations n"], k: int, key: Key[Array, ""]) -> "DenseTransformer":
        """W^KQ = 0 (uniform attention), random orthonormal embeddings, the memory of Lemma 3.1."""
        blank = _blank(table.shape[1], table.shape[0], k, key)
        return cls(*blank, associative_memory(jnp.asarray(table), blank[1]))

    @classmethod
    def untrained(cls, n: int, m: int, k: int, hidden: int, key: Key[Array, ""]) -> "DenseTransformer":
        """A memory still to be trained: Gaussian rows of unit expected length to read, of 1/sqrt(hidden) to write."""
        dim = Vocabulary(n, m).size
        embed_key, read_key, write_key = jax.random.split(key, 3)
        read = jax.random.normal(read_key, (hidden, dim)) / jnp.sqrt(dim)
        write = jax.random.normal(write_key, (hidden, dim)) / jnp.sqrt(dim * hidden)
        return cls(*_blank(n, m, k, embed_key), Memory(read.T, write.T))

    def recall(self, tokens: Tokens, attention: Float[Array, " keys"], part: slice) -> Float[Array, " logits"]:
        seen = self.embeddings[tokens[: attention.shape[0]]]
        return self.embeddings[part] @ self.memory(seen[-1] + attention @ seen)


class MemoryTransformer(AbstractTransformer):
    """Dense attention, exact memory: with orthonormal embeddings the construction's output needs no weights."""

    table: Int[Array, "*replica relations n"]

    @classmethod
    def constructed(
        cls, table: Int[np.ndarray, "relations n"], k: int, key: Key[Array, ""], dim: int | None = None
    ) -> "MemoryTransformer":
        """W^KQ = 0 and random orthonormal embeddings, of as many dimensions as there are tokens unless told."""
        return cls(*_blank(table.shape[1], table.shape[0], k, key, dim), to_jax(table))

    def recall(self, tokens: Tokens, attention: Float[Array, " keys"], part: slice) -> Float[Array, " logits"]:
        v, table = self.vocabulary, self.table
        seen = tokens[: attention.shape[0]]
        coefficients = jnp.zeros(v.size, attention.dtype).at[seen].add(attention).at[seen[-1]].add(1.0)
        subjects, answers, relations = (coefficients[p] for p in (v.subjects, v.answers, v.relations))
        if part == v.relations:
            return exact_relation_logits(table, subjects, answers)
        if part == v.answers:
            return exact_answer_logits(table, subjects, relations)
        every = (
            exact_subject_logits(table, answers, relations),
            exact_answer_logits(table, subjects, relations),
            exact_relation_logits(table, subjects, answers),
            jnp.zeros(1, attention.dtype),
        )
        return jnp.concatenate(every)[part]


def _blank(
    n: int, m: int, k: int, key: Key[Array, ""], dim: int | None = None
) -> tuple[KeyQuery, Float[Array, "vocab dim"], Vocabulary]:
    """W^KQ = 0 and random orthonormal embeddings."""
    vocabulary = Vocabulary(n, m)
    dim = dim or vocabulary.size
    return KeyQuery.zeros(2 * k + 3, dim), orthonormal(vocabulary.size, dim, key), vocabulary


def _eos(tokens: Tokens) -> int:
    """Sequences end in (..., EoS, r), so EoS is last but one; their length is odd, 2k + 3."""
    require(tokens.shape[0] % 2 == 1, "tokens", tokens.shape[0], "2k + 3 tokens: k pairs, query, EoS, relation")
    return tokens.shape[0] - 2


def token_loss(
    model: Any, tokens: Int[Array, "batch seq"], targets: Int[Array, "batch seq"], temperature: float | Float[Array, ""]
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """(L_1, L_2) of a dense model on sequences whose last two targets are the relation and the answer."""

    def one(tokens: Tokens, targets: Tokens) -> tuple[Float[Array, ""], Float[Array, ""]]:
        first = jax.nn.log_softmax(model.relation_logits(tokens) / temperature)
        second = jax.nn.log_softmax(model.answer_logits(tokens) / temperature)
        vocabulary = model.vocabulary
        return -first[targets[-2] - vocabulary.relations.start], -second[targets[-1] - vocabulary.answers.start]

    first, second = jax.vmap(one)(tokens, targets)
    return jnp.mean(first), jnp.mean(second)
