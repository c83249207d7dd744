"""Equal to all of W^KQ trained by gradient descent, at the first decoding step: one score a position, one a token.

EoS always asks from the same position, with the same embedding. So the first step sees of W^KQ one vector, W^KQ z_EoS,
and a step of descent on the matrix is one on that vector at |z_EoS|^2 = 2 times the learning rate, in any orthonormal
embedding. Its coordinates are the scores of positions and of tokens. The second step asks from another position with
another token: the two do not meet. (Adam sees the basis, so that nothing of this holds for it.)
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.core import jax_zeros
from lemmata.papers.ic_recall.model.fast.pattern_model import argmax_finds, pattern_logits
from lemmata.papers.ic_recall.task import correct_pattern


class EosScores(eqx.Module):
    """W^KQ z_EoS over the square root of 2, in coordinates: descent on these is descent on W^KQ."""

    position: Float[Array, "*replica length"]
    token: Float[Array, "*replica context_tokens"]
    k: int = eqx.field(static=True)

    @classmethod
    def zeros(cls, k: int, n: int) -> "EosScores":
        return cls(jax_zeros((2 * k + 2,)), jax_zeros((2 * n,)), k)

    def attention(self, tokens: Int[Array, "batch context"]) -> Float[Array, "batch length"]:
        """Tokens before EoS. EoS finds itself by position and by token, which move alike: one number for both."""
        itself = jnp.sqrt(2.0) * self.position[-1]
        scores = self.position[:-1] + self.token[tokens]
        return jax.nn.softmax(jnp.sqrt(2.0) * jnp.append(scores, jnp.full((len(tokens), 1), itself), axis=1), axis=1)


def eos_nll(
    model: EosScores,
    tokens: Int[Array, "batch context"],
    log_counts: Float[Array, "batch patterns"],
    temperature: Float[Array, ""],
) -> Float[Array, " batch"]:
    """-log p_1(r*) with the memory of Lemma 3.1."""
    logits = jax.vmap(lambda v: pattern_logits(v, model.k))(model.attention(tokens)) / temperature
    return jax.nn.logsumexp(logits + log_counts, axis=1) - logits[:, correct_pattern(model.k)]


def eos_decoding(
    model: EosScores, tokens: Int[Array, "batch context"], log_counts: Float[Array, "batch patterns"]
) -> Float[Array, " batch"]:
    """How often argmax decoding finds r* in each sequence; ties are split evenly."""
    logits = jax.vmap(lambda v: pattern_logits(v, model.k))(model.attention(tokens))
    return argmax_finds(logits, jnp.exp(log_counts), correct_pattern(model.k))
