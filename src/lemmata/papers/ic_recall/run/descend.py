"""Plain gradient descent as one compiled program for every rate and every number of steps.

`fit` compiles a program for each call. A sweep over temperatures changes rates and step counts and nothing else, so
here both are arguments of the program: a hundred temperatures cost one compilation.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key, PyTree

from lemmata.papers.ic_recall.run.algorithm_1 import perturb
from lemmata.train.descent import Loss, Where, chosen_leaves
from lemmata.train.gradient_descent import Projection


def descend(
    loss: Loss,
    where: Where,
    tasks: PyTree,
    models: Any,
    rate: float,
    steps: int,
    project: Projection | None = None,
) -> Any:
    """A stack of replicas (leading axis on every array of `tasks` and `models`) after `steps` steps of this rate."""
    return _descend(loss, where, project, tasks, models, jnp.asarray(rate), jnp.asarray(steps))


def push(where: Where, models: Any, size: float, keys: Key[Array, " replica"]) -> Any:
    """Each replica moved by its own uniform draw from a ball of this radius."""
    return _push(where, models, jnp.asarray(size), keys)


@eqx.filter_jit
def _descend(
    loss: Loss,
    where: Where,
    project: Projection | None,
    tasks: PyTree,
    models: Any,
    rate: Float[Array, ""],
    steps: Int[Array, ""],
) -> Any:
    never = jax.random.key(0)  # a full-batch loss draws nothing

    def one(task: PyTree, model: Any) -> Any:
        chosen, rest = eqx.partition(model, chosen_leaves(model, where))

        def step(_: Int[Array, ""], part: PyTree) -> PyTree:
            gradient = jax.grad(lambda part: loss(eqx.combine(part, rest), task, never))(part)
            part = jax.tree.map(lambda x, g: x - rate * g, part, gradient)
            if project is None:
                return part
            projected = project(eqx.combine(part, rest))
            return eqx.filter(projected, chosen_leaves(model, where))

        return eqx.combine(jax.lax.fori_loop(0, steps, step, chosen), rest)

    return eqx.filter_vmap(one)(tasks, models)


@eqx.filter_jit
def _push(where: Where, models: Any, size: Float[Array, ""], keys: Key[Array, " replica"]) -> Any:
    return eqx.filter_vmap(lambda model, key: perturb(model, where, size, key))(models, keys)
