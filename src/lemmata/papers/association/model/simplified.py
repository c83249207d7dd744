"""The one-layer model of equation (2): one attention layer beside a linear feed-forward map, two embeddings a token."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from lemmata.core import AbstractModel, Trace, named_integer
from lemmata.papers.association.model.bases import random_bases


class SimplifiedModel(AbstractModel):
    """x_t = W_E(z_t) + W~_E(z_{t-1}); the first position has no predecessor and carries its own embedding alone."""

    tokens: Float[Array, "vocab width"]  # W_E
    previous: Float[Array, "vocab width"]  # W~_E
    output: Float[Array, "vocab width"]  # W_U
    attention: Float[Array, "width width"]  # W_QK
    value: Float[Array, "width width"]  # W_V
    feed: Float[Array, "width width"]  # W_F

    @classmethod
    def create(cls, vocab: int, seed: int = 0) -> "SimplifiedModel":
        """Orthonormal embeddings in a random basis (Assumptions D.1 and F.1), all three learned matrices zero."""
        width = 2 * vocab
        inputs, outputs = random_bases(width, named_integer(seed, "init"))
        zero = jnp.zeros((width, width))
        embeddings = (jnp.asarray(rows) for rows in (inputs[:vocab], inputs[vocab:], outputs[:vocab]))
        return cls(*embeddings, attention=zero, value=zero, feed=zero)

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


def _lower(length: int) -> Bool[Array, "seq seq"]:
    return jnp.tril(jnp.ones((length, length), dtype=bool))
