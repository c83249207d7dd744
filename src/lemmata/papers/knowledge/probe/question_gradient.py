"""The gradient of fine-tuning in the neurons, equation (216): how much of it one direction holds, and which."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.core import Metrics
from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.probe.extraction import extracted_facts
from lemmata.papers.knowledge.task import ASK, Questions


def question_gradient(model: OneLayer, questions: Questions, key: Any = None) -> Metrics:
    """Of the mean loss over the asked subjects' questions [o s p], and over as many of their sentences [o s r] (each
    subject's first). G is a matrix of width x neurons in all; `share` is sigma_1^2 over the sum of squares, `along` is
    |cos(u_1, p)|. Besides, what questions get."""
    facts = questions.facts
    subjects = jnp.arange(facts.vocabulary.subjects)
    sentences = jnp.concatenate([facts.prefixes(subjects), facts.template_names[facts.templates[:, 0]]], axis=1)
    found = {"extraction": extracted_facts(model, questions)["extraction"]}
    for name, prompts in (("question", facts.prompts(subjects)), ("sentence", sentences)):
        share, along = _leading(_neuron_gradient(model, questions, prompts), model.embeddings[ASK])
        found |= {f"{name}_share": share, f"{name}_along": along}
    return found


def _neuron_gradient(
    model: OneLayer, questions: Questions, prompts: Int[Array, "subject seq"]
) -> Float[Array, "width unit"]:
    """Of the mean loss of the answers after these prompts, over the subjects that are asked about."""
    asked, answers = questions.asked_subjects, 1 + questions.facts.vocabulary.templates + questions.taught
    features = jax.vmap(lambda tokens: model.features(tokens)[-1])(prompts)
    neurons = model.matrices()[1]

    def loss(w: Float[Array, "width neuron class"]) -> Float[Array, ""]:
        active = jax.nn.relu(jnp.einsum("sd,dmc->smc", features, w))
        logits = jnp.where(model.present, model.config.scale / model.config.neurons * jnp.sum(active, axis=1), -jnp.inf)
        chance = jnp.take_along_axis(jax.nn.log_softmax(logits), answers[:, None], axis=1)[:, 0]
        return -jnp.sum(jnp.where(asked, chance, 0)) / jnp.maximum(jnp.sum(asked), 1)

    return jax.grad(loss)(neurons).reshape(neurons.shape[0], -1)


def _leading(
    gradient: Float[Array, "width unit"], direction: Float[Array, " width"]
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    values, vectors = jnp.linalg.eigh(gradient @ gradient.T)
    along = jnp.abs(vectors[:, -1] @ direction) / jnp.linalg.norm(direction)
    return values[-1] / jnp.sum(values), along
