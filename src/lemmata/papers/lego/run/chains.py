"""Sentences as the losses of training read them, and the theory model's next answer on them."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lemmata.papers.lego.model import Neurons, TheoryTransformer
from lemmata.papers.lego.task import Lego

FEW = 4  # clauses


class Chains(eqx.Module):
    """Sentences of D^L; the answers may be somebody's labels."""

    heads: Int[Array, "num length"]  # x_1, ..., x_L: the predicates' first tokens
    actions: Int[Array, "num length"]
    links: Int[Array, "num length"]  # x_0, ..., x_{L-1}: their third
    named: Int[Array, "num answers"]  # the answers' variables
    values: Int[Array, "num answers"]


def draw_chains(task: Lego, keys: Key[Array, " num"], length: int, answers: int) -> Chains:
    """A sentence a key, with its first `answers` answers after y_0; actions and values are numbered from 0."""
    clauses = jax.vmap(lambda key: task.draw(1, key=key, length=length)[0])(keys)
    predicates, written = clauses[:, :length], clauses[:, length : length + answers + 1]
    return Chains(
        heads=predicates[..., 0],
        actions=predicates[..., 1] - task.vocabulary.first_action,
        links=predicates[..., 2],
        named=written[..., 3],
        values=written[..., 4] - task.vocabulary.first_value,
    )


def step_scores(
    third: Float[Array, "variables variables"], fourth: Float[Array, "variables variables"], chains: Chains, answer: int
) -> Float[Array, "num clauses"]:
    """Scores of the last answer before `answer` with the predicates and with the answers up to itself (21)."""
    query = chains.named[:, answer - 1, None]
    return jnp.concatenate([third[query, chains.links], fourth[query, chains.named[:, :answer]]], axis=1)


def next_logits(
    neurons: Neurons, weights: Float[Array, "num clauses"], chains: Chains, answer: int
) -> Float[Array, "num classes"]:
    """Of a token's classes with neurons, from every slot they read of the clauses attended to."""
    length = chains.actions.shape[1]
    on_predicates, on_answers = weights[:, :length], weights[:, length:]
    of_predicates = (chains.heads, chains.actions, chains.links)
    of_answers = (chains.named[:, :answer], chains.values[:, :answer])
    slots = [(tokens, on_predicates) for tokens in of_predicates] + [(tokens, on_answers) for tokens in of_answers]
    terms = [attended(t, *slot) for t, slot in zip(neurons.tables, slots, strict=True) if t is not None]
    return neurons.of_input(sum(terms[1:], terms[0]))


def attended(
    table: Float[Array, "tokens classes neurons"],
    tokens: Int[Array, "num clauses"],
    weights: Float[Array, "num clauses"],
) -> Float[Array, "num classes neurons"]:
    """A slot's rows by the weights of its clauses: one by one, or, where they are many, by a histogram of tokens."""
    num, clauses = tokens.shape
    rows = table.reshape(len(table), -1)
    if clauses <= FEW:
        read = sum(weights[:, k, None] * rows[tokens[:, k]] for k in range(clauses))
    else:
        mass = jnp.zeros((num, len(rows)), weights.dtype).at[jnp.arange(num)[:, None], tokens].add(weights)
        read = jnp.matmul(mass, rows, precision="highest")
    return jnp.reshape(read, (num, *table.shape[1:]))


def value_loss(
    scores: Float[Array, "num clauses"], neurons: Neurons, chains: Chains, answer: int, offset: int
) -> Float[Array, ""]:
    """Loss_5^{L,l}: the mean nll of the value of answer l under the softmax over the whole vocabulary."""
    logits = next_logits(neurons, jax.nn.softmax(scores, axis=-1), chains, answer)
    return nll(neurons, logits, chains.values[:, answer] + offset)


def nll(neurons: Neurons, logits: Float[Array, "num classes"], target: Int[Array, " num"]) -> Float[Array, ""]:
    """The mean of -log p; exact to the last digit where p is near 1."""
    right = jnp.take_along_axis(logits, target[:, None], axis=1)[:, 0]
    silent = neurons.vocab - neurons.classes  # tokens without neurons have the logit 0
    rest = jnp.full_like(logits[:, :1], jnp.log(silent) if silent else -jnp.inf)
    wrong = jnp.where(jnp.arange(neurons.classes) == target[:, None], -jnp.inf, logits)
    others = jax.nn.logsumexp(jnp.concatenate([wrong, rest], axis=1), axis=1)
    return jnp.mean(jax.nn.softplus(others - right))


def value_offset(model: TheoryTransformer) -> int:
    """Of a value's number among the classes with neurons."""
    return model.slots[4][0] - model.value.first
