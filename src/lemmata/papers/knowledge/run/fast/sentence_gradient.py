"""Equals `jax.grad` of `plain.pretraining_loss`: the loss and its gradient in closed form, for names of one token.

A step's rows are [o] (one row, with its weight), [o s] and [o s r]; where sentences do not begin with o, [s] and [s r],
which are the same sums with no attention to o. What makes it quick on a CPU:
- neurons act on tokens, not on rows: w Xi is a combination of w o, w s and w r, and w s serves two rows. With fewer
  subjects than sentences each subject's [o s] is one row, which counts as often as it was drawn; with fewer relations
  than sentences each relation's w r is computed once;
- back, the rows that read a token are added before the product, where that makes it cheaper;
- the gradient with respect to the attention weights is <dH, w x> on those same products, so the usual third matrix
  product (back to Xi) is not needed; and since relu(h) = h on active neurons, one of each row's inner products
  follows from the logits;
- sums over a class's neurons are written as additions of slices, which the compiler turns into one vectorised pass.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.run.fast.neuron_sums import (
    dots,
    grouped_nll_and_residual,
    mix,
    nll_and_residual,
    softmax,
    sum_active,
    to_active,
)
from lemmata.papers.knowledge.task import START, Facts


class SentenceNLL(NamedTuple):
    dummy: Float[Array, ""]  # at d after [o]; 0 where sentences do not begin with o
    relation: Float[Array, " batch"]
    answer: Float[Array, " batch"]

    def loss(self, opened: bool = True) -> Float[Array, ""]:
        """The mean next-token loss over the prefixes of each sentence."""
        return (self.dummy + jnp.mean(self.relation) + jnp.mean(self.answer)) / (2 + opened)


def sentence_gradient(
    model: OneLayer, facts: Facts, subjects: Int[Array, " batch"], templates: Int[Array, " batch"]
) -> tuple[SentenceNLL, Float[Array, "width width"], Float[Array, "width neuron class"]]:
    """The loss at each prefix of each sentence, and the gradients of the mean in A and w."""
    words, batch, classes = facts.vocabulary, len(subjects), len(model.classes)
    (a, w), width = model.matrices(), model.config.width
    gain = model.config.scale / model.config.neurons
    opened, few_subjects, few_relations = words.opened, words.subjects < batch, words.templates < batch
    # The rows [o s] are those of s; each sentence has its place among the rows of s and of r.
    of_s = jnp.arange(words.subjects) if few_subjects else subjects
    of_r = jnp.arange(words.templates) if few_relations else templates
    reads = [jnp.array([START]), words.template_slice.start + of_r, words.first_subject + of_s]
    tokens, after_r = model.embeddings[jnp.concatenate(reads)], 1 + len(of_r)
    o, r, s = tokens[0], tokens[1:after_r], tokens[after_r:]
    has_relation = (jnp.arange(len(of_r))[:, None] == templates).astype(w.dtype)  # which relation each sentence has

    def each_s(rows: Array) -> Array:
        return rows[subjects] if few_subjects else rows

    def each_r(rows: Array) -> Array:
        return rows[templates] if few_relations else rows

    # Attention of [o s] and of [o s r].
    if model.config.attention == "uniform":
        to_two, to_three = [jnp.zeros(len(s), s.dtype)] * 2, [jnp.zeros(batch, s.dtype)] * 3
    elif model.config.query == "last":
        asks = tokens[1:] @ a
        by_r, by_s = asks[: len(r)], asks[len(r) :]
        to_two = [by_s @ o, dots(by_s, s)]
        to_three = [each_r(by_r @ o), dots(each_r(by_r), each_s(s)), each_r(dots(by_r, r))]
    else:
        scores = tokens @ (o @ a)
        to_two = [jnp.full(len(s), scores[0]), scores[after_r:]]
        to_three = [jnp.full(batch, scores[0]), each_s(scores[after_r:]), each_r(scores[1:after_r])]
    if not opened:
        to_two[0], to_three[0] = (jnp.full_like(scores[0], -jnp.inf) for scores in (to_two, to_three))
    a_o, a_s = softmax(*to_two)
    b_o, b_s, b_r = softmax(*to_three)

    # What the neurons make of each token, and of each row.
    on_tokens = tokens @ w.reshape(width, -1)
    w_o, w_r, w_s = on_tokens[0], each_r(on_tokens[1:after_r]), each_s(on_tokens[after_r:])
    h_one = 2 * w_o[None]
    h_two = mix((1 + a_s, a_o), (on_tokens[after_r:], w_o))
    h_three = mix((1 + b_r, b_o, b_s), (w_r, w_o, w_s))
    active = [sum_active(hidden, classes) for hidden in (h_one, h_two, h_three)]
    one, two, three = (jnp.where(model.present, gain * total, -jnp.inf) for total in active)

    questions = 2 + opened  # a sentence
    share = 1 / (questions * batch)  # of the loss, for a row of one sentence
    dummy, of_one = nll_and_residual(one, jnp.full(1, 0 if opened else 1), opened / questions)  # any, if not asked
    if few_subjects:
        relation, of_two = grouped_nll_and_residual(two, subjects, 1 + templates, share)
    else:
        relation, of_two = nll_and_residual(two, 1 + templates, share)
    answer, of_three = nll_and_residual(three, 1 + words.templates + subjects, share)
    losses = SentenceNLL(opened * dummy[0], relation, answer)
    r_one, r_two, r_three = (gain * residual for residual in (of_one, of_two, of_three))
    d_one, d_two, d_three = to_active(r_one, h_one), to_active(r_two, h_two), to_active(r_three, h_three)

    summed = [b_o[None], (1 + b_r) * has_relation] + [b_s * (jnp.arange(len(s))[:, None] == subjects)] * few_subjects
    if few_relations and len(tokens) * width + sum(map(len, summed)) * batch < (len(s) + batch) * width:
        on_tokens = jnp.concatenate(summed) @ d_three
        on_o, on_r = on_tokens[:1] + 2 * d_one + a_o @ d_two, on_tokens[1:after_r]
        on_s = (1 + a_s)[:, None] * d_two + (on_tokens[after_r:] if few_subjects else b_s[:, None] * d_three)
        w_gradient = tokens.T @ jnp.concatenate([on_o, on_r, on_s])
    else:
        x_two, x_three = mix((1 + a_s, a_o), (s, o)), mix((1 + b_r, b_o, b_s), (each_r(r), o, each_s(s)))
        w_gradient = x_two.T @ d_two + x_three.T @ d_three + (2 * o)[:, None] * d_one
    w_gradient = w_gradient.reshape(w.shape)
    if model.config.attention == "uniform":
        return losses, jnp.zeros_like(a), w_gradient

    two_o, three_o, three_s = d_two @ w_o, d_three @ w_o, dots(d_three, w_s)
    two_s = (dots(r_two, active[1]) - a_o * two_o) / (1 + a_s)
    three_r = (dots(r_three, active[2]) - b_o * three_o - b_s * three_s) / (1 + b_r)
    mean_two = a_o * two_o + a_s * two_s
    mean_three = b_o * three_o + b_s * three_s + b_r * three_r
    key_two = mix((a_o * (two_o - mean_two), a_s * (two_s - mean_two)), (o, s))
    pulls = (b_o * (three_o - mean_three), b_s * (three_s - mean_three), b_r * (three_r - mean_three))
    key_three = mix(pulls, (o, each_s(s), each_r(r)))
    if model.config.query == "first":
        return losses, o[:, None] * (jnp.sum(key_two, axis=0) + jnp.sum(key_three, axis=0)), w_gradient
    keys = [has_relation @ key_three if few_relations else key_three, key_two]
    return losses, tokens[1:].T @ jnp.concatenate(keys), w_gradient
