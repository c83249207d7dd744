"""Attention that treats the in-context pairs alike."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from lemmata.papers.ic_recall.model import PatternModel


def symmetric_pairs(model: PatternModel) -> PatternModel:
    """Attention averaged over the in-context pairs: where exact gradient flow from 0 would stay when the loss treats
    the pairs alike (observation 1 in the proof of Lemma B.4)."""

    def averaged(scores: Float[Array, " length"]) -> Float[Array, " length"]:
        k = model.k
        pairs = scores[: 2 * k].reshape(k, 2)
        return scores.at[: 2 * k].set(jnp.broadcast_to(pairs.mean(axis=0), (k, 2)).ravel())

    return eqx.tree_at(lambda m: (m.theta, m.omega), model, (averaged(model.theta), averaged(model.omega)))
