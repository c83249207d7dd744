"""The one training loop: compiled, replicated over seeds, resumable, and watched from outside between chunks.

A record is one row of metrics followed by `every` steps. The compiled program advances any number of records from any
record, so how often the host looks in (to draw progress, to save a checkpoint) cannot change a bit of the result. The
number of steps and every number of the algorithm, its learning rate say, are arguments of the program: another value
is not another program, as long as functions and static fields are the same objects.
"""

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key, PyTree

from lemmata.core import (
    AbstractAlgorithm,
    Checkpoint,
    Metrics,
    RunContext,
    TrainState,
    Unattended,
    jax_zeros,
    optimized_jit,
    platform,
    require,
    to_jax,
)
from lemmata.core.run import SharedContext
from lemmata.train.closures import opened
from lemmata.train.history import History
from lemmata.train.replicas import concatenate, one_of, split, stack
from lemmata.train.turns import in_turns

ProbeFn = Callable[[Any, Any, Key[Array, ""]], Metrics]
Replicas = Literal["map", "vmap", "auto"]
SECONDS_BETWEEN_LOOKS = 0.5
SAVING_SHARE = 0.05  # of the time, at most, goes into checkpoints
SPARE_BYTES = 2**20  # a buffer up to this size is rounded up


def fit(
    algorithm: AbstractAlgorithm,
    task: PyTree,
    model: Any,
    key: Key[Array, ""],
    *,
    steps: int,
    every: int = 1,
    probe: ProbeFn | None = None,
    context: RunContext | None = None,
    stage: str = "train",
    brief: bool = False,
) -> tuple[Any, History]:
    """Train one model for `steps` steps; return it, and metrics of shape (record, ...)."""
    state, found = fit_many(
        algorithm,
        stack([task]),
        stack([algorithm.init(model)]),
        key[None],
        steps=steps,
        every=every,
        probe=probe,
        context=context,
        stage=stage,
        brief=brief,
    )
    return one_of(state.model, 0), History({name: values[0] for name, values in found.items()}, found.steps)


def fit_many(
    algorithm: AbstractAlgorithm,
    task: PyTree,
    state: TrainState,
    keys: Key[Array, " replica"],
    *,
    steps: int,
    every: int,
    probe: ProbeFn | None = None,
    replicas: Replicas = "map",
    context: RunContext | None = None,
    stage: str = "train",
    checkpoints: bool = True,
    brief: bool = False,
) -> tuple[TrainState, History]:
    """Train every replica for `steps` steps; return the last states and metrics of shape (replica, record, ...).

    `task` and `state` carry a leading replica axis on every array (see `stack`). Record 0 is taken before the first
    step, record r after `r * every` steps; a row holds the metrics of the step made there and, if given, the probe's.
    `map` runs replicas one after another (on a CPU this is often faster and never couples their rounding, and one
    program serves every number of them), `vmap` runs them together, `auto` maps on a CPU alone. Without `checkpoints` a
    killed run starts again: for states that take longer to write than to compute. `brief`: all steps together take less
    time than compiling them well would.
    """
    require(steps >= 0 and every >= 1 and steps % every == 0, "steps", steps, f"a multiple of every = {every}")
    context = context or Unattended()
    records = steps // every + 1
    run = _run_briefly if brief else _run_well
    together = replicas == "vmap" or (replicas == "auto" and platform() != "cpu")
    keys = jax.random.wrap_key_data(jax.random.key_data(keys))  # commit to the default device
    algorithm = jax.tree.map(lambda leaf: to_jax(leaf) if isinstance(leaf, float) else leaf, algorithm)

    # On a CPU replicas take turns outside the program: then one program serves every number of them.
    turns = split if not together and platform() == "cpu" else _all_at_once
    given = turns((task, keys))
    if probe is not None:
        probe = opened(probe, *one_of((state.model, task, keys), 0))

    states = turns(state)
    tasks, some_keys = given[0]  # all turns have one shape
    buffer = _empty(algorithm, probe, tasks, some_keys, states[0], records)
    one_chunk = partial(run, algorithm, probe, together)
    alone = partial(_train, one_chunk, records=records, every=every, checkpoints=checkpoints)
    if isinstance(context, SharedContext) and checkpoints and len(states) > 1:
        rows = [(turn, [state], [buffer]) for turn, state in zip(given, states, strict=True)]
        each = [partial(alone, [turn], state, buffers, turns=_all_at_once) for turn, state, buffers in rows]
        found = in_turns(each, records, context, stage)
    else:
        found = alone(given, states, [buffer] * len(states), context=context, stage=stage, turns=turns)
    state, rows = found
    history = {name: np.asarray(value)[:, :records] for name, value in rows.items()}
    return state, History(history, np.arange(records) * every)


def _train(
    run: Callable[..., tuple[TrainState, Metrics]],
    given: list[Any],
    states: list[TrainState],
    buffers: list[Metrics],
    *,
    records: int,
    every: int,
    checkpoints: bool,
    context: RunContext,
    stage: str,
    turns: Callable[[Any], list[Any]],
) -> tuple[TrainState, Metrics]:
    """Every turn chunk by chunk to the last record, from the checkpoint where there is one."""
    done, steps = 0, (records - 1) * every
    saved = context.load(stage) if checkpoints else None
    if saved is not None and FORM in saved.arrays:
        joined, done = _unflatten((concatenate(states), concatenate(buffers)), saved), saved.step
        states, buffers = map(turns, joined)

    def advance(start: int, stop: int) -> None:
        numbers = [to_jax(number) for number in (start, stop, records - 1, every)]
        for turn, (tasks, some_keys) in enumerate(given):
            states[turn], buffers[turn] = run(tasks, some_keys, states[turn], buffers[turn], *numbers)
        jax.block_until_ready(eqx.filter(states, eqx.is_array))

    chunk, next_save = 1, 0.0
    while done < records:
        stop = min(records, done + chunk)
        began = time.monotonic()
        advance(done, stop)
        # The first chunk also pays for compilation: grow, and let the later ones say how fast it really is.
        seconds = time.monotonic() - began
        grown = chunk * SECONDS_BETWEEN_LOOKS / max(seconds, 1e-6)
        chunk = int(min(max(grown, 1), 50 * chunk)) if done else 1 if every > 100 else 8
        done = stop
        context.progress(stage, min(done * every, steps), steps)
        if checkpoints and (time.monotonic() >= next_save or done == records):
            began = time.monotonic()
            joined = concatenate(states), concatenate(buffers)
            context.save(stage, _flatten(joined, done, {"rows": sorted(joined[1]), "every": every}))
            next_save = time.monotonic() + (time.monotonic() - began) / SAVING_SHARE
    return concatenate(states), concatenate(buffers)


def _all_at_once(stacked: Any) -> list[Any]:
    return [stacked]


def _advance(
    algorithm: AbstractAlgorithm,
    probe: ProbeFn | None,
    together: bool,
    tasks: PyTree,
    keys: Key[Array, " replica"],
    states: TrainState,
    buffers: Metrics,
    start: Int[Array, ""],
    stop: Int[Array, ""],
    last: Int[Array, ""],
    every: Int[Array, ""],
) -> tuple[TrainState, Metrics]:
    """Records `start` to `stop`: a row of each, and the steps up to the next (none after the last)."""
    dynamic, static = eqx.partition((tasks, states), eqx.is_array)
    _, state_static = static

    def one(item: tuple[PyTree, Key[Array, ""], Metrics]) -> tuple[PyTree, Metrics]:
        (task_arrays, state_arrays), key, buffer = item
        task, _ = eqx.combine((task_arrays, state_arrays), static)

        def step(arrays: PyTree, number: Int[Array, ""]) -> tuple[PyTree, Metrics]:
            state = eqx.combine(arrays, state_static)
            new, metrics = _step(algorithm, task, state, jax.random.fold_in(key, number))
            return eqx.filter(new, eqx.is_array), metrics

        def record(r: Int[Array, ""], carry: tuple[PyTree, Metrics]) -> tuple[PyTree, Metrics]:
            arrays, buffer = carry
            first = r * every
            model = eqx.combine(arrays, state_static).model
            row = _probed(probe, model, task, jax.random.fold_in(key, first)) if probe else {}
            nothing = {name: jnp.zeros_like(column[0]) for name, column in buffer.items() if name not in row}

            def go_on(i: Int[Array, ""], carry: tuple[PyTree, Metrics]) -> tuple[PyTree, Metrics]:
                new, metrics = step(carry[0], first + i)
                return new, jax.tree.map(lambda now, then: jnp.where(i == 0, now, then), metrics, carry[1])

            # The row's metrics are those of the step made there; after the last row that step is not kept.
            moved, metrics = jax.lax.fori_loop(0, jnp.where(r < last, every, 1), go_on, (arrays, nothing))
            arrays = jax.tree.map(lambda new, old: jnp.where(r < last, new, old), moved, arrays)
            row = {**metrics, **row}
            return arrays, {name: buffer[name].at[r].set(value) for name, value in row.items()}

        return jax.lax.fori_loop(start, stop, record, (state_arrays, buffer))

    run = jax.vmap(one) if together else (lambda items: jax.lax.map(one, items))
    arrays, buffers = run((dynamic, keys, buffers))
    return eqx.combine(arrays, state_static), buffers


_run_well, _run_briefly = optimized_jit(_advance), eqx.filter_jit(_advance)


def _empty(
    algorithm: AbstractAlgorithm,
    probe: ProbeFn | None,
    tasks: PyTree,
    keys: Key[Array, " replica"],
    states: TrainState,
    records: int,
) -> Metrics:
    """Room for every record of every replica, and where that costs little for more: a buffer's shape is part of the
    program, and stages that differ in their number of records alone should share one."""
    shapes = eqx.filter_eval_shape(_first_rows, algorithm, probe, tasks, keys, states)
    rounded, size = 1 << (records - 1).bit_length(), sum(s.size * s.dtype.itemsize for s in shapes.values())
    fitting = (room for least in (256, 64, 16) if size * (room := max(least, rounded)) <= SPARE_BYTES)
    room = next(fitting, records)
    return {name: jax_zeros((s.shape[0], room, *s.shape[1:]), s.dtype) for name, s in shapes.items()}


@eqx.filter_jit  # never run: its shapes are asked for, and jit remembers them from call to call
def _first_rows(
    algorithm: AbstractAlgorithm, probe: ProbeFn | None, tasks: PyTree, keys: Key[Array, " replica"], states: TrainState
) -> Metrics:
    (task, state, key), count = one_of((tasks, states, keys), 0), len(keys)
    _, metrics = _step(algorithm, task, state, key)
    row = {**metrics, **(_probed(probe, state.model, task, key) if probe else {})}
    return {name: jnp.broadcast_to(value, (count, *jnp.shape(value))) for name, value in row.items()}


_jit: Any = eqx.filter_jit  # its types do not tell of `inline`
_traced_once = partial(_jit, inline=True)  # for the shapes of a row and for the loop


@_traced_once
def _step(algorithm: AbstractAlgorithm, task: PyTree, state: TrainState, key: Key[Array, ""]) -> tuple[Any, Metrics]:
    return algorithm.step(task, state, key=key)


@_traced_once
def _probed(probe: ProbeFn, model: Any, task: PyTree, key: Key[Array, ""]) -> Metrics:
    return probe(model, task, key)


ABOUT = "about"  # JSON: the names of the recorded rows, which are the last leaves, and the steps between two records
FORM = "row first"  # marks a checkpoint whose state is that of the next record, ready for its row


def _flatten(tree: PyTree, step: int, about: dict[str, Any]) -> Checkpoint:
    """`about`: what the last leaves are, for whoever looks on; nothing resumes from it."""
    arrays = {FORM: np.asarray([1]), ABOUT: np.frombuffer(json.dumps(about).encode(), np.uint8)}
    for i, leaf in enumerate(jax.tree.leaves(eqx.filter(tree, eqx.is_array))):
        is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        arrays[f"leaf{i:05d}"] = np.asarray(jax.random.key_data(leaf) if is_key else leaf)
    return Checkpoint(step, arrays)


def _unflatten(like: PyTree, saved: Checkpoint) -> PyTree:
    arrays, static = eqx.partition(like, eqx.is_array)
    leaves, structure = jax.tree.flatten(arrays)
    restored = []
    for i, leaf in enumerate(leaves):
        array = to_jax(saved.arrays[f"leaf{i:05d}"])
        is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        restored.append(jax.random.wrap_key_data(array) if is_key else array)
    return eqx.combine(jax.tree.unflatten(structure, restored), static)
