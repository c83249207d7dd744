"""Edits of the one-layer model, and filters that say which of its leaves learn."""

from typing import Literal

import equinox as eqx
import jax
from jaxtyping import PyTree

from lemmata.papers.knowledge.model.low_rank import Factors
from lemmata.papers.knowledge.model.one_layer import OneLayer

Part = Literal["both", "attention", "neurons"]


def low_rank_factors(
    shape: tuple[int, int, int], rank: int, part: Part, seed: int
) -> tuple[Factors | None, Factors | None]:
    """For A and for w, where `shape` is that of w: (width, neuron, class)."""
    d, m, c = shape
    attention = None if part == "neurons" else Factors.create(d, d, rank, seed, "attention")
    neurons = None if part == "attention" else Factors.create(d, m * c, rank, seed, "neurons")
    return attention, neurons


def with_factors(model: OneLayer, attention: Factors | None, neurons: Factors | None) -> OneLayer:
    """The model (or a stack of them) with these low-rank updates."""
    where = lambda one: (one.attention_update, one.neuron_update)  # noqa: E731
    return eqx.tree_at(where, model, (attention, neurons), is_leaf=lambda leaf: leaf is None)


def with_low_rank(model: OneLayer, rank: int, part: Part, seed: int) -> OneLayer:
    """The same function of its input, with thin factors beside A, w or both."""
    d, m, c = model.neurons.shape
    return with_factors(model, *low_rank_factors((d, m, c), rank, part, seed))


def merged(model: OneLayer) -> OneLayer:
    """The low-rank updates added to the matrices they change."""
    a, w = model.matrices()
    return with_factors(eqx.tree_at(lambda one: (one.attention, one.neurons), model, (a, w)), None, None)


def learned(model: OneLayer, part: Part = "both") -> PyTree:
    """True on the leaves that learn: the factors where the model has them, the matrices where it does not."""
    nothing = jax.tree.map(lambda _: False, model)
    chosen = []
    if part != "neurons":
        chosen.append("attention" if model.attention_update is None else "attention_update")
    if part != "attention":
        chosen.append("neurons" if model.neuron_update is None else "neuron_update")
    for name in chosen:
        everything = jax.tree.map(lambda _: True, getattr(model, name))
        nothing = eqx.tree_at(lambda one, name=name: getattr(one, name), nothing, everything)
    return nothing
