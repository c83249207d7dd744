"""The transformer of equation (1), with any number of layers: one head, no normalisation, no biases.

Two exact savings. The last layer is needed at the queried positions alone: scores are x_t^T W_K x_s and the value path
is linear, so W_K and W_O W_V act on the query side, and the whole layer costs in proportion to the number of queries.
The first layer reads W_E(z_t) + p_t, which takes few different values: its linear maps act on the tables W_E and p,
and a token picks its row.
"""

from dataclasses import dataclass
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, PyTree

from lemmata.core import AbstractModel, Config, Count, NonNegative, Positive, Some, Trace
from lemmata.models.matmul import MatmulPrecision, contract_rows, contract_stored, in_full

FeedKind = Literal["mlp", "linear", "none"]
Queries = Float[Array, "*batch query width"]
Context = Float[Array, "*batch seq width"]
Visible = Bool[Array, "*#batch query seq"]  # what each query may see
Weights = Float[Array, "*batch query seq"]  # how much it does


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(Config):
    """The paper's sizes. Scales and precision are ours: the paper does not print them."""

    vocab: Count = 65
    length: Count = 256
    width: Count = 256  # d
    feeds: Some[FeedKind] = ("mlp", "mlp")  # F_1, F_2, ...: one a layer
    hidden: Count | None = None  # of the MLPs; 4 d unless given
    value_width: Count | None = None  # W_V maps to this width, W_O back from it; d unless given
    embedding_std: Positive = 1.0  # of tokens and positions, both frozen
    output_scale: Positive = 1.0  # multiplies the frozen output matrix's first draw
    value_scale: NonNegative = 1.0  # multiplies the first draw of W_V
    precision: MatmulPrecision = "float32"


class MLP(eqx.Module):
    """U_out ReLU(U_in x). Both are kept width first: their gradients are then products that copy no large array."""

    inner: Float[Array, "width hidden"]  # U_in, transposed
    outer: Float[Array, "width hidden"]  # U_out

    def __call__(self, x: Float[Array, "*batch width"], precision: MatmulPrecision) -> Float[Array, "*batch width"]:
        hidden = jax.nn.relu(contract_rows("rd,dh->rh", x, self.inner, precision))
        return contract_rows("rh,dh->rd", hidden, self.outer, precision)


class Linear(eqx.Module):
    weight: Float[Array, "width width"]

    def __call__(self, x: Float[Array, "*batch width"], precision: MatmulPrecision) -> Float[Array, "*batch width"]:
        return contract_rows("rd,ed->re", x, self.weight, precision)


class Block(eqx.Module):
    """x + h + F(x + h), with h the attention's output. `feed` is None where there is no feed-forward layer."""

    key: Float[Array, "width width"]  # W_QK: the query side is the identity
    value: Float[Array, "inner width"]
    output: Float[Array, "width inner"]
    feed: MLP | Linear | None

    def __call__(
        self, queries: Queries, context: Context, visible: Visible, precision: MatmulPrecision
    ) -> tuple[Queries, Weights]:
        """The output at the queries, and the attention's weights."""
        mixed, weights = self.mix(queries, context, visible, precision)
        return self.after(queries, mixed, precision), weights

    def mix(
        self, queries: Queries, context: Context, visible: Visible, precision: MatmulPrecision
    ) -> tuple[Queries, Weights]:
        """What each query sees, on average, and the weights of it."""
        mapped = contract_rows("rd,de->re", queries, self.key, precision)
        weights = attention_weights(mapped, context, visible, precision)
        return contract_stored("...qs,...sd->...qd", weights, context, precision), weights

    def after(self, queries: Queries, mixed: Queries, precision: MatmulPrecision) -> Queries:
        """The output, a row at a time: no row reads another."""
        values = contract_rows("rd,ed->re", mixed, self.value, precision)
        attended = contract_rows("re,de->rd", values, self.output, precision)
        return self.fed(queries + attended, precision)

    def fed(self, x: Queries, precision: MatmulPrecision) -> Queries:
        """x + F(x)."""
        return x if self.feed is None else x + self.feed(x, precision)


def attention_weights(mapped: Queries, context: Context, visible: Visible, precision: MatmulPrecision) -> Weights:
    """Softmax of <mapped, context> / sqrt(d) over what each query may see."""
    scores = contract_stored("...qe,...se->...qs", mapped * context.shape[-1] ** -0.5, context, precision)
    return jax.nn.softmax(jnp.where(visible, in_full(scores), -jnp.inf), axis=-1)


class Transformer(AbstractModel):
    tokens: Float[Array, "vocab width"]  # W_E
    positions: Float[Array, "length width"]
    blocks: tuple[Block, ...]
    output: Float[Array, "vocab width"]  # W_U
    config: TransformerConfig = eqx.field(static=True)

    @classmethod
    def create(cls, config: TransformerConfig, *, key: Key[Array, ""]) -> "Transformer":
        """Embeddings normal; every other map uniform in +-1/sqrt(fan_in), the output matrix included."""
        token_key, position_key, output_key, *block_keys = jax.random.split(key, 3 + len(config.feeds))
        d = config.width
        return cls(
            config.embedding_std * jax.random.normal(token_key, (config.vocab, d)),
            config.embedding_std * jax.random.normal(position_key, (config.length, d)),
            tuple(_block(config, kind, k) for kind, k in zip(config.feeds, block_keys, strict=True)),
            config.output_scale * _uniform(output_key, config.vocab, d),
            config,
        )

    def __call__(self, tokens: Int[Array, "*batch seq"]) -> Float[Array, "*batch seq vocab"]:
        return self.at(tokens, jnp.broadcast_to(jnp.arange(tokens.shape[-1]), tokens.shape))

    def at(
        self, tokens: Int[Array, "*batch seq"], queries: Int[Array, "*batch query"]
    ) -> Float[Array, "*batch query vocab"]:
        """The logits at some positions: equal to those of the whole sequence, for less work in the last layer."""
        return self.read(self.blocks[-1].after(*self.last_layer_inputs(tokens, queries), self.config.precision))

    def last_layer_inputs(
        self, tokens: Int[Array, "*batch seq"], queries: Int[Array, "*batch query"]
    ) -> tuple[Queries, Queries]:
        """What the last layer is given at some positions, and what its attention sees from there."""
        x = self.embed(tokens)
        everywhere = _causal(jnp.arange(tokens.shape[-1]), tokens.shape[-1])
        for layer in range(len(self.blocks) - 1):
            x, _ = self.layer(layer, tokens, x, everywhere)
        given = jnp.take_along_axis(x, queries[..., None], axis=-2)
        mixed, _ = self.blocks[-1].mix(given, x, _causal(queries, tokens.shape[-1]), self.config.precision)
        return given, mixed

    def trace(self, tokens: Int[Array, " seq"]) -> Trace:
        visible = _causal(jnp.arange(tokens.shape[-1]), tokens.shape[-1])
        stream, attention = [self.embed(tokens)], []
        for layer in range(len(self.blocks)):
            x, weights = self.layer(layer, tokens, stream[-1], visible)
            stream.append(x)
            attention.append(weights)
        return Trace(jnp.stack(attention), jnp.stack(stream), self.read(stream[-1]))

    def layer(
        self, index: int, tokens: Int[Array, "*batch seq"], x: Context, visible: Visible
    ) -> tuple[Context, Weights]:
        """One layer at every position: its output and its attention."""
        block, precision = self.blocks[index], self.config.precision
        if index > 0 or self.config.vocab > self.config.width:
            return block(x, x, visible, precision)
        weights = attention_weights(self.mapped(tokens, block.key), x, visible, precision)
        values = self.mapped(tokens, contract_stored("ed,fe->df", block.value, block.output, precision))
        return block.fed(x + contract_stored("...qs,...sd->...qd", weights, values, precision), precision), weights

    def mapped(self, tokens: Int[Array, "*batch seq"], matrix: Float[Array, "width width"]) -> Context:
        """`embed(tokens) @ matrix`, the matrix applied to the tables. Rows are picked by a product with zeros and
        ones: its derivative is a product too, and not a scatter that a device may add up in any order."""
        precision = self.config.precision
        of_tokens = contract_stored("vd,de->ve", self.tokens, matrix, precision)
        of_positions = contract_stored("sd,de->se", self.positions[: tokens.shape[-1]], matrix, precision)
        return (
            contract_rows("rv,ve->re", jax.nn.one_hot(tokens, self.config.vocab), of_tokens, precision) + of_positions
        )

    def embed(self, tokens: Int[Array, "*batch seq"]) -> Context:
        return self.tokens[tokens] + self.positions[: tokens.shape[-1]]

    def read(self, x: Queries) -> Float[Array, "query vocab"]:
        return in_full(contract_rows("rd,vd->rv", x, self.output, self.config.precision))


def block_weights(model: Transformer) -> PyTree:
    """True on what is learned: embeddings, positions and output stay as drawn."""
    return eqx.tree_at(lambda m: m.blocks, jax.tree.map(lambda _: False, model), replace_fn=lambda _: True)


def _causal(queries: Int[Array, "*batch query"], length: int) -> Visible:
    return jnp.arange(length) <= queries[..., None]


def _uniform(key: Key[Array, ""], rows: int, columns: int) -> Float[Array, "rows columns"]:
    bound = columns**-0.5
    return jax.random.uniform(key, (rows, columns), minval=-bound, maxval=bound)


def _block(config: TransformerConfig, kind: FeedKind, key: Key[Array, ""]) -> Block:
    d, hidden, inner = config.width, config.hidden or 4 * config.width, config.value_width or config.width
    keys = jax.random.split(key, 5)
    feeds = {
        "mlp": lambda: MLP(_uniform(keys[3], hidden, d).T, _uniform(keys[4], d, hidden)),
        "linear": lambda: Linear(_uniform(keys[3], d, d)),
        "none": lambda: None,
    }
    value = config.value_scale * _uniform(keys[1], inner, d)
    return Block(_uniform(keys[0], d, d), value, _uniform(keys[2], d, inner), feeds[kind]())
