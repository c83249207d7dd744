"""Where the last layer's attention looks from a trigger: correct and noisy followers of earlier ones (Figure 4)."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.association.probe.answers import queries_of
from lemmata.papers.association.task import RecallSample


def attention_mass(model: Any, sample: RecallSample, noise: int) -> dict[str, Float[Array, ""]]:
    """From trigger positions, the mean attention on earlier "trigger -> output", "trigger -> noise" and the rest."""
    chosen = queries_of(sample)

    def one(
        tokens: Int[Array, " seq"], correct: Int[Array, " seq"]
    ) -> tuple[Float[Array, " seq"], Float[Array, " seq"]]:
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
