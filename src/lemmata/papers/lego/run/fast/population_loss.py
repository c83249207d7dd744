"""Equal to the value's loss of `TheoryTransformer` on every sentence of D^L, with its slope in four scores.

At step l neurons read w G[g_l] + w' (G of the other actions) + v Y[y_{l-1}] + v' (Y of the answers before). The pair
(g_l, y_{l-1}) runs over all pairs; what stands around it is a *context*. With all contexts the sum is exact. Actions
permute the values, so y_{l-1} is uniform whatever the context, and at l = 2 the value y_0 follows from y_1 and g_1.
"""

import itertools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lemmata.core import named_generator, require, to_jax
from lemmata.papers.lego.model.fast.four_scores import Attention, Scores, attention
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons, nll_and_slope, value_of_each
from lemmata.papers.lego.probe.chunks import divisor

IN_CACHE = 2**15  # logits of one chunk of contexts
ENUMERATED = 200_000  # contexts at most, where all are asked for
LOSSES = {"sum": (1, 2), "second": (2,)}  # steps: Algorithm 1's loss, and that of stage 1.2 of Algorithm 2


class Contexts(eqx.Module):
    """Of step 1 or 2 in sentences of D^L, all equally likely; for each, every pair (y_{l-1}, g_l) is asked."""

    first: Int[Array, " contexts"]  # an action of the others: at step 2 that of the first predicate
    others: Float[Array, "contexts actions"]  # how often each action stands in the other predicates
    before: Float[Array, "values contexts values"]  # how often each value stands in the other answers, by y_{l-1}
    length: Float[Array, ""]
    step: Float[Array, ""]


class Labels(eqx.Module):
    """Answers somebody wrote instead of the true ones, by true y_1, context and g_2 of step 2."""

    first: Int[Array, "values contexts actions"]
    second: Int[Array, "values contexts actions"]


def contexts(
    table: Int[np.ndarray, "action value"], *, length: int, step: int, drawn: int | None = None, seed: int = 0
) -> Contexts:
    """All of them, or `drawn` at random by the seed's name. A draw is even in the first predicate's action, as far as
    it goes, and random in the rest."""
    require(step in (1, 2), "answers", step, "steps 1 or 2: later ones have more answers before them")
    require(length >= 2, "length", length, "at least 2")
    actions, values = table.shape
    if drawn is None:
        few = actions ** (length - 1) <= ENUMERATED
        require(few, "contexts", drawn, f"a number: at length {length} there are {actions}^{length - 1} of them")
        rest = np.array(list(itertools.product(range(actions), repeat=length - 1)))
    else:
        stream = named_generator(seed, "contexts", f"length {length}")
        rounds = [stream.permutation(actions) for _ in range(-(-drawn // actions))]
        first = np.concatenate(rounds)[:drawn, None]
        rest = np.concatenate([first, stream.integers(0, actions, (drawn, length - 2))], axis=1)
    others = np.zeros((len(rest), actions))
    np.add.at(others, (np.arange(len(rest))[:, None], rest), 1)
    before = np.zeros((values, len(rest), values))
    if step == 2:  # the first of the others is g_1, and y_0 is what it sends to y_1
        before = (table[rest[:, 0]][None] == np.arange(values)[:, None, None]).astype(float)
    count = [to_jax(number, float) for number in (length, step)]
    return Contexts(to_jax(rest[:, 0]), to_jax(others), to_jax(before), *count)


def population(
    table: Int[np.ndarray, "action value"],
    losses: str = "sum",
    *,
    length: int = 2,
    drawn: int | None = None,
    seed: int = 0,
) -> Contexts:
    """Of every step that the losses ask for, along a leading axis: on all of D^L, or on contexts drawn from it."""
    found = [contexts(table, length=length, step=step, drawn=drawn, seed=seed) for step in LOSSES[losses]]
    return jax.tree.map(lambda *parts: jnp.stack(parts), *found)


def population_loss(
    neurons: ValueNeurons,
    table: Int[Array, "action value"],
    scores: Scores,
    every_step: Contexts,
    labels: Labels | None = None,
) -> tuple[Float[Array, ""], Scores]:
    """The sum of Loss_5^{L,l} over the steps asked for, and its derivative in the scores. Labels are of step 2."""

    def add(so_far: tuple[Array, Scores], around: Contexts) -> tuple[tuple[Array, Scores], None]:
        weights, pull = jax.vjp(lambda s: attention(s, around.length, around.step), scores)
        loss, by_weight = weight_slopes(neurons, table, weights, around, labels)
        return (so_far[0] + loss, so_far[1] + pull(by_weight)[0]), None

    return jax.lax.scan(add, (jnp.zeros(()), jnp.zeros(4)), every_step)[0]


def weight_slopes(
    neurons: ValueNeurons,
    table: Int[Array, "action value"],
    weights: Attention,
    around: Contexts,
    labels: Labels | None = None,
) -> tuple[Float[Array, ""], Attention]:
    """The mean nll over contexts and pairs, and its derivative in what each kind of clause gets.

    By chunks of contexts, and by neurons within them, so that a chunk's logits stay in the cache.
    """
    others = jnp.einsum("rjg,kg->rjk", neurons.actions, around.others, precision="highest")[:, :, None, :]
    before = jnp.einsum("rjz,ykz->rjyk", neurons.values, around.before, precision="highest")
    pair = weights.predicate * neurons.actions[:, :, None, :] + weights.answer * neurons.values[..., None]
    context = weights.other_predicate * others + weights.other_answer * before
    num, truth = context.shape[-1], value_of_each(table)
    size = divisor(num, IN_CACHE // truth.size)

    def some(so_far: tuple[Array, Array, Array], chunk: tuple[Array, Labels | None]) -> tuple[Any, Array]:
        found = _over_neurons(neurons, table, pair, chunk[0], weights.answer, chunk[1])
        return tuple(old + new for old, new in zip(so_far, found[:3], strict=True)), found[3]

    start = (jnp.zeros(()), jnp.zeros(()), jnp.zeros_like(pair))
    chunked = (_chunks(context, 3, size), jax.tree.map(lambda part: _chunks(part, 1, size), labels))
    (loss, relabelled, by_pair), by_context = jax.lax.scan(some, start, chunked)
    by_context = jnp.moveaxis(by_context, 0, -2).reshape(context.shape)
    slopes = (
        jnp.sum(by_pair * neurons.actions[:, :, None, :]),
        jnp.sum(by_context * others),
        jnp.sum(by_pair * neurons.values[..., None]) + relabelled,
        jnp.sum(by_context * before),
        jnp.zeros(()),  # epsilon is not read
    )
    count = num * table.size
    return loss / count, Attention(*(slope / count for slope in slopes))


def _over_neurons(
    neurons: ValueNeurons,
    table: Int[Array, "action value"],
    pair: Float[Array, "neurons classes values actions"],
    context: Float[Array, "neurons classes values chunk"],
    answer: Float[Array, ""],
    labels: Labels | None,
) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, "..."], Float[Array, "..."]]:
    """Summed over a chunk: the nll; its derivative in the answer's weight as far as labels differ from the truth;
    and what a change of each pair's, and each context's, reading would do."""
    classes = jnp.arange(table.shape[1])
    each = (neurons.speaks, neurons.values, pair, context)

    def relabelled(values: Float[Array, "classes values"]) -> Array:
        """What the label says instead of the true y_1."""
        return jnp.zeros(()) if labels is None else values[:, labels.first] - values[:, :, None, None]

    def read(values: Array, pair: Array, context: Array) -> Array:
        true = pair[:, :, None, :] + context[..., None]
        return true if labels is None else true + answer * relabelled(values)

    shape = (len(classes), table.shape[1], context.shape[-1], table.shape[0])
    logits = neurons.logits(read, shape, *each[1:])
    target = table.T[:, None, :] if labels is None else labels.second
    loss, by_logit = nll_and_slope(logits, classes[:, None, None, None] == target, neurons)

    def pull(so_far: Array, neuron: tuple[Array, ...]) -> tuple[Array, tuple[Array, Array]]:
        speaks, *parts = neuron
        moved = speaks * by_logit * neurons.slope(read(*parts))
        so_far = so_far if labels is None else so_far + jnp.sum(moved * relabelled(parts[0]))
        return so_far, (jnp.sum(moved, axis=2), jnp.sum(moved, axis=3))

    label_slope, (by_pair, by_context) = jax.lax.scan(pull, jnp.zeros(()), each)
    return jnp.sum(loss), label_slope, by_pair, by_context


def _chunks(array: Array, axis: int, size: int) -> Array:
    """Parts of `size` along an axis, in front."""
    shape = (*array.shape[:axis], array.shape[axis] // size, size, *array.shape[axis + 1 :])
    return jnp.moveaxis(array.reshape(shape), axis, 0)
