"""What the drawings and claims of Figures 4, 7 and 9 see of a model."""

import jax
import jax.numpy as jnp
from jaxtyping import Array

from lemmata.papers.association.model import Transformer
from lemmata.papers.association.probe.attention import attention_mass
from lemmata.papers.association.probe.memories import feed_logits, matching_logits, value_logits
from lemmata.papers.association.task import RecallSample


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
