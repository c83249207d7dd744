"""What single weights remember, read by embeddings in and output vectors out (Figures 3 right, 7 and 9)."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from lemmata.papers.association.model import Transformer


def feed_logits(model: Transformer) -> Float[Array, "input output"]:
    """<F(W_E(i)), W_U(j)>: what the last feed-forward layer says to a bare token (Figure 7, middle)."""
    feed = model.blocks[-1].feed
    if feed is None:
        return jnp.zeros((model.tokens.shape[0], model.output.shape[0]))
    return feed(model.tokens, "float32") @ model.output.T


def feed_margin(model: Transformer, trigger: int, noise: int) -> Float[Array, ""]:
    """The noise token's logit over the largest other one, from F alone at the bare trigger (Figure 3, right)."""
    logits = feed_logits(model)[trigger]
    return logits[noise] - jnp.max(jnp.where(jnp.arange(logits.shape[0]) == noise, -jnp.inf, logits))


def value_logits(model: Transformer) -> Float[Array, "input output"]:
    """<W_O W_V W_E(i), W_U(j)>: what attention to token i in the last layer says (Figure 7, right)."""
    block = model.blocks[-1]
    return model.tokens @ block.value.T @ block.output.T @ model.output.T


def matching_logits(model: Transformer) -> Float[Array, "input output"]:
    """W_E(j)^T W_QK^2 W_O^1 W_V^1 W_E(i) / sqrt(d): the second layer's score, at query j, of a position that the
    first layer told it follows token i (Figure 9)."""
    first, second = model.blocks[0], model.blocks[1]
    carried = model.tokens @ first.value.T @ first.output.T
    return carried @ second.key.T @ model.tokens.T * model.tokens.shape[1] ** -0.5
