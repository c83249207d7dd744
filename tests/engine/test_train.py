"""The loop and its descents: one model or many, resumed or not, at any rate by one program."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jaxtyping import Array, Float, Key

from lemmata.core import AbstractAlgorithm, Checkpoint, named_key, named_keys, precision
from lemmata.train import (
    AdamWConfig,
    Autodiff,
    Descent,
    GradientDescent,
    History,
    SGDConfig,
    concatenate,
    fit,
    fit_many,
    one_of,
    only,
    split,
    stack,
    unstack,
)
from lemmata.train.closures import opened

SEEDS = (0, 1, 2)


class Pair(eqx.Module):
    moving: Float[Array, " n"]
    still: Float[Array, " n"]


def moving(pair: Pair) -> Any:
    return pair.moving


def noisy_loss(model: Pair, target: Float[Array, " n"], key: Key[Array, ""]) -> Float[Array, ""]:
    noise = 0.01 * jax.random.normal(key, target.shape)
    return jnp.sum((model.moving * model.still - target + noise) ** 2)


def still_there(model: Pair, target: Any, key: Any) -> dict[str, Array]:
    return {"still": model.still.sum(), "model": model.moving}


ALGORITHMS: dict[str, AbstractAlgorithm] = {
    "gradient descent": GradientDescent(noisy_loss, moving, 0.1),
    "adam": Descent(Autodiff(noisy_loss), only(moving), optax.adam, 0.1),
    "adamw": Descent(Autodiff(noisy_loss), only(moving), AdamWConfig(weight_decay=0.1, clip=1.0), 0.1),
    "sgd": Descent(Autodiff(noisy_loss), only(moving), SGDConfig(), 0.05),
}


def problem(algorithm: AbstractAlgorithm) -> tuple[Any, Any, Any]:
    targets = jnp.stack([jnp.full(3, 1.0 + seed) for seed in SEEDS])
    models = [Pair(jnp.zeros(3), jnp.ones(3)) for _ in SEEDS]
    return targets, stack([algorithm.init(model) for model in models]), named_keys(SEEDS, "train")


class Killed(Exception):
    pass


class DiesOnce:
    """Keeps checkpoints; the first one kills."""

    def __init__(self) -> None:
        self.saved: dict[str, Checkpoint] = {}

    def progress(self, stage: str, done: int, total: int) -> None:
        pass

    def save(self, stage: str, checkpoint: Checkpoint) -> None:
        first = stage not in self.saved
        self.saved[stage] = checkpoint
        if first:
            raise Killed

    def load(self, stage: str) -> Checkpoint | None:
        return self.saved.get(stage)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_resumed_equals_uninterrupted(name: str) -> None:
    algorithm, context = ALGORITHMS[name], DiesOnce()
    whole, history = fit_many(algorithm, *problem(algorithm), steps=60, every=3, probe=still_there)
    with pytest.raises(Killed):
        fit_many(algorithm, *problem(algorithm), steps=60, every=3, probe=still_there, context=context)
    assert 0 < context.saved["train"].step < 21
    resumed, again = fit_many(algorithm, *problem(algorithm), steps=60, every=3, probe=still_there, context=context)
    np.testing.assert_array_equal(whole.model.moving, resumed.model.moving)
    for metric in history:
        np.testing.assert_array_equal(history[metric], again[metric])


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_replica_alone_is_the_replica_among_others(name: str) -> None:
    algorithm = ALGORITHMS[name]
    tasks, states, keys = problem(algorithm)
    together, history = fit_many(algorithm, tasks, states, keys, steps=20, every=5)
    model, alone = fit(algorithm, tasks[1], one_of(states, 1).model, keys[1], steps=20, every=5)
    np.testing.assert_array_equal(model.moving, together.model.moving[1])
    np.testing.assert_array_equal(alone["loss"], history["loss"][1])
    np.testing.assert_array_equal(alone.steps, [0, 5, 10, 15, 20])
    np.testing.assert_array_equal(together.model.still, np.ones((3, 3)))


def test_records_are_of_the_steps_that_are_made() -> None:
    algorithm = ALGORITHMS["gradient descent"]
    tasks, states, keys = problem(algorithm)
    _, history = fit_many(algorithm, tasks, states, keys, steps=6, every=2, probe=still_there)
    state, expected = one_of(states, 0), []
    for step in range(7):
        new, metrics = algorithm.step(tasks[0], state, key=jax.random.fold_in(keys[0], step))
        if step % 2 == 0:
            expected.append((float(metrics["loss"]), np.asarray(state.model.moving)))
        state = new
    np.testing.assert_allclose(history["loss"][0], [loss for loss, _ in expected], rtol=1e-6)
    np.testing.assert_allclose(history["model"][0], np.stack([model for _, model in expected]), rtol=1e-6)


def test_another_rate_or_number_of_steps_or_of_replicas_is_not_another_program() -> None:
    traced = []

    def counting(model: Pair, target: Any, key: Any) -> Any:
        traced.append(1)
        return noisy_loss(model, target, key)

    counts = []
    for rate, steps, replicas in ((0.1, 10, 3), (0.2, 10, 3), (0.3, 40, 3), (0.1, 10, 2)):
        algorithm = Descent(Autodiff(counting), only(moving), optax.adam, rate)
        some = jax.tree.map(lambda leaf, replicas=replicas: leaf[:replicas], problem(algorithm))
        fit_many(algorithm, *some, steps=steps, every=steps // 2)
        counts.append(len(traced))
    assert counts == counts[:1] * 4


def test_together_and_in_turn_give_the_same_numbers() -> None:
    algorithm = ALGORITHMS["gradient descent"]
    in_turn, rows = fit_many(algorithm, *problem(algorithm), steps=20, every=5, probe=still_there)
    together, others = fit_many(algorithm, *problem(algorithm), steps=20, every=5, probe=still_there, replicas="vmap")
    np.testing.assert_allclose(in_turn.model.moving, together.model.moving, rtol=1e-5)
    for name in rows:
        np.testing.assert_allclose(rows[name], others[name], rtol=1e-5)


def test_stacks_part_and_join_with_every_bit() -> None:
    algorithm = ALGORITHMS["gradient descent"]
    whole = problem(algorithm)
    parts = split(whole)
    assert [len(keys) for _, _, keys in parts] == [1, 1, 1]
    for part, again in zip(jax.tree.leaves(whole), jax.tree.leaves(concatenate(parts)), strict=True):
        if eqx.is_array(part):
            same = (
                jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x for x in (part, again)
            )
            np.testing.assert_array_equal(*same)


def test_rates_in_float64_keep_every_digit() -> None:
    with precision("float64"):
        algorithm = GradientDescent(noisy_loss, moving, 0.1)
        tasks, states, keys = problem(algorithm)
        state, _ = fit_many(algorithm, tasks, states, keys, steps=1, every=1)
        gradient = jax.grad(lambda m: noisy_loss(m, tasks[0], jax.random.fold_in(keys[0], 0)))(one_of(states, 0).model)
        np.testing.assert_allclose(state.model.moving[0], -0.1 * gradient.moving, rtol=1e-15)


def test_history_writes_the_long_table() -> None:
    history = History({"loss": np.arange(6.0).reshape(2, 3), "maps": np.zeros((2, 3, 4))}, np.array([0, 5, 10]))
    table = history.table(seed=(7, 8), half=np.array([0, 1]))
    assert {name: list(values) for name, values in table.items()} == {
        "seed": [7, 7, 7, 8, 8, 8],
        "half": [0, 0, 0, 1, 1, 1],
        "step": [0, 5, 10, 0, 5, 10],
        "loss": [0, 1, 2, 3, 4, 5],
    }


def test_stacks_come_apart_again() -> None:
    items = [Pair(jnp.full(2, i), jnp.zeros(2)) for i in range(3)]
    for one, back in zip(items, unstack(stack(items)), strict=True):
        np.testing.assert_array_equal(one.moving, back.moving)
    assert named_keys((0, 5), "x")[1] == named_key(5, "x")


def test_arrays_in_a_probe_are_no_part_of_the_program() -> None:
    def probe_around(sample: Array) -> Any:
        return lambda model, target, key: {"near": jnp.sum(model.moving * sample)}

    algorithm = ALGORITHMS["gradient descent"]
    tasks, states, keys = problem(algorithm)
    one, other = (probe_around(jnp.arange(3.0) + number) for number in (0, 1))
    args = one_of((states.model, tasks, keys), 0)
    found, again = opened(one, *args), opened(other, *args)
    texts = [eqx.filter_jit(lambda f, *a: f(*a)).lower(f, *args).as_text() for f in (found, again)]
    assert texts[0] == texts[1], "the same program with other samples"
    assert opened(one, *args) is found
    rows = [
        fit_many(algorithm, tasks, states, keys, steps=4, every=2, probe=probe)[1]["near"] for probe in (one, other)
    ]
    model = fit_many(algorithm, tasks, states, keys, steps=4, every=2)[0].model.moving
    np.testing.assert_allclose(rows[1][:, -1] - rows[0][:, -1], model.sum(axis=1), rtol=1e-5)
