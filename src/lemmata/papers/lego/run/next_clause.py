"""Adam on the next-clause loss (6a), over a finite set of sentences or a fresh draw each step."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

from lemmata.core import AbstractAlgorithm, Metrics, TrainState, require
from lemmata.papers.lego.model.experimental import ExperimentalReasoner, learned
from lemmata.papers.lego.task import Lego

TOKEN = jnp.int16  # holds every vocabulary of this paper in half the memory


class SentenceSet(eqx.Module):
    """A finite set of sentences with whatever answers they were given. Steps draw from it uniformly."""

    clauses: Int[Array, "sentence clauses 5"]

    @classmethod
    def draw(cls, task: Lego, num: int, length: int, *, key: Key[Array, ""], chunk: int = 1000) -> "SentenceSet":
        """`num` sentences with their true answers. The n-th depends on the key, the length and n alone."""
        require(num >= 1, "num", num, "at least 1 sentence")

        def some(part: Int[Array, ""]) -> Int[Array, "chunk clauses 5"]:
            return task.draw(chunk, key=jax.random.fold_in(key, part), length=length).astype(TOKEN)

        drawn = jax.lax.map(some, jnp.arange(-(-num // chunk)))
        return cls(drawn.reshape(-1, *drawn.shape[2:])[:num])

    def batch(self, num: int, *, key: Key[Array, ""]) -> Int[Array, "batch clauses 5"]:
        rows = jax.random.randint(key, (num,), 0, len(self.clauses))
        return self.clauses[rows].astype(jnp.int32)


class FreshSentences(eqx.Module):
    """The distribution itself: no sentence is seen twice."""

    task: Lego
    length: int = eqx.field(static=True)

    def batch(self, num: int, *, key: Key[Array, ""]) -> Int[Array, "batch clauses 5"]:
        return self.task.draw(num, key=key, length=self.length)


def next_clause_loss(model: ExperimentalReasoner, clauses: Int[Array, "batch clauses 5"]) -> Float[Array, ""]:
    """Equation (6a) a step of the chain: the surprise of the variable and the value of every answer after the first.

    The last answer is a target only, so the pass stops before it.
    """
    length = (clauses.shape[1] - 1) // 2
    after = model.next_clauses(clauses[:, :-1], length)
    targets = clauses[:, -length:]
    surprise = optax.softmax_cross_entropy_with_integer_labels
    return jnp.mean(surprise(after.variable, targets[..., 3])) + jnp.mean(surprise(after.value, targets[..., 4]))


class AdamMemory(eqx.Module):
    """Adam's moments, and the rates: arrays, so that replicas may have their own."""

    moments: Any
    rate: Float[Array, ""]
    decay: Float[Array, ""]


class NextClauseAdam(AbstractAlgorithm):
    """Adam, with decoupled weight decay if asked for, on batches of sentences."""

    batch: int = eqx.field(static=True)
    rate: float = eqx.field(static=True, default=1e-4)  # the paper's
    decay: float = eqx.field(static=True, default=0.0)

    def init(self, model: ExperimentalReasoner) -> TrainState:
        moments = optax.scale_by_adam().init(eqx.filter(model, learned(model)))
        return TrainState(model, AdamMemory(moments, jnp.asarray(self.rate, float), jnp.asarray(self.decay, float)))

    def step(
        self, task: SentenceSet | FreshSentences, state: TrainState, *, key: Key[Array, ""]
    ) -> tuple[TrainState, Metrics]:
        memory: AdamMemory = state.opt_state
        moving, fixed = eqx.partition(state.model, learned(state.model))
        clauses = task.batch(self.batch, key=key)
        loss, gradient = jax.value_and_grad(lambda part: next_clause_loss(eqx.combine(part, fixed), clauses))(moving)
        direction, moments = optax.scale_by_adam().update(gradient, memory.moments)
        moved = jax.tree.map(lambda x, d: x - memory.rate * (d + memory.decay * x), moving, direction)
        model = eqx.combine(moved, fixed)
        return TrainState(model, AdamMemory(moments, memory.rate, memory.decay)), {"loss": loss}
