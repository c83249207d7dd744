"""The one-layer model of equation (2): one attention layer beside a linear feed-forward map, two embeddings a token."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lemmata.core import named_generator, to_jax


def random_bases(width: int, stream: np.random.Generator) -> list[Float[np.ndarray, "width width"]]:
    """Two independent orthonormal bases: of the inputs and of the outputs."""
    return [np.linalg.qr(stream.normal(size=(width, width)))[0] for _ in range(2)]


class SimplifiedModel(eqx.Module):
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
        inputs, outputs = random_bases(width, named_generator(seed, "init"))
        zero = jnp.zeros((width, width))
        embeddings = (to_jax(rows) for rows in (inputs[:vocab], inputs[vocab:], outputs[:vocab]))
        return cls(*embeddings, attention=zero, value=zero, feed=zero)

    def at(self, tokens: Int[Array, " seq"], positions: Int[Array, " query"]) -> Float[Array, "query vocab"]:
        """xi_attn + xi_ff at a few positions: one row of attention each (the paper's scores have no 1/sqrt(d))."""
        before = jnp.concatenate([jnp.zeros((1, self.previous.shape[1])), self.previous[tokens[:-1]]])
        x = self.tokens[tokens] + before
        queries = x[positions]
        reach = jnp.arange(tokens.shape[0])[None, :] <= positions[:, None]
        weights = jax.nn.softmax(jnp.where(reach, queries @ self.attention @ x.T, -jnp.inf), axis=-1)
        return (weights @ x @ self.value.T + queries @ self.feed.T) @ self.output.T

    def project(self, matrix: Float[Array, "width width"]) -> tuple[Array, Array]:
        """W_U(j)^T matrix W_E(k) and W_U(j)^T matrix W̃_E(k), as [j, k]."""
        left = self.output @ matrix
        return left @ self.tokens.T, left @ self.previous.T
