"""The inside of a model: where the last layer looks from a trigger (Figure 4), what single weights remember, read by
embeddings in and output vectors out (Figures 3 right, 7 and 9)."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.association.model import Transformer
from lemmata.papers.association.probe.answers import queries_of
from lemmata.papers.association.task import RecallSample


def attention_mass(model: Any, sample: RecallSample, noise: int) -> dict[str, Float[Array, ""]]:
    """From trigger positions, the mean attention on earlier "trigger -> output", "trigger -> noise" and the rest."""
    chosen = queries_of(sample)

    def one(tokens: Int[Array, " seq"], correct: Int[Array, " seq"]) -> tuple[Array, Array]:
        weights = model.trace(tokens).attention[-1]
        before = jnp.concatenate([jnp.full(1, -1, tokens.dtype), tokens[:-1]])
        after_trigger = before[None, :] == tokens[:, None]  # the key follows the same trigger as the query is
        on_correct = jnp.sum(weights * (after_trigger & (tokens[None, :] == correct[:, None])), axis=1)
        on_noise = jnp.sum(weights * (after_trigger & (tokens[None, :] == noise)), axis=1)
        return on_correct, on_noise

    on_correct, on_noise = jax.vmap(one)(sample.tokens, sample.correct)
    count = jnp.maximum(jnp.sum(chosen), 1)
    correct, noisy = (jnp.sum(jnp.where(chosen, mass, 0)) / count for mass in (on_correct, on_noise))
    return {"attention_correct": correct, "attention_noise": noisy, "attention_rest": 1 - correct - noisy}


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


def portrait(model: Transformer, sample: RecallSample, noise: int, example: int) -> dict[str, Array]:
    """Its attention on the sample (on average, and on one sequence), its weights as memories."""
    maps = jax.vmap(lambda one: model.trace(one).attention)(sample.tokens)
    mass = attention_mass(model, sample, noise)
    return {
        "first_attention": jnp.mean(maps[:, 0], axis=0),
        "second_attention": maps[example, 1],
        "feed_logits": feed_logits(model),
        "value_logits": value_logits(model),
        "matching_logits": matching_logits(model),
        "mass": jnp.stack([mass[f"attention_{where}"] for where in ("correct", "noise", "rest")]),
    }
