"""What a model of facts stored, and what a question gets out of it: the answers to [o s r] and to [o s p]."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from lemmata.core import Metrics
from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.task import START, Facts, Questions


def stored_facts(model: OneLayer, facts: Facts, key: Any = None) -> Metrics:
    """Over every fact once, no sampling (a training loop's key is not used); names of one token.

    fact_accuracy: [o s r] gives the answer. template_accuracy: [o s] gives one of the subject's templates (any of the
    K is as good as the data allow). excess: the loss minus the least possible one, which is log(K) / 3 (or over
    as many as a sentence has questions): only the template is uncertain, evenly over K.
    """
    words, slots, phrase = facts.vocabulary, facts.templates.shape[1], facts.template_names.shape[1]
    subjects = jnp.arange(words.subjects)
    real = subjects < facts.num_subjects
    used = jnp.arange(slots) < facts.multiplicity
    prefixes = facts.prefixes(subjects)

    def mean(values: Float[Array, " subject"]) -> Float[Array, ""]:
        return jnp.sum(jnp.where(real, values, 0)) / facts.num_subjects

    def of_slot(templates: Int[Array, " subject"]) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, " seq"]]:
        tokens = jnp.concatenate([prefixes, facts.template_names[templates]], axis=1)
        logits = jax.vmap(model.last)(tokens)
        answers = 1 + words.templates + subjects
        attention = jax.vmap(model.weights)(tokens)[:, -1]
        hit = (jnp.argmax(logits, axis=1) == answers).astype(logits.dtype)
        nll = _nll(logits, answers)
        for word in range(1, phrase):
            before = jax.vmap(model.last)(tokens[:, : word - phrase])
            nll += _nll(before, 1 + templates + word)
        return mean(hit), mean(nll), jax.vmap(mean, in_axes=1)(attention)

    # One slot after another: all facts at once would fill the memory at the paper's size.
    hits, nlls, on_three = jax.lax.map(of_slot, facts.templates.T)
    share = used / facts.multiplicity
    logits = jax.vmap(model.last)(prefixes)
    guess = jnp.argmax(logits, axis=1) - 1
    one_of = jnp.any((guess[:, None] == facts.templates) & used, axis=1)
    template_nll = jax.vmap(lambda templates: _nll(logits, 1 + templates), in_axes=1)(facts.templates)
    start = model.last(jnp.full(1, START, jnp.int32))
    dummy_nll = _nll(start[None], jnp.zeros(1, jnp.int32))[0] if words.opened else jnp.zeros(())
    template_loss = mean(jnp.sum(share[:, None] * template_nll, axis=0))
    questions = 1 + phrase + words.opened  # a sentence
    loss = (dummy_nll + template_loss + jnp.sum(share * nlls)) / questions
    on_two = jax.vmap(mean, in_axes=1)(jax.vmap(model.weights)(prefixes)[:, -1])
    return {
        "fact_accuracy": jnp.sum(share * hits),
        "template_accuracy": mean(one_of.astype(logits.dtype)),
        "dummy_surprise": dummy_nll,
        "full_loss": loss,
        "excess": loss - jnp.log(facts.multiplicity.astype(loss.dtype)) / questions,
        "attention_os": on_two,
        "attention_osr": jnp.sum(share[:, None] * on_three, axis=0),
    }


def _nll(logits: Float[Array, "row class"], targets: Int[Array, " row"]) -> Float[Array, " row"]:
    chosen = jnp.take_along_axis(logits, targets[:, None], axis=1)[:, 0]
    return jax.nn.logsumexp(logits, axis=1) - chosen


def extracted_facts(model: OneLayer, questions: Questions, key: Any = None) -> Metrics:
    """Held-out facts alone, unless a name says otherwise; NaN where there is none of a kind. Names of one token.

    `extraction` is the share answered right, also over facts whose template is covered by fine-tuning or is not;
    `relation_fraction` and `other_fraction` are the shares answered by a relation token (the paper's picture of
    hallucination; `own_relation_fraction`: one of the subject's own) and by another subject's answer.
    `reply` is the class given to every subject's question. The last entries are by template.
    """
    facts, words = questions.facts, questions.facts.vocabulary
    subjects = jnp.arange(words.subjects)
    prompts = facts.prompts(subjects)
    logits = jax.vmap(model.last)(prompts)
    reply = jnp.argmax(logits, axis=1)
    answers = 1 + words.templates + subjects
    right = reply == answers
    relation = (reply >= 1) & (reply <= words.templates)
    used = jnp.arange(facts.templates.shape[1]) < facts.multiplicity
    own = jnp.any((reply[:, None] - 1 == facts.templates) & used, axis=1)
    covered = questions.covered[facts.templates]
    per_subject = jnp.sum(questions.test, axis=1)
    asked = questions.asked_subjects

    def share(what: Bool[Array, " subject"], weights: Float[Array, " subject"]) -> Float[Array, ""]:
        return jnp.sum(what * weights) / jnp.sum(weights)

    attention = jax.vmap(model.weights)(prompts)[:, -1]
    right_logit = jnp.take_along_axis(logits, answers[:, None], axis=1)[:, 0]
    relation_logit = jnp.take_along_axis(logits, 1 + facts.templates, axis=1)
    return {
        "extraction": share(right, per_subject),
        "extraction_covered": share(right, jnp.sum(questions.test * covered, axis=1)),
        "extraction_uncovered": share(right, jnp.sum(questions.test * ~covered, axis=1)),
        "extraction_unasked": share(right, per_subject * ~asked),  # differs from extraction where the split leaks
        "relation_fraction": share(relation, per_subject),
        "own_relation_fraction": share(own, per_subject),
        "other_fraction": share((reply > words.templates) & ~right, per_subject),
        "asked_accuracy": share(reply == 1 + words.templates + questions.train_answers, asked.astype(logits.dtype)),
        "attention_osp": jnp.sum(attention * per_subject[:, None], axis=0) / jnp.sum(per_subject),
        "reply": reply,
        "relation_logit": _by_template(relation_logit, questions),
        "answer_logit": _by_template(right_logit[:, None], questions),
        "template_extraction": _by_template(right[:, None].astype(logits.dtype), questions),
        **feature_strengths(model, questions),
    }


def feature_strengths(model: OneLayer, questions: Questions) -> Metrics:
    """(lambda / m) sum_k relu(w_ck x): how strongly a direction x alone drives a class (Lemma 15 of the fragments).

    answer_from_subject: s_j drives a_j, mean over subjects. relation_from_subject: s_j drives its own relations, mean
    over facts. By template: relation_from_ask, p drives r_i; answer_from_relation, r_i drives the answers of the
    held-out facts of that relation. Without the relu, which hides inhibition: ask_pull, what p adds to the neurons of
    r_i; ask_likeness, the correlation, over held-out answers, of what p and what r_i add to their neurons.
    """
    facts, words = questions.facts, questions.facts.vocabulary
    subjects = jnp.arange(words.subjects)
    real = subjects < facts.num_subjects
    used = real[:, None] & (jnp.arange(facts.templates.shape[1]) < facts.multiplicity)
    gain = model.config.scale / model.config.neurons

    def drive(x: Float[Array, "row width"]) -> Float[Array, "row class"]:
        w = model.matrices()[1]
        return gain * jnp.sum(jax.nn.relu(jnp.einsum("rd,dmc->rmc", x, w)), axis=1)

    neurons = gain * jnp.sum(model.matrices()[1], axis=1)  # the relu left out, a class is one direction
    ask, relations = model.embeddings[1] @ neurons, model.embeddings[words.template_slice] @ neurons
    unseen = jnp.any(questions.test > 0, axis=1)

    def centred(values: Float[Array, "row class"]) -> Float[Array, "row subject"]:
        answers = values[:, 1 + words.templates :]
        return unseen * (answers - jnp.sum(unseen * answers, axis=1, keepdims=True) / jnp.sum(unseen))

    ask_answers, relation_answers = centred(ask[None])[0], centred(relations)
    lengths = jnp.linalg.norm(relation_answers, axis=1) * jnp.linalg.norm(ask_answers)
    from_subjects = drive(model.embeddings[words.first_subject + subjects])
    from_relations = drive(model.embeddings[words.template_slice])
    from_ask = drive(model.embeddings[1:2])[0]
    own_answer = jnp.take_along_axis(from_subjects, (1 + words.templates + subjects)[:, None], axis=1)[:, 0]
    own_relations = jnp.take_along_axis(from_subjects, 1 + facts.templates, axis=1)
    answers = from_relations[facts.templates, (1 + words.templates + subjects)[:, None]]
    return {
        "answer_from_subject": jnp.sum(jnp.where(real, own_answer, 0)) / jnp.sum(real),
        "relation_from_subject": jnp.sum(jnp.where(used, own_relations, 0)) / jnp.sum(used),
        "relation_from_ask": from_ask[1 : 1 + words.templates],
        "answer_from_relation": _by_template(answers, questions),
        "ask_pull": ask[1 : 1 + words.templates],
        "ask_likeness": relation_answers @ ask_answers / lengths,
    }


def _by_template(values: Float[Array, "subject #slot"], questions: Questions) -> Float[Array, " template"]:
    """The mean over the held-out facts of each template; NaN where it has none."""
    facts = questions.facts
    total, count = (
        jnp.zeros(facts.template_order.shape[0], values.dtype).at[facts.templates].add(part)
        for part in (values * questions.test, questions.test.astype(values.dtype))
    )
    return total / count
