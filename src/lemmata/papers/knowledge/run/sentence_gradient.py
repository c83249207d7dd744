"""The pre-training loss and its gradient in closed form, for names of one token: what `jax.grad` gives, in less time.

A step's rows are [o] (one row, with its weight), [o s] and [o s r]; where sentences do not begin with o, [s] and [s r],
which are the same sums with no attention to o. Three things make it quick on a CPU:
- neurons act on tokens, not on rows: w Xi is a combination of w o, w s and w r, and w s serves two rows;
- the gradient with respect to the attention weights is <dH, w x> on those same products, so the usual third matrix
  product (back to Xi) is not needed; and since relu(h) = h on active neurons, one of each row's inner products
  follows from the logits;
- sums over a class's neurons are written as additions of slices, which the compiler turns into one vectorised pass.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.task import START, Facts

Rows = Float[Array, " batch"]
Hidden = Float[Array, "rows unit"]


def sentence_gradient(
    model: OneLayer, facts: Facts, subjects: Int[Array, " batch"], templates: Int[Array, " batch"]
) -> tuple[Float[Array, ""], Float[Array, "width width"], Float[Array, "width neuron class"]]:
    """The mean next-token loss over the prefixes of each sentence, and its gradients in A and w."""
    words, batch, classes = facts.vocabulary, len(subjects), len(model.classes)
    a, w = model.matrices()
    flat = w.reshape(w.shape[0], -1)
    gain = model.config.scale / model.config.neurons
    relations = model.embeddings[words.template_slice]
    o, s, r = model.embeddings[START], model.embeddings[words.first_subject + subjects], relations[templates]

    # Attention of [o s] and of [o s r].
    opened, absent = words.opened, jnp.full(batch, -jnp.inf, o.dtype)
    asks_two, asks_three = (s, r) if model.config.query == "last" else (jnp.broadcast_to(o, s.shape),) * 2
    if model.config.attention == "uniform":
        even = jnp.zeros(batch, o.dtype)
        a_o, a_s = _softmax(even if opened else absent, even)
        b_o, b_s, b_r = _softmax(even if opened else absent, even, even)
    else:
        to_o, two_query, three_query = a @ o, asks_two @ a, asks_three @ a
        a_o, a_s = _softmax(asks_two @ to_o if opened else absent, _dots(two_query, s))
        first = asks_three @ to_o if opened else absent
        b_o, b_s, b_r = _softmax(first, _dots(three_query, s), _dots(three_query, r))

    # What the neurons make of each token, and of each row.
    if len(relations) < batch:
        on_tokens = jnp.concatenate([o[None], relations, s]) @ flat
        w_o, w_r, w_s = on_tokens[0], on_tokens[1:][templates], on_tokens[1 + len(relations) :]
    else:
        on_tokens = jnp.concatenate([o[None], r, s]) @ flat
        w_o, w_r, w_s = on_tokens[0], on_tokens[1 : 1 + batch], on_tokens[1 + batch :]
    h_two = (1 + a_s)[:, None] * w_s + a_o[:, None] * w_o
    h_three = (1 + b_r)[:, None] * w_r + b_o[:, None] * w_o + b_s[:, None] * w_s
    rows = (2 * w_o[None], h_two, h_three)
    targets = (jnp.full(1, 0 if opened else 1), 1 + templates, 1 + len(relations) + subjects)  # any, if not asked

    loss = jnp.zeros((), w.dtype)
    active_sums, residuals = [], []
    for hidden, target, asked in zip(rows, targets, (opened, True, True), strict=True):
        total = _sum_active(hidden, classes)
        logits = jnp.where(model.present, gain * total, -jnp.inf)
        chance = jax.nn.log_softmax(logits, axis=1)
        hit = jnp.arange(classes) == target[:, None]
        weight = asked / ((2 + opened) * len(target))
        loss = loss - weight * jnp.sum(jnp.where(hit, chance, 0))
        active_sums.append(total)
        residuals.append((jnp.exp(chance) - hit) * (gain * weight))
    d_one, d_two, d_three = (_to_active(res, hidden) for res, hidden in zip(residuals, rows, strict=True))

    x_two = (1 + a_s)[:, None] * s + a_o[:, None] * o
    x_three = (1 + b_r)[:, None] * r + b_o[:, None] * o + b_s[:, None] * s
    w_gradient = x_two.T @ d_two + x_three.T @ d_three + (2 * o)[:, None] * d_one
    if model.config.attention == "uniform":
        return loss, jnp.zeros_like(a), w_gradient.reshape(w.shape)

    two_o, three_o, three_s = d_two @ w_o, d_three @ w_o, _dots(d_three, w_s)
    two_s = (_dots(residuals[1], active_sums[1]) - a_o * two_o) / (1 + a_s)
    three_r = (_dots(residuals[2], active_sums[2]) - b_o * three_o - b_s * three_s) / (1 + b_r)
    mean_two = a_o * two_o + a_s * two_s
    mean_three = b_o * three_o + b_s * three_s + b_r * three_r
    key_two = (a_o * (two_o - mean_two))[:, None] * o + (a_s * (two_s - mean_two))[:, None] * s
    key_three = (b_o * (three_o - mean_three))[:, None] * o + (b_s * (three_s - mean_three))[:, None] * s
    key_three = key_three + (b_r * (three_r - mean_three))[:, None] * r
    return loss, asks_two.T @ key_two + asks_three.T @ key_three, w_gradient.reshape(w.shape)


def _softmax(*scores: Rows) -> list[Rows]:
    """Of a few scores a row, kept apart: stacking them would cost more than the sums."""
    top = jnp.stack(scores).max(axis=0)
    parts = [jnp.exp(score - top) for score in scores]
    total = sum(parts[1:], parts[0])
    return [part / total for part in parts]


def _dots(first: Float[Array, "batch inner"], second: Float[Array, "batch inner"]) -> Rows:
    return jnp.sum(first * second, axis=1)


def _sum_active(hidden: Hidden, classes: int) -> Float[Array, "rows class"]:
    """relu, summed over the neurons of each class."""
    parts = [jax.nn.relu(hidden[:, i : i + classes]) for i in range(0, hidden.shape[1], classes)]
    return sum(parts[1:], parts[0])


def _to_active(residual: Float[Array, "rows class"], hidden: Hidden) -> Hidden:
    """The residual of a class, at each of its neurons that is active."""
    step = residual.shape[1]
    parts = [jnp.where(hidden[:, i : i + step] > 0, residual, 0) for i in range(0, hidden.shape[1], step)]
    return jnp.concatenate(parts, axis=1)
