"""Losses and accuracies of the reduced engine: sums over patterns, weighted by how many relations show each."""

from typing import Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lemmata.papers.ic_recall.model.pattern_model import PatternModel, correct_index
from lemmata.papers.ic_recall.model.surprise import log_probability, mean_surprise

Temperature = float | Float[Array, ""]


@runtime_checkable
class PatternCounts(Protocol):
    """Distinct sequences as the number of relations that show each pattern, and the share of each (a `Dataset`)."""

    @property
    def counts(self) -> Float[Array, "rows patterns"]: ...
    @property
    def log_counts(self) -> Float[Array, "rows patterns"]: ...
    @property
    def weights(self) -> Float[Array, " rows"]: ...


class Accuracy(eqx.Module):
    """`probability` given to the truth, and how often `argmax` decoding finds it, ties split evenly."""

    probability: Float[Array, ""]
    argmax: Float[Array, ""]


def first_loss(model: PatternModel, dataset: PatternCounts, temperature: Temperature) -> Float[Array, ""]:
    """L_1: the cross-entropy of the relation."""
    return mean_surprise(model.theta, dataset.log_counts, dataset.weights, jnp.asarray(temperature), model.k)


def second_loss(model: PatternModel, temperature: Temperature) -> Float[Array, ""]:
    """L_2: the cross-entropy of the query's answer given the true relation; the same for every sequence."""
    scaled = model.second_logits() / temperature
    return jax.nn.logsumexp(scaled + model.second_log_counts()) - scaled[model.k]


def first_accuracy(model: PatternModel, dataset: PatternCounts, temperature: Temperature) -> Accuracy:
    logits = model.first_logits()
    present = jnp.where(dataset.counts > 0, logits, -jnp.inf)
    rounding = (
        64 * jnp.finfo(logits.dtype).eps
    )  # logits are at most 4: equal ones differ by a few units in the last place
    tied = present >= present.max(axis=1, keepdims=True) - rounding
    right = tied[:, correct_index(model.k)] / jnp.sum(jnp.where(tied, dataset.counts, 0), axis=1)
    likely = jnp.exp(log_probability(model.theta, dataset.log_counts, temperature, model.k))
    return Accuracy(dataset.weights @ likely, dataset.weights @ right)


def second_accuracy(model: PatternModel, temperature: Temperature) -> Accuracy:
    logits = model.second_logits()
    many = jnp.exp(model.second_log_counts())
    present = jnp.where(many > 0, logits, -jnp.inf)
    tied = present >= present.max() - 64 * jnp.finfo(logits.dtype).eps
    right = tied[model.k] / jnp.sum(jnp.where(tied, many, 0))
    return Accuracy(jnp.exp(-second_loss(model, temperature)), right)
