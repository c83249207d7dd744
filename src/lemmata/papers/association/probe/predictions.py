"""What a model says after a trigger: the probability of the correct, noise and other tokens (Figures 3, 8, 10-13).

Probabilities and loss, not argmax: at alpha = 1/2 the full model's argmax is a coin flip.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.papers.association.task import NoisyRecall, RecallSample, SyntheticIOI

EARLIER = 3  # the context has then shown the answer several times over


def earlier_triggers(sample: RecallSample) -> Int[Array, "batch seq"]:
    """At each position, how often its own token occurred before it."""
    tokens = sample.tokens
    same = (tokens[:, :, None] == tokens[:, None, :]) & jnp.tril(jnp.ones((tokens.shape[1],) * 2, dtype=bool), -1)
    return jnp.sum(same, axis=2)


def queries_of(sample: RecallSample, earlier: int = EARLIER) -> Bool[Array, "batch seq"]:
    """Trigger positions with at least this many earlier occurrences of the same trigger."""
    return (sample.correct >= 0) & (earlier_triggers(sample) >= earlier)


def predictions(model: Any, sample: RecallSample, noise: int, earlier: int = EARLIER) -> dict[str, Float[Array, ""]]:
    """Mean probabilities of the correct, noise and other tokens after a trigger; the loss is of the correct one."""
    chosen = queries_of(sample, earlier)
    logits = jax.nn.log_softmax(jax.vmap(model)(sample.tokens), axis=-1)
    right = jnp.take_along_axis(logits, jnp.maximum(sample.correct, 0)[..., None], axis=-1)[..., 0]
    correct, noisy = _mean(jnp.exp(right), chosen), _mean(jnp.exp(logits[..., noise]), chosen)
    hit = jnp.argmax(logits, axis=-1) == sample.correct
    return {
        "correct": correct,
        "noise": noisy,
        "other": 1 - correct - noisy,
        "clean_loss": _mean(-right, chosen),
        "accuracy": _mean(hit.astype(logits.dtype), chosen),
    }


def clean_predictions(
    model: Any, task: NoisyRecall, *, key: Key[Array, ""], num: int = 128, earlier: int = EARLIER
) -> dict[str, Float[Array, ""]]:
    """`predictions` on fresh clean data (alpha = 0), whatever the task's own noise level."""
    return predictions(model, task.with_alpha(0.0).draw(num, key=key), task.config.noise_token, earlier)


def ioi_predictions(
    model: Any, task: SyntheticIOI, *, key: Key[Array, ""], num: int = 512
) -> dict[str, Float[Array, ""]]:
    """The same at the last position of synthetic IOI, clean, with the distractor's probability (Figures 19, 20)."""
    sample = task.with_alpha(0.0).draw(num, key=key)
    last = jnp.full((num, 1), task.config.length - 1)
    logits = jax.nn.log_softmax(jax.vmap(model.at)(sample.tokens, last)[:, 0], axis=-1)
    rows = jnp.arange(num)
    right, wrong = logits[rows, sample.correct], logits[rows, sample.distractor]
    correct, noise = jnp.exp(right).mean(), jnp.exp(logits[:, task.config.noise_token]).mean()
    return {
        "correct": correct,
        "noise": noise,
        "distractor": jnp.exp(wrong).mean(),
        "other": 1 - correct - noise,
        "clean_loss": -right.mean(),
        "accuracy": jnp.mean(jnp.argmax(logits, axis=-1) == sample.correct),
    }


def recall_ceiling(task: NoisyRecall, *, key: Key[Array, ""], num: int = 4096) -> dict[str, Float[Array, ""]]:
    """At the last position of clean sequences: how often the answer was shown before, and the best mean probability
    of the correct token and accuracy that leaves (one guess among the possible outputs where it was not)."""
    sample = task.with_alpha(0.0).draw(num, key=key)
    followed = sample.tokens[:, :-1] == sample.tokens[:, -1:]
    shown = jnp.any(followed & (sample.tokens[:, 1:] == sample.correct[:, -1:]), axis=1).mean()
    best = shown + (1 - shown) / len(task.config.outputs())
    return {"shown": shown, "correct_ceiling": best}


def _mean(values: Float[Array, "batch seq"], chosen: Bool[Array, "batch seq"]) -> Float[Array, ""]:
    return jnp.sum(jnp.where(chosen, values, 0)) / jnp.maximum(jnp.sum(chosen), 1)
