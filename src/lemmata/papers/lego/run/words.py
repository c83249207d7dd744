"""The word problem (Definition 2.1) by chain of thought: words as sentences, and a model's verdict on each."""

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from lemmata.core import named_generator, to_jax
from lemmata.papers.lego.model import AbstractReasoner, rollout
from lemmata.papers.lego.task import Action, Vocabulary
from lemmata.train import unstack


def words_decided(
    models: AbstractReasoner, acting: Action, variables: int, num: int, length: int, seeds: Sequence[int]
) -> Bool[np.ndarray, "seed word"]:
    """Where the verdict of stacked models on "is this word the identity" is right; every other word is."""
    found = []
    for model, seed in zip(unstack(models), seeds, strict=True):
        stream = named_generator(seed, "words")
        clauses, truth = words(acting, variables, num, length, stream)
        found.append(np.asarray(says_identity(model, to_jax(clauses), length)) == truth)
    return np.array(found)


def words(
    acting: Action, variables: int, num: int, length: int, stream: np.random.Generator
) -> tuple[Int[np.ndarray, "num values clauses 5"], Bool[np.ndarray, " num"]]:
    """Words g_1, ..., g_L as sentences, one for each first value, and whether they are the identity: every other one is
    made so by its last letter, and the rest are as they come."""
    v, group = Vocabulary(variables, acting.num_actions, acting.num_values), acting.group
    letters = stream.integers(group.order, size=(num, length))
    product = np.full(num, group.identity)
    for position in range(length):
        if position == length - 1:
            letters[::2, position] = group.inverses[product[::2]]
        product = group.table[letters[:, position], product]
    x = np.argsort(stream.random((num, variables)), axis=1)[:, : length + 1]
    sentences = np.full((num, v.values, length + 1, 5), v.blank)
    sentences[:, :, :-1, :3] = np.stack([x[:, 1:], letters + v.first_action, x[:, :-1]], axis=2)[:, None]
    sentences[:, :, -1, 3] = x[:, :1]
    sentences[:, :, -1, 4] = v.first_value + np.arange(v.values)
    return sentences, product == group.identity


@eqx.filter_jit
def says_identity(
    model: AbstractReasoner, clauses: Int[Array, "num values clauses 5"], length: int
) -> Bool[Array, " num"]:
    """Chain of thought from every first value: the word is the identity if each comes back."""

    def returns(given: Int[Array, "clauses 5"]) -> Bool[Array, ""]:
        return rollout(model, given, length)[-1, 4] == given[-1, 4]

    return jnp.all(jax.vmap(jax.vmap(returns))(clauses), axis=1)
