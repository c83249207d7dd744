"""Where attention looks: correct and noisy followers of the trigger (Figure 4), and the previous token (Figure 7)."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lemmata.papers.association.probe.predictions import EARLIER, queries_of
from lemmata.papers.association.task import NoisyRecall, RecallSample


def attention_mass(
    model: Any, sample: RecallSample, noise: int, *, layer: int = -1, earlier: int = EARLIER
) -> dict[str, Float[Array, ""]]:
    """From trigger positions, the mean attention on earlier "trigger -> output", "trigger -> noise" and the rest."""
    chosen = queries_of(sample, earlier)

    def one(
        tokens: Int[Array, " seq"], correct: Int[Array, " seq"]
    ) -> tuple[Float[Array, " seq"], Float[Array, " seq"]]:
        weights = model.trace(tokens).attention[layer]
        before = jnp.concatenate([jnp.full(1, -1, tokens.dtype), tokens[:-1]])
        after_trigger = before[None, :] == tokens[:, None]  # the key follows the same trigger as the query is
        on_correct = jnp.sum(weights * (after_trigger & (tokens[None, :] == correct[:, None])), axis=1)
        on_noise = jnp.sum(weights * (after_trigger & (tokens[None, :] == noise)), axis=1)
        return on_correct, on_noise

    on_correct, on_noise = jax.vmap(one)(sample.tokens, sample.correct)
    count = jnp.maximum(jnp.sum(chosen), 1)
    correct, noisy = (jnp.sum(jnp.where(chosen, mass, 0)) / count for mass in (on_correct, on_noise))
    return {"attention_correct": correct, "attention_noise": noisy, "attention_rest": 1 - correct - noisy}


def noisy_attention(
    model: Any, task: NoisyRecall, *, key: Key[Array, ""], num: int = 32, alpha: float = 0.5, layer: int = -1
) -> dict[str, Float[Array, ""]]:
    """`attention_mass` on fresh data of noise level `alpha`: clean data has no noise to look at."""
    return attention_mass(model, task.with_alpha(alpha).draw(num, key=key), task.config.noise_token, layer=layer)


def previous_token_attention(
    model: Any, task: NoisyRecall, *, key: Key[Array, ""], num: int = 32, layer: int = 0
) -> dict[str, Float[Array, ""]]:
    """The mean attention of positions 2, ..., T on the position before (Figure 7, left, as one number)."""
    tokens = task.draw(num, key=key).tokens
    weights = jax.vmap(lambda one: model.trace(one).attention[layer])(tokens)
    return {"attention_previous": jnp.mean(jnp.diagonal(weights, offset=-1, axis1=1, axis2=2))}
