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


def feed_logits(model: Transformer, layer: int = -1) -> Float[Array, "input output"]:
    """<F(W_E(i)), W_U(j)>: what a layer's feed-forward map says to a bare token (Figure 7, middle)."""
    feed = model.blocks[layer].feed
    if feed is None:
        return jnp.zeros((model.tokens.shape[0], model.output.shape[0]))
    return feed(model.tokens, "float32") @ model.output.T


def feed_margin(model: Transformer, trigger: int, noise: int, layer: int = -1) -> Float[Array, ""]:
    """The noise token's logit over the largest other one, from F alone at the bare trigger (Figure 3, right)."""
    logits = feed_logits(model, layer)[trigger]
    return logits[noise] - jnp.max(jnp.where(jnp.arange(logits.shape[0]) == noise, -jnp.inf, logits))


def value_logits(model: Transformer, layer: int = -1) -> Float[Array, "input output"]:
    """<W_O W_V W_E(i), W_U(j)>: what attention to token i in a layer says (Figure 7, right)."""
    block = model.blocks[layer]
    return model.tokens @ block.value.T @ block.output.T @ model.output.T


def matching_logits(model: Transformer, carrier: int = 0) -> Float[Array, "input output"]:
    """W_E(j)^T W_QK^2 W_O^1 W_V^1 W_E(i) / sqrt(d): the second layer's score, at query j, of a position that the
    first layer (the carrier) told it follows token i (Figure 9)."""
    first, second = model.blocks[carrier], model.blocks[1]
    carried = model.tokens @ first.value.T @ first.output.T
    return carried @ second.key.T @ model.tokens.T * model.tokens.shape[1] ** -0.5


def token_scores(model: Transformer) -> Float[Array, "input output"]:
    """W_E(j)^T W_QK^2 W_E(i) / sqrt(d): the second layer's score, at query j, of token i's own embedding (Appendix B.2,
    where it is -c for the noise at the trigger)."""
    return model.tokens @ model.blocks[1].key.T @ model.tokens.T * model.tokens.shape[1] ** -0.5


def follower_scores(model: Transformer, trigger: int) -> Float[Array, " token"]:
    """The second layer's score, at the trigger, of a position that holds a token and follows the trigger: with all that
    the first layer makes of both, F_1 included, and no positions."""
    first, second = model.blocks[0], model.blocks[1]
    carried = model.tokens[trigger] @ first.value.T @ first.output.T
    keys, query = first.fed(model.tokens + carried, "float32"), first.fed(model.tokens[trigger][None], "float32")
    return keys @ second.key.T @ query[0] * model.tokens.shape[1] ** -0.5


def previous_by_position(model: Transformer) -> Float[Array, ""]:
    """The share of positions whose embedding alone scores the one before highest in the first layer."""
    scores = model.positions @ model.blocks[0].key @ model.positions.T
    seen = jnp.tril(jnp.ones(scores.shape, dtype=bool))
    best = jnp.argmax(jnp.where(seen, scores, -jnp.inf), axis=1)
    return jnp.mean(best[1:] == jnp.arange(len(best) - 1))


def previous_after_trigger(maps: Float[Array, "batch seq seq"], sample: RecallSample) -> Float[Array, ""]:
    """Of the positions that follow a trigger, where the second layer needs it: the share that attend most to it."""
    best = jnp.argmax(maps[:, 1:], axis=2) == jnp.arange(maps.shape[1] - 1)
    after = sample.correct[:, :-1] >= 0
    return jnp.sum(best & after) / jnp.maximum(jnp.sum(after), 1)


def snapshot(
    model: Transformer, sample: RecallSample, attended: RecallSample, noise: int, example: Int[Array, ""] | int
) -> dict[str, Array]:
    """Its attention on the sample (on average, and on one sequence), where it looks in the attended one, its weights as
    memories; of the layers that Figure 7 does not show, the same (`other_...`)."""
    maps = jax.vmap(lambda one: model.trace(one).attention)(sample.tokens)
    mass = attention_mass(model, attended, noise)
    return {
        "first_attention": jnp.mean(maps[:, 0], axis=0),
        "other_attention": jnp.mean(maps[:, 1], axis=0),
        "second_attention": maps[example, 1],
        "previous_after_trigger": previous_after_trigger(maps[:, 0], sample),
        "previous_by_position": previous_by_position(model),
        "feed_logits": feed_logits(model),
        "other_feed_logits": feed_logits(model, 0),
        "value_logits": value_logits(model),
        "other_value_logits": value_logits(model, 0),
        "matching_logits": matching_logits(model),
        "other_matching_logits": matching_logits(model, 1),
        "mass": jnp.stack([mass[f"attention_{where}"] for where in ("correct", "noise", "rest")]),
    }
