"""A model that writes the next answer clause: the abstract form, with or without cached context, and its rollout.

A clause is five tokens; an answer clause is (blank, blank, blank, variable, value), so a reasoner predicts tokens 4
and 5 (Definition 3.5 gives five softmaxes; the first three tokens of an answer are deterministic).
"""

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.core import require
from lemmata.papers.lego.task import LegoConfig, action

SLOTS = 5  # tokens of a clause


def first_largest(logits: Float[Array, "*answers vocab"]) -> Int[Array, "*answers"]:
    """`argmax`, as two reductions that a CPU vectorizes: several times faster there. NaNs give the last token."""
    tokens, last = jnp.arange(logits.shape[-1]), logits.shape[-1] - 1
    largest = jnp.max(logits, axis=-1, keepdims=True)
    return jnp.min(jnp.where(logits == largest, tokens, last), axis=-1)


class NextClause(eqx.Module):
    """Logits of the two tokens of the next clause that are not blank, for any number of queries."""

    variable: Float[Array, "*answers vocab"]  # token 4
    value: Float[Array, "*answers vocab"]  # token 5

    def greedy(self) -> Int[Array, "*answers 5"]:
        """The most probable answer clause; the blank is the last token of the vocabulary."""
        blank = jnp.full(self.value.shape[:-1], self.value.shape[-1] - 1)
        written = [first_largest(self.variable), first_largest(self.value)]
        return jnp.stack([blank, blank, blank, *written], axis=-1)


class AbstractReasoner(eqx.Module):
    """One sentence of clauses in; callers vmap. A query clause sees itself and everything before it."""

    vocab: eqx.AbstractVar[int]  # how many tokens there are; the blank is the last

    @abc.abstractmethod
    def next_clause(self, clauses: Int[Array, "clauses 5"], answers: int) -> NextClause:
        """What follows each of the last `answers` clauses, in one causal pass."""

    @abc.abstractmethod
    def attention(self, clauses: Int[Array, "clauses 5"], answers: int) -> Float[Array, "head answers clauses"]:
        """From each of the last `answers` clauses to every clause; zero on later ones."""

    @abc.abstractmethod
    def begin(self, clauses: Int[Array, "clauses 5"], room: int) -> Any:
        """A cache that holds these clauses and has room for `room` more."""

    @abc.abstractmethod
    def extend(self, cache: Any, clause: Int[Array, "5"]) -> tuple[Any, NextClause]:
        """Append a clause and predict the one after it."""


def rollout(model: AbstractReasoner, clauses: Int[Array, "clauses 5"], steps: int) -> Int[Array, "total 5"]:
    """The clauses (predicates, then the known answers) and `steps` greedy answers after them (equation 9), each read
    back before the next is written. The context is read once and cached; the steps are one scan."""
    require(steps >= 1, "steps", steps, "at least 1")
    require(len(clauses) >= 2, "clauses", len(clauses), "at least a predicate and the first answer")

    def write(carry: tuple, _: None) -> tuple[tuple, Int[Array, "5"]]:
        cache, clause = carry
        cache, after = model.extend(cache, clause)
        written = after.greedy().astype(clauses.dtype)
        return (cache, written), written

    start = (model.begin(clauses[:-1], room=steps), clauses[-1])
    _, answers = jax.lax.scan(write, start, None, length=steps)
    return jnp.concatenate([clauses, answers])


def require_sizes(model: Any, task: LegoConfig) -> None:
    """Refuse a model's config of another vocabulary than its task's, and say what else to set."""
    actions, values = action(task.action).table.shape
    wanted = {"variables": task.variables, "actions": actions, "values": values}
    settings = " ".join(f"model.{name}={size}" for name, size in wanted.items())
    for name, size in wanted.items():
        given = getattr(model, name)
        require(given == size, f"model.{name}", given, f"{task.action} on {task.variables} variables needs {settings}")
