"""Equals `jax.grad` of `plain.question_loss`: in closed form, for names of one token, as coefficients of tokens.

What the neurons make of a question is a combination of what they make of o, p and s. So the loss needs the neurons on
these tokens alone, and its gradient in the neurons is a sum of tokens times rows: tokens.T @ rows. One embedding asks
in every question, so the gradient in the attention is that embedding times a sum of tokens.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.run.fast.neuron_sums import (
    Hidden,
    Rows,
    dots,
    mix,
    nll_and_residual,
    softmax,
    sum_active,
    to_active,
)
from lemmata.papers.knowledge.task import ASK, START, Questions


class TrainQuestions(NamedTuple):
    """Questions about some subjects, and how much each counts."""

    subjects: Int[Array, " question"]
    answers: Int[Array, " question"]  # the class that each is to give
    weights: Rows

    @classmethod
    def about(cls, task: Questions, subjects: Int[Array, " question"], weights: Rows) -> "TrainQuestions":
        return cls(subjects, 1 + task.facts.vocabulary.templates + task.train_answers[subjects], weights)


def tokens_read(model: OneLayer, task: Questions, subjects: Int[Array, " question"]) -> Float[Array, "token width"]:
    """The embeddings of o, of p and of the subjects."""
    first = task.facts.vocabulary.first_subject
    return model.embeddings[jnp.concatenate([jnp.array([START, ASK]), first + subjects])]


def asking(model: OneLayer) -> Float[Array, " width"]:
    """The embedding that asks for attention."""
    return model.embeddings[ASK if model.config.query == "last" else START]


def finetuning_gradient(
    model: OneLayer,
    attention: Float[Array, "width width"],
    opened: bool,
    questions: TrainQuestions,
    tokens: Float[Array, "token width"],
    on_tokens: Hidden,
) -> tuple[Float[Array, ""], Float[Array, "width width"], Hidden]:
    """The loss, its gradient in A, and the rows of which tokens.T @ rows is that in the neurons; `on_tokens` is what
    the neurons make of the tokens."""
    config = model.config
    gain, s = config.scale / config.neurons, tokens[2:]
    w_o, w_p, w_s = on_tokens[0], on_tokens[1], on_tokens[2:]
    even = jnp.zeros(len(s), tokens.dtype)
    scores = tokens @ (asking(model) @ attention) if config.attention == "softmax" else jnp.zeros_like(tokens[:, 0])
    on_o, on_s, on_p = softmax(even + (scores[0] if opened else -jnp.inf), scores[2:], even + scores[1])

    hidden = mix((on_s, on_o, 1 + on_p), (w_s, w_o, w_p))
    active = sum_active(hidden, len(model.classes))
    logits = jnp.where(model.present, gain * active, -jnp.inf)
    nlls, residual = nll_and_residual(logits, questions.answers, questions.weights)
    loss, residual = questions.weights @ nlls, gain * residual
    back = to_active(residual, hidden)
    rows = jnp.concatenate([jnp.stack([on_o, 1 + on_p]) @ back, on_s[:, None] * back])
    if config.attention == "uniform":
        return loss, jnp.zeros_like(attention), rows

    # relu(h) = h on active neurons, so the inner product with w p follows from the logits.
    to_o, to_s = back @ w_o, dots(back, w_s)
    to_p = (dots(residual, active) - on_o * to_o - on_s * to_s) / (1 + on_p)
    mean = on_o * to_o + on_s * to_s + on_p * to_p
    pull_o, pull_p = jnp.sum(on_o * (to_o - mean)), jnp.sum(on_p * (to_p - mean))
    key = jnp.concatenate([jnp.stack([pull_o, pull_p]), on_s * (to_s - mean)]) @ tokens
    return loss, asking(model)[:, None] * key, rows
