"""The one-layer model of equation (2): one attention layer beside a linear feed-forward map, two embeddings a token."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, PyTree

from lemmata.core import AbstractModel, Trace, require


class SimplifiedModel(AbstractModel):
    """x_t = W_E(z_t) + W~_E(z_{t-1}); the first position has no predecessor and carries its own embedding alone."""

    tokens: Float[Array, "vocab width"]  # W_E
    previous: Float[Array, "vocab width"]  # W~_E
    output: Float[Array, "vocab width"]  # W_U
    attention: Float[Array, "width width"]  # W_QK
    value: Float[Array, "width width"]  # W_V
    feed: Float[Array, "width width"]  # W_F

    @classmethod
    def create(cls, vocab: int, width: int | None = None, *, key: Key[Array, ""]) -> "SimplifiedModel":
        """Orthonormal embeddings (Assumptions D.1 and F.1) and all three learned matrices zero."""
        d = 2 * vocab if width is None else width
        require(d >= 2 * vocab, "width", d, f"at least 2 x vocab = {2 * vocab}, for orthonormal embeddings")
        input_key, output_key = jax.random.split(key)
        inputs = _orthonormal(input_key, 2 * vocab, d)
        zero = jnp.zeros((d, d))
        return cls(inputs[:vocab], inputs[vocab:], _orthonormal(output_key, vocab, d), zero, zero, zero)

    def embed(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq width"]:
        before = jnp.concatenate([jnp.zeros((1, self.previous.shape[1])), self.previous[tokens[:-1]]])
        return self.tokens[tokens] + before

    def weights(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq seq"]:
        """Attention from each position to those up to it; the paper's scores have no 1/sqrt(d)."""
        x = self.embed(tokens)
        scores = x @ self.attention @ x.T
        return jax.nn.softmax(jnp.where(_lower(tokens.shape[0]), scores, -jnp.inf), axis=-1)

    def attention_logits(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq vocab"]:
        """xi_attn."""
        return self.weights(tokens) @ self.embed(tokens) @ self.value.T @ self.output.T

    def feed_logits(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq vocab"]:
        """xi_ff."""
        return self.embed(tokens) @ self.feed.T @ self.output.T

    def __call__(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq vocab"]:
        return self.attention_logits(tokens) + self.feed_logits(tokens)

    def at(self, tokens: Int[Array, " seq"], positions: Int[Array, " query"]) -> Float[Array, "query vocab"]:
        """The logits at a few positions: one row of attention each, not a square of them."""
        x = self.embed(tokens)
        asked = x[positions]
        reach = jnp.arange(tokens.shape[0])[None, :] <= positions[:, None]
        weights = jax.nn.softmax(jnp.where(reach, asked @ self.attention @ x.T, -jnp.inf), axis=-1)
        return (weights @ x @ self.value.T + asked @ self.feed.T) @ self.output.T

    def trace(self, tokens: Int[Array, " seq"]) -> Trace:
        x, weights = self.embed(tokens), self.weights(tokens)
        after = weights @ x @ self.value.T + x @ self.feed.T
        return Trace(weights[None], jnp.stack([x, after]), after @ self.output.T)


def simplified_weights(model: SimplifiedModel) -> PyTree:
    """The filter of what is learned: W_QK, W_V and W_F."""
    frozen = jax.tree.map(lambda _: False, model)
    return eqx.tree_at(lambda m: (m.attention, m.value, m.feed), frozen, (True, True, True))


def _orthonormal(key: Key[Array, ""], rows: int, width: int) -> Float[Array, "rows width"]:
    return jnp.linalg.qr(jax.random.normal(key, (width, rows)))[0].T


def _lower(length: int) -> Bool[Array, "seq seq"]:
    return jnp.tril(jnp.ones((length, length), dtype=bool))
