"""The paper's one-layer transformer (Section 2.1), dense, and the same with its memory evaluated exactly."""

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from lemmata.core import AbstractModel, Trace, require
from lemmata.papers.ic_recall.model.key_query import KeyQuery
from lemmata.papers.ic_recall.model.memory import (
    Memory,
    associative_memory,
    exact_answer_logits,
    exact_relation_logits,
    exact_subject_logits,
)
from lemmata.papers.ic_recall.model.vocabulary import Vocabulary, orthonormal


class AbstractTransformer(AbstractModel):
    """h = z_t + sum_i attention_i z_i on the token part, then the memory; logits are overlaps with the embeddings.

    Tokens are (s_1, a_1, ..., s_{k+1}, EoS, r): the relation is decoded at EoS, the answer at the relation.
    """

    key_query: eqx.AbstractVar[KeyQuery]
    embeddings: eqx.AbstractVar[Float[Array, "*replica vocab dim"]]
    vocabulary: eqx.AbstractVar[Vocabulary]

    @abc.abstractmethod
    def recall(
        self, tokens: Int[Array, " seq"], attention: Float[Array, " keys"], part: slice
    ) -> Float[Array, " logits"]:
        """Logits of one part of the vocabulary when the last of the attended tokens looks back like this."""

    def attention_at(self, tokens: Int[Array, " seq"], query: int) -> Float[Array, " keys"]:
        return self.key_query.attention(self.embeddings[tokens], query)

    def relation_logits(self, tokens: Int[Array, " seq"]) -> Float[Array, " relations"]:
        """First step: at EoS, relations alone."""
        eos = _eos(tokens)
        return self.recall(tokens, self.attention_at(tokens, eos), self.vocabulary.relations)

    def answer_logits(self, tokens: Int[Array, " seq"]) -> Float[Array, " answers"]:
        """Second step: at the decoded relation (the last token), answers alone."""
        return self.recall(tokens, self.attention_at(tokens, _eos(tokens) + 1), self.vocabulary.answers)

    def direct_answer_logits(self, tokens: Int[Array, " seq"]) -> Float[Array, " answers"]:
        """Answers decoded at EoS, without the intermediate relation (Lemma B.1)."""
        eos = _eos(tokens)
        return self.recall(tokens, self.attention_at(tokens, eos), self.vocabulary.answers)

    def __call__(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq vocab"]:
        everything = slice(0, self.vocabulary.size)
        return jnp.stack(
            [self.recall(tokens, self.attention_at(tokens, t), everything) for t in range(tokens.shape[0])]
        )

    def trace(self, tokens: Int[Array, " seq"]) -> Trace:
        length, embedded = tokens.shape[0], self.embeddings[tokens]
        rows = [self.attention_at(tokens, t) for t in range(length)]
        attention = jnp.stack([jnp.pad(row, (0, length - row.shape[0])) for row in rows])
        return Trace(attention[None], jnp.stack([embedded, embedded + attention @ embedded]), self(tokens))


class DenseTransformer(AbstractTransformer):
    """Everything as matrices: exact for any embeddings and any memory, constructed or trained."""

    key_query: KeyQuery
    embeddings: Float[Array, "*replica vocab dim"]
    vocabulary: Vocabulary = eqx.field(static=True)
    memory: Memory

    @classmethod
    def constructed(
        cls, table: Int[np.ndarray, "relations n"], k: int, key: Key[Array, ""], dim: int | None = None
    ) -> "DenseTransformer":
        """W^KQ = 0 (uniform attention), random orthonormal embeddings, the memory of Lemma 3.1."""
        vocabulary = Vocabulary(table.shape[1], table.shape[0])
        dim = dim or vocabulary.size
        embeddings = orthonormal(vocabulary.size, dim, key)
        memory = associative_memory(jnp.asarray(table), embeddings)
        return cls(KeyQuery.zeros(2 * k + 3, dim), embeddings, vocabulary, memory)

    @classmethod
    def untrained(cls, n: int, m: int, k: int, hidden: int, key: Key[Array, ""]) -> "DenseTransformer":
        """A memory still to be trained: Gaussian rows of unit expected length to read, of 1/sqrt(hidden) to write."""
        vocabulary = Vocabulary(n, m)
        dim = vocabulary.size
        embed_key, read_key, write_key = jax.random.split(key, 3)
        read = jax.random.normal(read_key, (hidden, dim)) / jnp.sqrt(dim)
        write = jax.random.normal(write_key, (hidden, dim)) / jnp.sqrt(dim * hidden)
        embeddings = orthonormal(dim, dim, embed_key)
        return cls(KeyQuery.zeros(2 * k + 3, dim), embeddings, vocabulary, Memory(read, write))

    def recall(
        self, tokens: Int[Array, " seq"], attention: Float[Array, " keys"], part: slice
    ) -> Float[Array, " logits"]:
        seen = self.embeddings[tokens[: attention.shape[0]]]
        return self.embeddings[part] @ self.memory(seen[-1] + attention @ seen)


class MemoryTransformer(AbstractTransformer):
    """Dense attention, exact memory: with orthonormal embeddings the construction's output needs no weights."""

    key_query: KeyQuery
    embeddings: Float[Array, "*replica vocab dim"]
    vocabulary: Vocabulary = eqx.field(static=True)
    table: Int[Array, "*replica relations n"]

    @classmethod
    def constructed(
        cls, table: Int[np.ndarray, "relations n"], k: int, key: Key[Array, ""], dim: int | None = None
    ) -> "MemoryTransformer":
        vocabulary = Vocabulary(table.shape[1], table.shape[0])
        dim = dim or vocabulary.size
        embeddings = orthonormal(vocabulary.size, dim, key)
        return cls(KeyQuery.zeros(2 * k + 3, dim), embeddings, vocabulary, jnp.asarray(table))

    def recall(
        self, tokens: Int[Array, " seq"], attention: Float[Array, " keys"], part: slice
    ) -> Float[Array, " logits"]:
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


def _eos(tokens: Int[Array, " seq"]) -> int:
    """Sequences end in (..., EoS, r), so EoS is last but one; their length is odd, 2k + 3."""
    require(tokens.shape[0] % 2 == 1, "tokens", tokens.shape[0], "2k + 3 tokens: k pairs, query, EoS, relation")
    return tokens.shape[0] - 2


def token_loss(
    model: Any, tokens: Int[Array, "batch seq"], targets: Int[Array, "batch seq"], temperature: float | Float[Array, ""]
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """(L_1, L_2) of a dense engine on sequences whose last two targets are the relation and the answer."""

    def one(tokens: Int[Array, " seq"], targets: Int[Array, " seq"]) -> tuple[Float[Array, ""], Float[Array, ""]]:
        first = jax.nn.log_softmax(model.relation_logits(tokens) / temperature)
        second = jax.nn.log_softmax(model.answer_logits(tokens) / temperature)
        vocabulary = model.vocabulary
        return -first[targets[-2] - vocabulary.relations.start], -second[targets[-1] - vocabulary.answers.start]

    first, second = jax.vmap(one)(tokens, targets)
    return jnp.mean(first), jnp.mean(second)
