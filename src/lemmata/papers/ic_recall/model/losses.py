"""Accuracies of the reduced engine and its second loss: sums over patterns, each as often as relations show it."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lemmata.papers.ic_recall.model.pattern_model import PatternModel
from lemmata.papers.ic_recall.model.surprise import log_probability
from lemmata.papers.ic_recall.task import Dataset, correct_pattern

Temperature = float | Float[Array, ""]


class Accuracy(eqx.Module):
    """`probability` given to the truth, and how often `argmax` decoding finds it, ties split evenly."""

    probability: Float[Array, ""]
    argmax: Float[Array, ""]


def second_loss(model: PatternModel, temperature: Temperature) -> Float[Array, ""]:
    """L_2: the cross-entropy of the query's answer given the true relation; the same for every sequence."""
    scaled = model.second_logits() / temperature
    return jax.nn.logsumexp(scaled + model.second_log_counts()) - scaled[model.k]


def first_accuracy(model: PatternModel, dataset: Dataset, temperature: Temperature) -> Accuracy:
    logits = model.first_logits()
    present = jnp.where(dataset.counts > 0, logits, -jnp.inf)
    rounding = 64 * jnp.finfo(logits.dtype).eps  # logits are at most 4: equal ones differ in their last bits
    tied = present >= present.max(axis=1, keepdims=True) - rounding
    right = tied[:, correct_pattern(model.k)] / jnp.sum(jnp.where(tied, dataset.counts, 0), axis=1)
    likely = jnp.exp(log_probability(model.theta, dataset.log_counts, temperature, model.k))
    return Accuracy(dataset.weights @ likely, dataset.weights @ right)


def second_accuracy(model: PatternModel, temperature: Temperature) -> Accuracy:
    logits = model.second_logits()
    many = jnp.exp(model.second_log_counts())
    present = jnp.where(many > 0, logits, -jnp.inf)
    tied = present >= present.max() - 64 * jnp.finfo(logits.dtype).eps
    right = tied[model.k] / jnp.sum(jnp.where(tied, many, 0))
    return Accuracy(jnp.exp(-second_loss(model, temperature)), right)
