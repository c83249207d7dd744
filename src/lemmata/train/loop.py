"""The one training loop: compiled, replicated over seeds, resumable, and watched from outside between chunks.

A record is `every` steps followed by one row of metrics. The compiled program advances any number of records from
any record, so how often the host looks in (to draw progress, to save a checkpoint) cannot change a bit of the result.
"""

import time
from collections.abc import Callable
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key, PyTree

from lemmata.core import AbstractAlgorithm, Checkpoint, Metrics, RunContext, TrainState, Unattended, require

ProbeFn = Callable[[Any, Any, Key[Array, ""]], Metrics]
SECONDS_BETWEEN_LOOKS = 0.5
SAVING_SHARE = 0.05  # of the time, at most, goes into checkpoints


def fit(
    algorithm: AbstractAlgorithm,
    task: PyTree,
    state: TrainState,
    keys: Key[Array, " replica"],
    *,
    steps: int,
    every: int,
    probe: ProbeFn | None = None,
    replicas: Literal["map", "vmap"] = "map",
    context: RunContext | None = None,
    stage: str = "train",
    checkpoints: bool = True,
) -> tuple[TrainState, dict[str, np.ndarray]]:
    """Train every replica for `steps` steps; return the last states and metrics of shape (replica, record).

    `task` and `state` carry a leading replica axis on every array (see `stack`). Record 0 is taken before the first
    step, record r after `r * every` steps; a row holds the step's own metrics and, if given, the probe's.
    `map` runs replicas one after another (on a CPU this is often faster and never couples their rounding);
    `vmap` runs them together. Without `checkpoints` a killed run starts again: for states that take longer to write
    than to compute.
    """
    require(steps >= 0 and every >= 1 and steps % every == 0, "steps", steps, f"a multiple of every = {every}")
    context = context or Unattended()
    records = steps // every + 1
    dynamic, static = eqx.partition((task, state), eqx.is_array)
    keys = jax.random.wrap_key_data(jax.random.key_data(keys))  # commit to the default device

    def row(task: PyTree, state: TrainState, key: Key[Array, ""], step: Int[Array, ""]) -> Metrics:
        _, metrics = algorithm.step(task, state, key=jax.random.fold_in(key, step))
        probed = probe(state.model, task, jax.random.fold_in(key, step)) if probe else {}
        return {**metrics, **probed}

    def advance_one(
        dynamic: PyTree, key: Key[Array, ""], buffer: Metrics, start: Any, stop: Any
    ) -> tuple[PyTree, Metrics]:
        task, state = eqx.combine(dynamic, static)
        _, state_static = eqx.partition(state, eqx.is_array)

        def one_step(carry: PyTree, step: Int[Array, ""]) -> tuple[PyTree, None]:
            new, _ = algorithm.step(task, eqx.combine(carry, state_static), key=jax.random.fold_in(key, step))
            return eqx.filter(new, eqx.is_array), None

        def one_record(r: Int[Array, ""], carry: tuple[PyTree, Metrics]) -> tuple[PyTree, Metrics]:
            arrays, buffer = carry
            # Record 0 has no steps before it; the trip count is traced so that the program is the same.
            first = (r - 1) * every
            count = jnp.where(r > 0, every, 0)
            arrays = jax.lax.fori_loop(0, count, lambda i, a: one_step(a, first + i)[0], arrays)
            values = row(task, eqx.combine(arrays, state_static), key, r * every)
            buffer = {name: buffer[name].at[r].set(value) for name, value in values.items()}
            return arrays, buffer

        arrays = eqx.filter(state, eqx.is_array)
        arrays, buffer = jax.lax.fori_loop(start, stop, one_record, (arrays, buffer))
        return arrays, buffer

    @jax.jit
    def advance(
        dynamic: PyTree, buffer: Metrics, start: Int[Array, ""], stop: Int[Array, ""]
    ) -> tuple[PyTree, Metrics]:
        def one(item: tuple[PyTree, Key[Array, ""], Metrics]) -> tuple[PyTree, Metrics]:
            return advance_one(*item, start, stop)

        run = jax.vmap(one) if replicas == "vmap" else (lambda items: jax.lax.map(one, items))
        return run((dynamic, keys, buffer))

    def empty() -> Metrics:
        def first_row(item: tuple[PyTree, Key[Array, ""]]) -> Metrics:
            task, state = eqx.combine(item[0], static)
            return row(task, state, item[1], jnp.asarray(0))

        shapes = jax.eval_shape(jax.vmap(first_row), (dynamic, keys))
        return {n: jnp.zeros((s.shape[0], records, *s.shape[1:]), s.dtype) for n, s in shapes.items()}

    task_arrays, state_arrays = dynamic
    buffer, done = empty(), 0
    saved = context.load(stage) if checkpoints else None
    if saved is not None:
        (state_arrays, buffer), done = _unflatten((state_arrays, buffer), saved), saved.step
    chunk, next_save = 1, 0.0
    while done < records:
        stop = min(records, done + chunk)
        began = time.monotonic()
        state_arrays, buffer = advance((task_arrays, state_arrays), buffer, jnp.asarray(done), jnp.asarray(stop))
        jax.block_until_ready(state_arrays)
        # The first chunk also pays for compilation: grow, and let the later ones say how fast it really is.
        seconds = time.monotonic() - began
        grown = chunk * SECONDS_BETWEEN_LOOKS / max(seconds, 1e-6)
        chunk = int(min(max(grown, 1), 50 * chunk)) if done else 1 if every > 100 else 8
        done = stop
        context.progress(stage, min(done * every, steps), steps)
        if checkpoints and (time.monotonic() >= next_save or done == records):
            began = time.monotonic()
            context.save(stage, _flatten((state_arrays, buffer), done))
            next_save = time.monotonic() + (time.monotonic() - began) / SAVING_SHARE
    state = eqx.combine((task_arrays, state_arrays), static)[1]
    return state, {name: np.asarray(value) for name, value in buffer.items()}


def stack(items: list[Any]) -> Any:
    """Pytrees of one shape, stacked along a new leading replica axis on every array."""
    return jax.tree.map(lambda *xs: jnp.stack(xs) if eqx.is_array(xs[0]) else xs[0], *items)


def _flatten(tree: PyTree, step: int) -> Checkpoint:
    arrays = {}
    for i, leaf in enumerate(jax.tree.leaves(tree)):
        is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        arrays[f"leaf{i:05d}"] = np.asarray(jax.random.key_data(leaf) if is_key else leaf)
    return Checkpoint(step, arrays)


def _unflatten(like: PyTree, saved: Checkpoint) -> PyTree:
    leaves, structure = jax.tree.flatten(like)
    restored = []
    for i, leaf in enumerate(leaves):
        array = jnp.asarray(saved.arrays[f"leaf{i:05d}"])
        is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        restored.append(jax.random.wrap_key_data(array) if is_key else array)
    return jax.tree.unflatten(structure, restored)
