"""The transformer of the experiments (section 7): one layer, two heads, no positions, every weight learned.

A clause is the concatenation of five slot embeddings, blanks being zero vectors. Keys, values and queries are linear in
it, so a clause's are sums of rows of tables that are projected once a pass, whatever the number of sentences: the same
numbers as projecting every clause, at the cost of the vocabulary instead of the batch.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, PyTree

from lemmata.core import Config, Count, Positive, require
from lemmata.models.matmul import MatmulPrecision, contract
from lemmata.papers.lego.model.reasoner import SLOTS, AbstractReasoner, NextClause

RowGradient = Literal["scatter", "matmul"]
IMPOSSIBLE = -1e9  # a logit whose probability is 0 in every floating type


@dataclass(frozen=True, kw_only=True)
class ExperimentalConfig(Config):
    """What section 7 leaves open is a field here; the reasons stand in docs/lego.md."""

    variables: Count = 170
    actions: Count = 120
    values: Count = 5
    width: Count = 64  # of one slot; a clause has five times as much
    heads: Count = 2
    hidden: Count = 1024  # neurons of the feed-forward network
    attention: Literal["full", "block-sparse"] = "block-sparse"  # Assumption 3.5's blocks (4,3) and (4,4), or all
    layer_norm: bool = False  # of what attention gives, before the feed-forward network
    outputs: Literal["vocabulary", "slot"] = "vocabulary"  # slot: only tokens that may stand there can be predicted
    residual: bool = False  # adds the query's own clause to what attention gives
    score_scale: Positive | None = 0.3  # of q . k; section 3.2 has 1; None: one over the root of a head's size
    embedding_scale: Positive = 1.0  # standard deviation at the start
    precision: MatmulPrecision = "float32"
    table_gradient: RowGradient = "scatter"  # how rows' gradients are gathered: the faster one depends on the device

    def cross_check(self) -> None:
        require(self.clause % self.heads == 0, "heads", self.heads, f"a divisor of 5 width = {self.clause}")

    @property
    def clause(self) -> int:
        return SLOTS * self.width

    @property
    def vocab(self) -> int:
        return self.variables + self.actions + self.values + 1

    @property
    def predicted(self) -> tuple[int, int]:
        """How many logits tokens 4 and 5 have."""
        return (self.vocab, self.vocab) if self.outputs == "vocabulary" else (self.variables, self.values)

    @property
    def rows(self) -> tuple[int, ...]:
        """How many tokens may stand in each slot."""
        return (self.variables, self.actions, self.variables, self.variables, self.values)


# Queries, keys and values of every token in every slot it may stand in; the last row, of blanks, is 0.
Tables = tuple[Float[Array, "head row size"], Float[Array, "head row size"], Float[Array, "head row size"]]


class Cache(eqx.Module):
    """The clauses read so far, as keys and values, and where the next goes."""

    tables: Tables
    keys: Float[Array, "head clauses size"]
    values: Float[Array, "head clauses size"]
    count: Int[Array, ""]


class ExperimentalReasoner(AbstractReasoner):
    """Full-clause attention, then a ReLU network whose neurons give the logits of tokens 4 and 5 (Definition 3.5)."""

    embedding: Float[Array, "row width"]  # slots 1 to 5 one after another
    query: Float[Array, "slot width inner"]
    key: Float[Array, "slot width inner"]
    value: Float[Array, "slot width inner"]
    gain: Float[Array, " inner"]  # of the layer norm, if there is one
    inner: Float[Array, "inner hidden"]
    bias: Float[Array, " hidden"]
    outer: Float[Array, "hidden logits"]  # those of token 4, then of token 5
    score_scale: Float[Array, ""]  # a number, not learned: an array so that replicas may differ in it
    config: ExperimentalConfig = eqx.field(static=True)
    vocab: int = eqx.field(static=True)

    @classmethod
    def create(cls, config: ExperimentalConfig, *, key: Key[Array, ""]) -> "ExperimentalReasoner":
        clause, slots, hidden = config.clause, (SLOTS, config.width, config.clause), config.hidden
        scale = (clause / config.heads) ** -0.5 if config.score_scale is None else config.score_scale
        shapes = ((sum(config.rows), config.width), *[slots] * 3, (clause, hidden), (hidden, sum(config.predicted)))
        embedding, query, key_matrix, value, inner, outer = _normals(shapes, key=key)
        return cls(
            embedding=config.embedding_scale * embedding,
            query=clause**-0.5 * query,
            key=clause**-0.5 * key_matrix,
            value=clause**-0.5 * value,
            gain=jnp.ones(clause),
            inner=(2 / clause) ** 0.5 * inner,
            bias=jnp.zeros(hidden),
            outer=hidden**-0.5 * outer,
            score_scale=jnp.full((), scale, embedding.dtype),
            config=config,
            vocab=config.vocab,
        )

    def next_clause(self, clauses: Int[Array, "clauses 5"], answers: int) -> NextClause:
        return jax.tree.map(lambda logits: logits[0], self.next_clauses(clauses[None], answers))

    def next_clauses(self, clauses: Int[Array, "batch clauses 5"], answers: int) -> NextClause:
        """`next_clause` of many sentences. Their rows are looked up together: one gradient of the tables."""
        rows = jax.vmap(self.rows)(clauses)
        return self._answer(*self._attend(rows, answers), rows[:, -answers:])

    def attention(self, clauses: Int[Array, "clauses 5"], answers: int) -> Float[Array, "head answers clauses"]:
        return self._attend(self.rows(clauses)[None], answers)[0][:, 0]

    def begin(self, clauses: Int[Array, "clauses 5"], room: int) -> Cache:
        tables, rows = self.tables(), self.rows(clauses)
        keys, values = (jnp.pad(self._look_up(table, rows), ((0, 0), (0, room), (0, 0))) for table in tables[1:])
        return Cache(tables, keys, values, jnp.asarray(len(clauses)))

    def extend(self, cache: Cache, clause: Int[Array, "5"]) -> tuple[Cache, NextClause]:
        rows, put = self.rows(clause[None]), jax.lax.dynamic_update_slice_in_dim
        queries, key, value = (self._look_up(table, rows) for table in cache.tables)
        keys, values = (put(cache.keys, key, cache.count, axis=1), put(cache.values, value, cache.count, axis=1))
        seen = jnp.arange(keys.shape[1]) <= cache.count
        weights = self._weights(queries[:, None], keys[:, None], seen[None])
        after = jax.tree.map(lambda logits: logits[0, 0], self._answer(weights, values[:, None], rows[None]))
        return Cache(cache.tables, keys, values, cache.count + 1), after

    def tables(self) -> Tables:
        """Every token's share of a query, a key and a value, in each slot it may stand in."""
        parts, sparse = self._parts(), self.config.attention == "block-sparse"
        asking, asked = ((3,), (2, 3)) if sparse else (range(SLOTS), range(SLOTS))

        def project(matrix: Float[Array, "slot width inner"], slots: Sequence[int]) -> Float[Array, "head row size"]:
            made = [
                contract("rw,wi->ri", part, matrix[slot], self.config.precision)
                if slot in slots
                else jnp.zeros((len(part), matrix.shape[-1]), part.dtype)
                for slot, part in enumerate(parts)
            ]
            flat = jnp.pad(jnp.concatenate(made), ((0, 1), (0, 0)))
            return jnp.moveaxis(flat.reshape(len(flat), self.config.heads, -1), 1, 0)

        return project(self.query, asking), project(self.key, asked), project(self.value, range(SLOTS))

    def rows(self, clauses: Int[Array, "clauses 5"]) -> Int[Array, "clauses 3"]:
        """Where the tables hold a clause's tokens. Tokens 1 and 4, and 2 and 5, never stand in one clause, so three
        rows are enough; a token that cannot stand in its slot reads the zero row, as a blank does."""
        firsts = (0, self.config.variables, 0, 0, self.config.variables + self.config.actions)
        places, before, zero = [], 0, sum(self.config.rows)
        for slot, (first, count) in enumerate(zip(firsts, self.config.rows, strict=True)):
            token = clauses[:, slot] - first
            places.append(jnp.where((token >= 0) & (token < count), token + before, zero))
            before += count
        return jnp.stack([jnp.minimum(places[0], places[3]), jnp.minimum(places[1], places[4]), places[2]], axis=1)

    def _attend(
        self, rows: Int[Array, "batch clauses 3"], answers: int
    ) -> tuple[Float[Array, "head batch answers clauses"], Float[Array, "head batch clauses size"]]:
        query, key, value = self.tables()
        queries = self._look_up(query, rows[:, -answers:])
        keys, values = (self._look_up(table, rows) for table in (key, value))
        place = jnp.arange(rows.shape[1])
        return self._weights(queries, keys, place <= place[-answers:, None]), values

    def _weights(
        self,
        queries: Float[Array, "head batch answers size"],
        keys: Float[Array, "head batch clauses size"],
        seen: Bool[Array, "answers clauses"],
    ) -> Float[Array, "head batch answers clauses"]:
        scores = self.score_scale * contract("hbqs,hbks->hbqk", queries, keys, self.config.precision)
        return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)

    def _answer(
        self,
        weights: Float[Array, "head batch answers clauses"],
        values: Float[Array, "head batch clauses size"],
        rows: Int[Array, "batch answers 3"],
    ) -> NextClause:
        mixed = contract("hbqk,hbks->bqhs", weights, values, self.config.precision).reshape(*rows.shape[:2], -1)
        if self.config.residual:
            embedded = jax.scipy.linalg.block_diag(*self._parts())  # each row at its slot's place in the clause
            mixed = mixed + self._look_up(jnp.pad(embedded, ((0, 1), (0, 0)))[None], rows)[0]
        if self.config.layer_norm:
            centred = mixed - jnp.mean(mixed, axis=-1, keepdims=True)
            mixed = self.gain * centred * jax.lax.rsqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-5)
        neurons = jax.nn.relu(contract("bqi,ih->bqh", mixed, self.inner, self.config.precision) + self.bias)
        logits = contract("bqh,hv->bqv", neurons, self.outer, self.config.precision)
        variable, value = jnp.split(logits, [self.config.predicted[0]], axis=-1)
        if self.config.outputs == "slot":
            variable = _among(variable, 0, self.vocab)
            value = _among(value, self.config.variables + self.config.actions, self.vocab)
        return NextClause(variable, value)

    def _parts(self) -> list[Float[Array, "row width"]]:
        """The embeddings of each slot."""
        return jnp.split(self.embedding, np.cumsum(self.config.rows)[:-1].tolist())

    def _look_up(
        self, table: Float[Array, "head row size"], rows: Int[Array, "*items 3"]
    ) -> Float[Array, "head *items size"]:
        """Heads first, so that attention is a product of contiguous matrices."""
        rule, precision = self.config.table_gradient, self.config.precision
        flat = jax.vmap(lambda one: sum_of_rows(one, rows.reshape(-1, 3), rule, precision))(table)
        return flat.reshape(len(table), *rows.shape[:-1], -1)


def _normals(shapes: tuple[tuple[int, ...], ...], *, key: Key[Array, ""]) -> list[Float[Array, "..."]]:
    """Standard normal arrays by one compiled draw: a generator is most of what there is to compile here."""
    most = max(map(math.prod, shapes))
    drawn = jax.lax.map(lambda one: jax.random.normal(one, (most,)), jax.random.split(key, len(shapes)))
    return [flat[: math.prod(shape)].reshape(shape) for flat, shape in zip(drawn, shapes, strict=True)]


def _among(logits: Float[Array, "*answers some"], first: int, vocab: int) -> Float[Array, "*answers vocab"]:
    """Logits of consecutive tokens within the vocabulary; the others are impossible."""
    widths = [(0, 0)] * (logits.ndim - 1) + [(first, vocab - first - logits.shape[-1])]
    return jnp.pad(logits, widths, constant_values=IMPOSSIBLE)


def learned(model: ExperimentalReasoner) -> PyTree:
    """True on what training moves: everything but the scale of the scores."""
    moving = jax.tree.map(eqx.is_inexact_array, model)
    return eqx.tree_at(lambda m: m.score_scale, moving, replace=False)


def sum_of_rows(
    table: Float[Array, "row width"], rows: Int[Array, "item few"], gradient: RowGradient, precision: MatmulPrecision
) -> Float[Array, "item width"]:
    """For each item, the sum of the rows it names.

    The gradient adds each item's to its rows: by scattering, which a CPU does well, or as a product with the matrix
    that counts how often an item names a row, which suits a GPU: many items there wait for the same few rows.
    """
    return _by_counts(table, rows, precision) if gradient == "matmul" else jnp.sum(table[rows], axis=1)


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _by_counts(
    table: Float[Array, "row width"], rows: Int[Array, "item few"], precision: MatmulPrecision
) -> Float[Array, "item width"]:
    return jnp.sum(table[rows], axis=1)


def _forward(
    table: Float[Array, "row width"], rows: Int[Array, "item few"], precision: MatmulPrecision
) -> tuple[Float[Array, "item width"], tuple[Int[Array, "item few"], Float[Array, " row"]]]:
    return jnp.sum(table[rows], axis=1), (rows, jnp.zeros(len(table), table.dtype))


def _backward(
    precision: MatmulPrecision,
    kept: tuple[Int[Array, "item few"], Float[Array, " row"]],
    gradient: Float[Array, "item width"],
) -> tuple[Float[Array, "row width"], None]:
    rows, like = kept
    counts = jnp.sum(jax.nn.one_hot(rows, len(like), dtype=gradient.dtype), axis=1)
    return contract("ir,iw->rw", counts, gradient, precision), None


_by_counts.defvjp(_forward, _backward)
