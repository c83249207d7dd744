"""Fine-tuning problems of ic-recall: what `fit` trains on, and losses that read the same for every engine."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from lemmata.core import Batch, UserError, require
from lemmata.papers.ic_recall.model import PatternModel, first_loss, second_loss, token_loss
from lemmata.papers.ic_recall.task import Dataset


class FineTuning(eqx.Module):
    """A fine-tuning set (pattern counts for the reduced engine, tokens for the dense ones) and the temperature."""

    data: Dataset | Batch
    temperature: Float[Array, "*replica"]

    def __init__(self, data: Dataset | Batch, temperature: float):
        require(temperature > 0, "temperature", temperature, "above 0")
        self.data, self.temperature = data, jnp.asarray(float(temperature))


def first_step_loss(model: Any, task: FineTuning, key: Key[Array, ""]) -> Float[Array, ""]:
    """L_1 alone: the relation."""
    return _losses(model, task)[0]


def chain_of_thought_loss(model: Any, task: FineTuning, key: Key[Array, ""]) -> Float[Array, ""]:
    """L = L_1 + L_2 (eq. 1)."""
    first, second = _losses(model, task)
    return first + second


def symmetric_pairs(model: PatternModel) -> PatternModel:
    """Attention averaged over the in-context pairs: where exact gradient flow from 0 would stay when the loss treats
    the pairs alike (observation 1 in the proof of Lemma B.4)."""

    def averaged(scores: Float[Array, " length"]) -> Float[Array, " length"]:
        k = model.k
        pairs = scores[: 2 * k].reshape(k, 2)
        return scores.at[: 2 * k].set(jnp.broadcast_to(pairs.mean(axis=0), (k, 2)).ravel())

    return eqx.tree_at(lambda m: (m.theta, m.omega), model, (averaged(model.theta), averaged(model.omega)))


def _losses(model: Any, task: FineTuning) -> tuple[Float[Array, ""], Float[Array, ""]]:
    if isinstance(model, PatternModel):
        if isinstance(task.data, Batch):
            raise UserError("the reduced engine trains on pattern counts, not tokens: give it a Dataset")
        return first_loss(model, task.data, task.temperature), second_loss(model, task.temperature)
    if not isinstance(task.data, Batch):
        raise UserError("the dense engines train on tokens, not pattern counts: give them a Batch")
    return token_loss(model, task.data.tokens, task.data.targets, task.temperature)
