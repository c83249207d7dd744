"""The transformer of the experiments (section 7): one decoder layer, two heads, no positions, every weight learned.

A clause is the concatenation of five slot embeddings, blanks being zero vectors. The plain block attends over all
slots, adds the asking clause to what attention gives (the residual), normalizes, and lets a ReLU network write the
logits. A field of the config takes each of these away.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key, PyTree

from lemmata.core import Config, Count, Positive, require
from lemmata.models.matmul import MatmulPrecision, contract
from lemmata.papers.lego.model.fast.rows import RowGradient, found_rows, rows_by_product, sums_of_rows
from lemmata.papers.lego.model.fast.short_products import mixtures, scores, through
from lemmata.papers.lego.model.reasoner import SLOTS, AbstractReasoner, NextClause

IMPOSSIBLE = -1e9  # a logit whose probability is 0 in every floating type
EVERY_SLOT, OF_PREDICATES, OF_ANSWERS = range(SLOTS), range(3), range(3, SLOTS)


@dataclass(frozen=True, kw_only=True)
class ExperimentalConfig(Config):
    """What section 7 leaves open is a field here; the reasons stand on the paper's page."""

    variables: Count = 170
    actions: Count = 120
    values: Count = 5
    width: Count = 64  # of one slot; a clause has five times as much
    heads: Count = 2
    hidden: Count = 1024  # neurons of the feed-forward network
    attention: Literal["full", "block-sparse"] = "full"  # every slot, or Assumption 3.5's blocks (4,3) and (4,4)
    residual: bool = True  # adds the query's own clause to what attention gives
    layer_norm: bool = True  # of that sum, before the feed-forward network
    score_scale: Positive | None = None  # of q . k; None: one over the root of a head's size
    outputs: Literal["vocabulary", "slot"] = "vocabulary"  # slot: only tokens that may stand there can be predicted
    embedding_scale: Positive = 1.0  # standard deviation at the start
    precision: MatmulPrecision = "float32"
    table_gradient: RowGradient = "scatter"  # how embeddings' gradients are gathered: the faster depends on the device

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
    def first_predicted(self) -> tuple[int, int]:
        """The first tokens that these logits are of."""
        return (0, 0) if self.outputs == "vocabulary" else (0, self.variables + self.actions)

    @property
    def by_tables(self) -> bool:
        """Whether queries, keys and values are looked up, token by token, and not products with whole clauses. Where
        gradients of tables are products, those of tables this wide would cost more than they save."""
        return self.table_gradient == "scatter"

    @property
    def rows(self) -> tuple[int, ...]:
        """How many tokens may stand in each slot."""
        return (self.variables, self.actions, self.variables, self.variables, self.values)

    @property
    def firsts(self) -> tuple[int, ...]:
        """The first token that may stand in each slot."""
        return (0, self.variables, 0, 0, self.variables + self.actions)


class Pieces(NamedTuple):
    """What belongs to each slot."""

    embedding: list[Float[Array, "_ width"]]
    maps: dict[str, list[Float[Array, "width inner"]]]  # of queries, keys and values: "q", "k", "v"


class Cache(eqx.Module):
    """The clauses read so far, as keys and values, and where the next goes."""

    keys: Float[Array, "head clauses size"]
    values: Float[Array, "head clauses size"]
    count: Int[Array, ""]


class ExperimentalReasoner(AbstractReasoner):
    """Clause attention, then a ReLU network whose neurons give the logits of tokens 4 and 5 (Definition 3.5)."""

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

    def next_clause(
        self, clauses: Int[Array, "clauses 5"], answers: int, seen: Bool[Array, "answers clauses"] | None = None
    ) -> NextClause:
        """`seen` hides clauses from queries, beyond those that come later."""
        asking, everything = clauses[None, -answers:], clauses[None]
        (queries,), (keys, values) = self._project(asking, "q"), self._project(everything, "kv")
        allowed = _causal(len(clauses), answers) if seen is None else _causal(len(clauses), answers) & seen
        after = self._after(self._weights(queries, keys, allowed), values, self.embed(asking, EVERY_SLOT))
        return jax.tree.map(lambda logits: logits[0], after)

    def nll(self, clauses: Int[Array, "batch clauses 5"]) -> Float[Array, "batch answers 2"]:
        """Minus the log of the probability of both tokens of every answer after the first, in sentences that are L
        predicates and then L + 1 answers. What training asks: the numbers of `next_clause`, without queries of
        predicates, without products with slots that are blank, and without tokens that no slot of an answer holds."""
        length = (clauses.shape[1] - 1) // 2
        predicates, asking = clauses[:, :length], clauses[:, length:-1]
        pieces = self._pieces()
        queries, *of_answers = self._project(asking, "qkv", OF_ANSWERS, pieces)
        of_predicates = self._project(predicates, "kv", OF_PREDICATES, pieces)
        keys, values = (jnp.concatenate(both, axis=2) for both in zip(of_predicates, of_answers, strict=True))
        weights = self._weights(queries, keys, _causal(2 * length, length))
        logits = self._logits(weights, values, self.embed(asking, OF_ANSWERS, pieces))
        losses = [
            optax.softmax_cross_entropy_with_integer_labels(part, clauses[:, -length:, slot] - first)
            for part, slot, first in zip(logits, OF_ANSWERS, self.config.first_predicted, strict=True)
        ]
        return jnp.stack(losses, axis=-1)

    def attention(self, clauses: Int[Array, "clauses 5"], answers: int) -> Float[Array, "head answers clauses"]:
        (queries,), (keys,) = self._project(clauses[None, -answers:], "q"), self._project(clauses[None], "k")
        return self._weights(queries, keys, _causal(len(clauses), answers))[:, 0]

    def begin(self, clauses: Int[Array, "clauses 5"], room: int) -> Cache:
        made = self._project(clauses[None], "kv")
        keys, values = (jnp.pad(one[:, 0], ((0, 0), (0, room), (0, 0))) for one in made)
        return Cache(keys, values, jnp.asarray(len(clauses)))

    def extend(self, cache: Cache, clause: Int[Array, "5"]) -> tuple[Cache, NextClause]:
        asking, put = clause[None, None], jax.lax.dynamic_update_slice_in_dim
        queries, key, value = self._project(asking, "qkv")
        keys = put(cache.keys, key[:, 0], cache.count, axis=1)
        values = put(cache.values, value[:, 0], cache.count, axis=1)
        weights = self._weights(queries, keys[:, None], jnp.arange(keys.shape[1])[None] <= cache.count)
        after = self._after(weights, values[:, None], self.embed(asking, EVERY_SLOT))
        return Cache(keys, values, cache.count + 1), jax.tree.map(lambda logits: logits[0, 0], after)

    def embed(
        self, clauses: Int[Array, "batch clauses 5"], slots: Sequence[int], pieces: "Pieces | None" = None
    ) -> Float[Array, "batch clauses part"]:
        """The embeddings of some slots, side by side. A token that cannot stand in its slot reads as a blank: zeros."""
        counts, tokens = self.config.rows, self._tokens(clauses, slots)
        if self.config.by_tables:
            parts = (pieces or self._pieces()).embedding
            return jnp.concatenate([found_rows(parts[slot], tokens[slot]) for slot in slots], axis=-1)
        before = np.cumsum(counts) - counts
        rows = [jnp.where(tokens[slot] < counts[slot], tokens[slot] + before[slot], sum(counts)) for slot in slots]
        padded = jnp.pad(self.embedding, ((0, 1), (0, 0)))
        found = rows_by_product(padded, jnp.stack(rows, axis=-1).reshape(-1), self.config.precision)
        return found.reshape(*clauses.shape[:2], -1)

    def _tokens(self, clauses: Int[Array, "batch clauses 5"], slots: Sequence[int]) -> dict[int, Int[Array, "..."]]:
        """Of some slots, counted from the first that may stand there; those that may not become the one after the
        last."""
        found = {}
        for slot in slots:
            token, count = clauses[..., slot] - self.config.firsts[slot], self.config.rows[slot]
            found[slot] = jnp.where((token >= 0) & (token < count), token, count)
        return found

    def _pieces(self) -> "Pieces":
        """Cut once: the gradient of a cut is one joining of its parts, and not a sum of padded ones."""
        rows = jnp.split(self.embedding, np.cumsum(self.config.rows)[:-1])
        matrices = {"q": self.query, "k": self.key, "v": self.value}
        cut = {letter: [one[0] for one in jnp.split(matrix, SLOTS)] for letter, matrix in matrices.items()}
        if self.config.attention == "block-sparse":
            read = {"q": (3,), "k": (2, 3), "v": EVERY_SLOT}
            cut = {
                letter: [one if slot in read[letter] else jnp.zeros_like(one) for slot, one in enumerate(some)]
                for letter, some in cut.items()
            }
        return Pieces(rows, cut)

    def _project(
        self,
        clauses: Int[Array, "batch clauses 5"],
        what: str,
        slots: Sequence[int] = EVERY_SLOT,
        pieces: "Pieces | None" = None,
    ) -> list[Float[Array, "head batch clauses size"]]:
        """Queries, keys or values ("q", "k", "v") of clauses that stand in some slots."""
        pieces = pieces or self._pieces()
        maps = {slot: jnp.concatenate([pieces.maps[letter][slot] for letter in what], axis=-1) for slot in slots}
        if self.config.by_tables:
            # What each token of each slot adds to queries, keys and values, side by side. Tokens are fewer than
            # clauses, so this costs less than a product with every clause.
            tables = [
                contract("ri,ij->rj", pieces.embedding[slot], maps[slot], self.config.precision) for slot in slots
            ]
            items = [token.reshape(-1) for token in self._tokens(clauses, slots).values()]
            made = [one.reshape(*clauses.shape[:2], -1) for one in sums_of_rows(tables, items, len(what))]
        else:
            together = jnp.concatenate(list(maps.values()))
            whole = contract("bci,ij->bcj", self.embed(clauses, slots), together, self.config.precision)
            made = jnp.split(whole, len(what), axis=-1)
        return [jnp.moveaxis(self._heads(one), 2, 0) for one in made]

    def _heads(self, flat: Float[Array, "*any inner"]) -> Float[Array, "*any head size"]:
        return flat.reshape(*flat.shape[:-1], self.config.heads, -1)

    def _weights(
        self,
        queries: Float[Array, "head batch answers size"],
        keys: Float[Array, "head batch clauses size"],
        seen: Bool[Array, "answers clauses"],
    ) -> Float[Array, "head batch answers clauses"]:
        made = scores(queries, keys, self.config.precision)
        return jax.nn.softmax(jnp.where(seen, self.score_scale * made, -jnp.inf), axis=-1)

    def _logits(
        self,
        weights: Float[Array, "head batch answers clauses"],
        values: Float[Array, "head batch clauses size"],
        asking: Float[Array, "batch answers part"],
    ) -> list[Float[Array, "batch answers predicted"]]:
        """Of tokens 4 and 5, for the tokens that can be predicted. `asking` may be of the last slots alone."""
        by_head = jnp.moveaxis(mixtures(weights, values, self.config.precision), 0, 2)
        mixed = by_head.reshape(*by_head.shape[:2], -1)
        if self.config.residual:
            blank, rest = jnp.split(mixed, [self.config.clause - asking.shape[-1]], axis=-1)
            mixed = jnp.concatenate([blank, rest + asking], axis=-1)
        if self.config.layer_norm:
            centred = mixed - jnp.mean(mixed, axis=-1, keepdims=True)
            mixed = self.gain * centred * jax.lax.rsqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-5)
        neurons = jax.nn.relu(through(mixed, self.inner, self.config.precision) + self.bias)
        logits = through(neurons, self.outer, self.config.precision)
        return jnp.split(logits, [self.config.predicted[0]], axis=-1)

    def _after(
        self,
        weights: Float[Array, "head batch answers clauses"],
        values: Float[Array, "head batch clauses size"],
        asking: Float[Array, "batch answers inner"],
    ) -> NextClause:
        """Logits of the whole vocabulary; tokens that cannot be predicted are impossible."""
        wide = []
        for some, first in zip(self._logits(weights, values, asking), self.config.first_predicted, strict=True):
            sides = [(0, 0), (0, 0), (first, self.vocab - first - some.shape[-1])]
            wide.append(jnp.pad(some, sides, constant_values=IMPOSSIBLE))
        return NextClause(*wide)


def _causal(clauses: int, answers: int) -> Bool[Array, "answers clauses"]:
    place = jnp.arange(clauses)
    return place <= place[clauses - answers :, None]


def _normals(shapes: tuple[tuple[int, ...], ...], *, key: Key[Array, ""]) -> list[Float[Array, "..."]]:
    """Standard normal arrays by one compiled draw: a generator is most of what there is to compile here."""
    most = max(map(math.prod, shapes))
    drawn = jax.lax.map(lambda one: jax.random.normal(one, (most,)), jax.random.split(key, len(shapes)))
    return [flat[: math.prod(shape)].reshape(shape) for flat, shape in zip(drawn, shapes, strict=True)]


def learned(model: ExperimentalReasoner) -> PyTree:
    """True on what training moves: everything but the scale of the scores."""
    moving = jax.tree.map(eqx.is_inexact_array, model)
    return eqx.tree_at(lambda m: m.score_scale, moving, replace=False)
