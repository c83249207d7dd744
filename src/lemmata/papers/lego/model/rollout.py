"""Chain of thought by a model itself: each greedy answer clause is read back before the next is written."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from lemmata.core import require
from lemmata.papers.lego.model.reasoner import AbstractReasoner


def rollout(model: AbstractReasoner, clauses: Int[Array, "clauses 5"], steps: int) -> Int[Array, "total 5"]:
    """The clauses (predicates, then the known answers) and `steps` greedy answers after them (equation 9).

    The context is read once and cached; the steps are one scan.
    """
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
