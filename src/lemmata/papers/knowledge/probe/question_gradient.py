"""The gradient of fine-tuning in the neurons, equation (216): how much of it one direction holds, and which."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lemmata.core import Metrics
from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.probe.extraction import extracted_facts
from lemmata.papers.knowledge.task import ASK, Questions


def question_gradient(model: OneLayer, questions: Questions, key: Any = None) -> Metrics:
    """Of the mean loss over the asked subjects' questions [o s p], and over as many of their sentences [o s r] (each
    subject's first). G is a matrix of width x neurons in all; `share` is sigma_1^2 over the sum of squares, `along` is
    |cos(u_1, p)|, `common` |cos| with the mean of Xi over those prompts, `rows` the mean share of a neuron's own row
    that the leading direction keeps. Besides, what questions get."""
    facts = questions.facts
    subjects = jnp.arange(facts.vocabulary.subjects)
    sentences = jnp.concatenate([facts.prefixes(subjects), facts.template_names[facts.templates[:, 0]]], axis=1)
    said = extracted_facts(model, questions)
    found = {name: said[name] for name in ("extraction", "asked_accuracy")}
    for name, prompts in (("question", facts.prompts(subjects)), ("sentence", sentences)):
        features = jax.vmap(lambda tokens: model.features(tokens)[-1])(prompts)
        gradient = _neuron_gradient(model, questions, features)
        values, vectors = jnp.linalg.eigh(gradient @ gradient.T)
        found[f"{name}_share"] = values[-1] / jnp.sum(values)
        found[f"{name}_rows"] = _rows_kept(gradient, vectors[:, -1])
        found[f"{name}_along"] = _likeness(vectors[:, -1], model.embeddings[ASK])
        found[f"{name}_common"] = _likeness(vectors[:, -1], questions.asked_subjects @ features)
    return found


def _neuron_gradient(
    model: OneLayer, questions: Questions, features: Float[Array, "subject width"]
) -> Float[Array, "width unit"]:
    """Of the mean loss of the answers after prompts of these features, over the subjects that are asked about."""
    asked, answers = questions.asked_subjects, 1 + questions.facts.vocabulary.templates + questions.train_answers
    neurons = model.matrices()[1]

    def loss(w: Float[Array, "width neuron class"]) -> Float[Array, ""]:
        active = jax.nn.relu(jnp.einsum("sd,dmc->smc", features, w))
        logits = jnp.where(model.present, model.config.scale / model.config.neurons * jnp.sum(active, axis=1), -jnp.inf)
        log_probability = jnp.take_along_axis(jax.nn.log_softmax(logits), answers[:, None], axis=1)[:, 0]
        return -jnp.sum(jnp.where(asked, log_probability, 0)) / jnp.maximum(jnp.sum(asked), 1)

    return jax.grad(loss)(neurons).reshape(neurons.shape[0], -1)


def _rows_kept(gradient: Float[Array, "width unit"], direction: Float[Array, " width"]) -> Float[Array, ""]:
    """Of each neuron, the squared length of its row of RA_1(G) over that of G; the mean over the neurons that move, by
    a hundredth of the largest row at least."""
    rows, kept = jnp.sum(gradient**2, axis=0), (direction @ gradient) ** 2
    moves = rows >= 1e-4 * jnp.max(rows)
    return jnp.sum(jnp.where(moves, kept / jnp.where(moves, rows, 1), 0)) / jnp.sum(moves)


def _likeness(vector: Float[Array, " width"], direction: Float[Array, " width"]) -> Float[Array, ""]:
    return jnp.abs(vector @ direction) / jnp.linalg.norm(direction)
