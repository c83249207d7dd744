"""A decoder of GPT-2's shape (Radford et al., 2019), of any size: learned positions, LayerNorm before each part,
biases, GELU in its tanh form, the output matrix tied to the token embedding. No dropout.

All layers' weights lie in one block, stacked along a leading axis that is scanned: a deep model compiles as fast as a
shallow one. With `bfloat16` the weights, the residual stream, LayerNorm, softmax and logits stay in float32, and
everything between two of them is in bfloat16.
"""

import itertools
import math
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, PyTree

from lemmata.core import AbstractModel, Config, Count, Positive, Trace, require
from lemmata.models.matmul import MatmulPrecision, contract

EPSILON = 1e-5  # added to LayerNorm's variance


@dataclass(frozen=True, kw_only=True)
class GPT2Config(Config):
    vocab: Count
    length: Count  # the number of positions
    width: Count = 64
    layers: Count = 2
    heads: Count = 2
    hidden: Count | None = None  # of the feed-forward part; 4 widths unless given
    initial_std: Positive = 0.02  # of embeddings and matrices; those that write to the residual stream have less
    precision: MatmulPrecision = "float32"

    def cross_check(self) -> None:
        require(self.width % self.heads == 0, "heads", self.heads, f"a divisor of width = {self.width}")


def gpt2_small(precision: MatmulPrecision = "float32", *, vocab: int = 50257, length: int = 1024) -> GPT2Config:
    """The smallest published shape: 124,439,808 numbers with the published vocabulary and length."""
    return GPT2Config(vocab=vocab, length=length, width=768, layers=12, heads=12, precision=precision)


class LayerNorm(eqx.Module):
    scale: Float[Array, "*layers width"]
    bias: Float[Array, "*layers width"]

    def __call__(self, x: Float[Array, "seq width"]) -> Float[Array, "seq width"]:
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = jnp.square(centred).mean(axis=-1, keepdims=True)
        return centred * jax.lax.rsqrt(variance + EPSILON) * self.scale + self.bias


class Linear(eqx.Module):
    weight: Float[Array, "*layers inner outer"]
    bias: Float[Array, "*layers outer"]

    def __call__(self, x: Float[Array, "seq inner"], precision: MatmulPrecision) -> Float[Array, "seq outer"]:
        return contract("si,io->so", x, self.weight, precision) + self.bias.astype(x.dtype)


class Block(eqx.Module):
    """One layer, or all of them stacked along a leading axis."""

    before_attention: LayerNorm
    query_key_value: Linear
    attention_output: Linear
    before_feed: LayerNorm
    feed_input: Linear
    feed_output: Linear
    heads: int = eqx.field(static=True)

    def __call__(
        self, x: Float[Array, "seq width"], visible: Bool[Array, "seq seq"], precision: MatmulPrecision
    ) -> tuple[Float[Array, "seq width"], Float[Array, "head seq seq"]]:
        inside = jnp.bfloat16 if precision == "bfloat16" else x.dtype
        attended, weights = self.attend(self.before_attention(x).astype(inside), visible, precision)
        x = x + attended.astype(x.dtype)
        hidden = jax.nn.gelu(self.feed_input(self.before_feed(x).astype(inside), precision), approximate=True)
        return x + self.feed_output(hidden, precision).astype(x.dtype), weights

    def attend(
        self, x: Float[Array, "seq width"], visible: Bool[Array, "seq seq"], precision: MatmulPrecision
    ) -> tuple[Float[Array, "seq width"], Float[Array, "head seq seq"]]:
        """What the heads write, and where each looks."""
        shape = (x.shape[0], self.heads, x.shape[1] // self.heads)
        query, key, value = (part.reshape(shape) for part in jnp.split(self.query_key_value(x, precision), 3, axis=-1))
        scores = contract("qhd,khd->hqk", query, key, precision).astype(jnp.promote_types(x.dtype, jnp.float32))
        weights = jax.nn.softmax(jnp.where(visible, scores * shape[-1] ** -0.5, -jnp.inf), axis=-1)
        mixed = contract("hqk,khd->qhd", weights.astype(x.dtype), value, precision)
        return self.attention_output(mixed.reshape(x.shape), precision), weights


class GPT2(AbstractModel):
    tokens: Float[Array, "vocab width"]
    positions: Float[Array, "length width"]
    blocks: Block
    last_norm: LayerNorm
    config: GPT2Config = eqx.field(static=True)

    @classmethod
    def create(cls, config: GPT2Config, *, key: Key[Array, ""]) -> "GPT2":
        """Normal weights, zero biases; what writes to the residual stream is smaller by sqrt(2 layers)."""
        d, hidden, layers = config.width, config.hidden or 4 * config.width, config.layers
        shapes = ((config.vocab, d), (config.length, d), (layers, d, 3 * d), (layers, d, d))
        shapes += ((layers, d, hidden), (layers, hidden, d))
        # One draw for all of them: a compiler needs its time for each.
        sizes = [math.prod(shape) for shape in shapes]
        drawn = config.initial_std * jax.random.normal(key, (sum(sizes),))
        parts = jnp.split(drawn, list(itertools.accumulate(sizes[:-1])))
        tokens, positions, *weights = (part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
        written = (2 * layers) ** -0.5
        query_key_value, attention_output, feed_input, feed_output = (
            Linear(scale * weight, jnp.zeros((layers, weight.shape[-1])))
            for scale, weight in zip((1, written, 1, written), weights, strict=True)
        )
        before_attention, before_feed = (LayerNorm(jnp.ones((layers, d)), jnp.zeros((layers, d))) for _ in range(2))
        return cls(
            tokens,
            positions,
            Block(
                before_attention, query_key_value, attention_output, before_feed, feed_input, feed_output, config.heads
            ),
            LayerNorm(jnp.ones(d), jnp.zeros(d)),
            config,
        )

    def __call__(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq vocab"]:
        return self.read(self.stream(tokens)[0])

    def at(self, tokens: Int[Array, " seq"], queries: Int[Array, " query"]) -> Float[Array, "query vocab"]:
        """The logits at some positions: equal to those of the whole sequence, for less work in the vocabulary."""
        return self.read(self.stream(tokens)[0][queries])

    def trace(self, tokens: Int[Array, " seq"]) -> Trace:
        """Attention is the mean over a layer's heads; `head_attention` gives each."""
        last, (inputs, attention) = self.stream(tokens, watched=True)
        return Trace(attention.mean(axis=1), jnp.concatenate([inputs, last[None]]), self.read(last))

    def head_attention(self, tokens: Int[Array, " seq"]) -> Float[Array, "layer head seq seq"]:
        return self.stream(tokens, watched=True)[1][1]

    def stream(self, tokens: Int[Array, " seq"], *, watched: bool = False) -> tuple[Float[Array, "seq width"], PyTree]:
        """The residual stream after the last layer and, if watched, every layer's input and attention."""
        length = tokens.shape[0]
        require(length <= self.config.length, "tokens", length, f"at most length = {self.config.length} of them")
        visible = jnp.tril(jnp.ones((length, length), bool))

        def layer(x: Float[Array, "seq width"], block: Block) -> tuple[Float[Array, "seq width"], PyTree]:
            new, weights = block(x, visible, self.config.precision)
            return new, (x, weights) if watched else None

        return jax.lax.scan(layer, self.embed(tokens), self.blocks)

    def embed(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq width"]:
        """Rows are picked by a product with zeros and ones: its derivative is a product too, and not a scatter that a
        device may add up in any order."""
        picked = jax.nn.one_hot(tokens, self.config.vocab, dtype=self.tokens.dtype)
        rows = contract("sv,vd->sd", picked, self.tokens, self.config.precision)
        return rows + self.positions[: tokens.shape[0]]

    def read(self, x: Float[Array, "query width"]) -> Float[Array, "query vocab"]:
        return contract("qd,vd->qv", self.last_norm(x), self.tokens, self.config.precision)


def matrices(model: GPT2) -> PyTree:
    """The filter of what weight decay acts on: embeddings and matrices, not biases and norms."""
    return jax.tree_util.tree_map_with_path(
        lambda path, _: jax.tree_util.keystr(path[-1:]) in (".weight", ".tokens", ".positions"), model
    )
