"""What pre-training stored: accuracy and loss over all facts, exactly, and attention on their prefixes."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.core import Metrics
from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.task import START, Facts


def stored_facts(model: OneLayer, facts: Facts) -> Metrics:
    """Over every fact once, no sampling; names of one token.

    fact_accuracy: [o s r] gives the answer. template_accuracy: [o s] gives one of the subject's templates (any of the
    K is as good as the data allow). excess: the loss minus the least possible one, which is log(K) / 3: only the
    template is uncertain, evenly over K.
    """
    words, slots = facts.vocabulary, facts.templates.shape[1]
    subjects = jnp.arange(words.subjects)
    real = subjects < facts.num_subjects
    used = jnp.arange(slots) < facts.multiplicity
    prefixes = jnp.stack([jnp.full_like(subjects, START), words.first_subject + subjects], axis=1)

    def mean(values: Float[Array, " subject"]) -> Float[Array, ""]:
        return jnp.sum(jnp.where(real, values, 0)) / facts.num_subjects

    def of_slot(templates: Int[Array, " subject"]) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, " 3"]]:
        tokens = jnp.concatenate([prefixes, facts.template_names[templates]], axis=1)
        logits = jax.vmap(model.last)(tokens)
        answers = 1 + words.templates + subjects
        attention = jax.vmap(model.weights)(tokens)[:, -1]
        hit = (jnp.argmax(logits, axis=1) == answers).astype(logits.dtype)
        return mean(hit), mean(_surprise(logits, answers)), jax.vmap(mean, in_axes=1)(attention)

    # One slot after another: all facts at once would fill the memory at the paper's size.
    hits, surprises, on_three = jax.lax.map(of_slot, facts.templates.T)
    share = used / facts.multiplicity
    logits = jax.vmap(model.last)(prefixes)
    guess = jnp.argmax(logits, axis=1) - 1
    one_of = jnp.any((guess[:, None] == facts.templates) & used, axis=1)
    template_surprise = jax.vmap(lambda templates: _surprise(logits, 1 + templates), in_axes=1)(facts.templates)
    start = model.last(jnp.full(1, START, jnp.int32))
    dummy_surprise = _surprise(start[None], jnp.zeros(1, jnp.int32))[0]
    template_loss = mean(jnp.sum(share[:, None] * template_surprise, axis=0))
    loss = (dummy_surprise + template_loss + jnp.sum(share * surprises)) / 3
    on_two = jax.vmap(mean, in_axes=1)(jax.vmap(model.weights)(prefixes)[:, -1])
    attention = jnp.sum(share[:, None] * on_three, axis=0)
    return {
        "fact_accuracy": jnp.sum(share * hits),
        "template_accuracy": mean(one_of.astype(logits.dtype)),
        "dummy_surprise": dummy_surprise,
        "full_loss": loss,
        "excess": loss - jnp.log(facts.multiplicity.astype(loss.dtype)) / 3,
        "attention_os": on_two,
        "attention_osr": attention,
    }


def _surprise(logits: Float[Array, "row class"], targets: Int[Array, " row"]) -> Float[Array, " row"]:
    chosen = jnp.take_along_axis(logits, targets[:, None], axis=1)[:, 0]
    return jax.nn.logsumexp(logits, axis=1) - chosen
