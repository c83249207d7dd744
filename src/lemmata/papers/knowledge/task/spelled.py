"""Spelled facts for a decoder with learned positions: a prompt as long as a relation phrase, and worlds of one shape.

A decoder learns where an answer stands. With one prompt token the answer to `o s p` would begin four places before
those it has been seen at in `o s r a`; with the prompt repeated to the length of a name it stands in its place.
"""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from lemmata.core import Batch, require
from lemmata.papers.knowledge.task.facts import Facts
from lemmata.papers.knowledge.task.questions import Questions
from lemmata.papers.knowledge.task.vocabulary import ASK


def padded(facts: Facts, *, subjects: int, templates: int, slots: int) -> Facts:
    """The same world in larger arrays: no number that a sample shows changes, and worlds of one shape stack."""
    n, k = facts.templates.shape
    r = facts.template_names.shape[0]
    for name, size, real in (("subjects", subjects, n), ("templates", templates, r), ("slots", slots, k)):
        require(size >= real, name, size, f"at least the world's own {real}")

    def grown(array: Int[Array, "..."], *sizes: int) -> Int[Array, "..."]:
        return jnp.pad(array, [(0, size - old) for size, old in zip(sizes, array.shape, strict=True)])

    letters = facts.vocabulary.name_length
    return dataclasses.replace(
        facts,
        templates=grown(facts.templates, subjects, slots),
        subject_order=jnp.concatenate([facts.subject_order, jnp.arange(n, subjects, dtype=jnp.int32)]),
        template_order=jnp.concatenate([facts.template_order, jnp.arange(r, templates, dtype=jnp.int32)]),
        subject_names=grown(facts.subject_names, subjects, letters),
        template_names=grown(facts.template_names, templates, letters),
        answer_names=grown(facts.answer_names, subjects, letters),
        vocabulary=dataclasses.replace(facts.vocabulary, templates=templates, subjects=subjects),
    )


def phrase_questions(
    facts: Facts, subjects: Int[Array, " batch"], answers: Int[Array, " batch"] | None = None
) -> Batch:
    """Questions `o s p...p a`, the loss on a alone; other `answers` than the subjects' own make a wrong lesson."""
    length = facts.vocabulary.name_length
    told = facts.sentences(subjects, jnp.zeros_like(subjects))
    taught = facts.answer_names[subjects if answers is None else answers]
    tokens = told.tokens.at[:, length + 1 : 2 * length + 1].set(ASK).at[:, 2 * length + 1 :].set(taught)
    following = jnp.concatenate([tokens[:, 1:], jnp.zeros_like(tokens[:, :1])], axis=1)
    return Batch(tokens, following, told.mask & (jnp.arange(tokens.shape[1]) >= 2 * length))


class PhraseQuestions(eqx.Module):
    """A fine-tuning set whose questions have the form above."""

    questions: Questions

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        subjects = self.questions.draw(num, key=key)
        return phrase_questions(self.questions.facts, subjects, self.questions.taught[subjects])
