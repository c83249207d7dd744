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

from lemmata.core import AbstractModel, Trace, require

SLOTS = 5  # tokens of a clause
BLANK_LOGIT = 30.0  # of the blank where it is certain: the other tokens of any vocabulary share less than 1e-9


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


class AbstractReasoner(AbstractModel):
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

    def __call__(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq vocab"]:
        """Next-token logits on flattened clauses. Those of a clause's tokens 4 and 5 depend on the clauses before it;
        tokens 1-3 are taken for blanks, as they are in every answer clause."""
        return self._flat(*self._clauses(tokens))

    def trace(self, tokens: Int[Array, " seq"]) -> Trace:
        """Attention is between clauses: the head in the place of the layer. No residual stream is shown."""
        clauses, seq = self._clauses(tokens)
        return Trace(
            attention=self.attention(clauses, len(clauses)),
            residuals=jnp.zeros((0, seq, 0)),
            logits=self._flat(clauses, seq),
        )

    def _clauses(self, tokens: Int[Array, " seq"]) -> tuple[Int[Array, "clauses 5"], int]:
        """A last clause that is cut short is filled with blanks: nothing before it sees them."""
        seq = len(tokens)
        missing = -seq % SLOTS
        return jnp.pad(tokens, (0, missing), constant_values=self.vocab - 1).reshape(-1, SLOTS), seq

    def _flat(self, clauses: Int[Array, "clauses 5"], seq: int) -> Float[Array, "{seq} vocab"]:
        after = self.next_clause(clauses, len(clauses))
        blank = BLANK_LOGIT * jnp.ones_like(after.value) * (jnp.arange(self.vocab) == self.vocab - 1)
        before_first = jnp.zeros_like(after.value[:1])  # nothing is known before the first clause
        variable = jnp.concatenate([before_first, after.variable[:-1]])
        value = jnp.concatenate([before_first, after.value[:-1]])
        # Position s of a clause predicts its position s + 1; the last predicts the next clause's first.
        return jnp.stack([blank, blank, variable, value, blank], axis=1).reshape(-1, self.vocab)[:seq]


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
