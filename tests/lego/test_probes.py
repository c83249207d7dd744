"""Probes against plain loops, on a model built by hand that really reasons."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from lego_oracles import accuracy, rolled_out, teacher_forced
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import (
    accuracy_of_prefixes,
    attention_at_lengths,
    features,
    fitting_chunk,
    heatmap,
    query_diagonals,
    wilson,
)
from lemmata.papers.lego.task import Lego, LegoConfig
from lemmata.train import stack

TASK = Lego.create(LegoConfig(action="C3", variables=10, length=3))
LOUD = 8.0


def solver(predicate: float = 9.0, answer: float = 9.0) -> TheoryTransformer:
    """Features exactly as in (17), the right diagonals in Q: it answers every step right when they are large."""
    v, table = TASK.vocabulary, np.asarray(TASK.table)
    config = TheoryConfig(variables=v.variables, actions=v.actions, values=v.values, width=v.values, clip=10.0)
    blank = jax.eval_shape(lambda: TheoryTransformer.create(config, key=jax.random.key(0)))
    model = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), blank)
    classes, neurons = np.arange(v.values)[None, :, None], np.arange(v.values)[None, None, :]
    of_action = np.where(table[:, None, :] == classes, LOUD, -LOUD)  # neuron r of class j answers to y = r
    of_value = np.broadcast_to(np.where(np.arange(v.values)[:, None, None] == neurons, LOUD, -LOUD), (v.values,) * 3)
    of_variable = np.zeros((v.variables, v.variables, v.values))
    of_variable[np.arange(v.variables), np.arange(v.variables), 0] = 2 * LOUD
    leaves = (
        predicate * jnp.eye(v.variables),
        answer * jnp.eye(v.variables),
        jnp.asarray(of_variable, jnp.float32),
        jnp.asarray(of_action, jnp.float32),
        jnp.asarray(of_value, jnp.float32),
    )
    model = eqx.tree_at(
        lambda m: (m.query_third, m.query_fourth, m.variable.tables[0], m.value.tables[1], m.value.tables[4]),
        model,
        leaves,
    )
    for token in ("variable", "value"):
        parts = (jnp.ones(v.values), jnp.ones(()), jnp.full((), 100.0))
        model = eqx.tree_at(
            lambda m, token=token: (getattr(m, token).speaks, getattr(m, token).rho, getattr(m, token).bound),
            model,
            parts,
        )
    return model


def test_accuracy_against_a_plain_loop() -> None:
    """At the longest length the sentences are those a plain draw gives."""
    keys = jax.random.split(jax.random.key(1), 2)
    models = [solver(diagonal, diagonal) for diagonal in (9.0, 0.5)]
    found = accuracy_of_prefixes(stack(models), TASK, (2, 3), key=keys, num=24)
    for i, model in enumerate(models):
        plain = eqx.filter_jit(accuracy)(model, TASK, key=keys[i], length=3, num=24)
        for name, value in plain.items():
            assert found[name][i, 1] == pytest.approx(float(value), abs=1e-6)
    assert found["both"][0, 1] == 1
    assert found["both"][1, 1] < 0.9


def test_rollout_equals_the_parallel_pass_where_both_tokens_are_right() -> None:
    """A model that is sometimes wrong: up to and with a sentence's first mistake the two agree, step by step."""
    model = solver(0.5, 0.5)
    clauses = TASK.draw(64, key=jax.random.key(2))
    both = eqx.filter_jit(jax.vmap(lambda m, c: (teacher_forced(m, c), rolled_out(m, c)), in_axes=(None, 0)))
    parallel, rolled = both(model, clauses)
    right = np.asarray(parallel.variable & parallel.value)
    before = np.concatenate([np.ones((64, 1), bool), np.cumprod(right, axis=1)[:, :-1].astype(bool)], axis=1)
    assert 0.1 < right.all(axis=1).mean() < 0.95
    for token in ("variable", "value"):
        assert np.array_equal(np.asarray(getattr(rolled, token))[before], np.asarray(getattr(parallel, token))[before])
    assert np.array_equal(np.asarray(rolled.variable & rolled.value).all(axis=1), right.all(axis=1))


def test_lengths_intervals_and_replicas() -> None:
    good, poor = solver(), solver(0.0, 0.0)
    keys = jax.random.split(jax.random.key(3), 2)
    found = accuracy_of_prefixes(stack([good, poor]), TASK, (1, 9), key=keys, num=32)
    assert found["values"].shape == (2, 2)
    assert found["both"][0].tolist() == [1, 1]
    assert found["both"][1, 0] == 1, "one step needs no routing: uniform attention is the right one"
    assert found["both"][1, 1] == 0
    alone = accuracy_of_prefixes(stack([good]), TASK, (9,), key=keys[:1], num=32)
    assert alone["step"][0, 0] == found["step"][0, 1]


def test_wilson_is_scipys() -> None:
    for hits, trials in ((0, 10), (3, 10), (10, 10), (499, 1000)):
        low, high = wilson(hits / trials, trials)
        known = stats.binomtest(hits, trials).proportion_ci(0.95, method="wilson")
        assert (float(low), float(high)) == pytest.approx((known.low, known.high), abs=1e-9)


def test_concentration_is_the_softmax_of_the_diagonals() -> None:
    seen = attention_at_lengths(stack([solver(3.0, 2.0)]), TASK, (6,), key=jax.random.key(0)[None], num=8)[6]
    found, steps = {name: value[0] for name, value in seen.items()}, np.arange(1, 7)
    others = 6 + steps - 2  # clauses of score 0
    np.testing.assert_allclose(found["epsilon"], others / (others + np.exp(3) + np.exp(2)), rtol=1e-5)
    np.testing.assert_allclose(found["predicate"] / found["answer"], np.full(6, np.e), rtol=1e-4)
    np.testing.assert_allclose(found["gap"], found["predicate"] - found["answer"], rtol=1e-4)


def test_heatmap_has_two_diagonals_and_follows_a_permutation() -> None:
    order = jnp.array([2, 0, 1])
    read = eqx.filter_jit(lambda m, order: heatmap(m, TASK, key=jax.random.key(0), num=8, order=order))
    plain, moved = (np.asarray(read(solver(), chosen)) for chosen in (None, order))
    assert plain.shape == (3, 6)
    np.testing.assert_allclose(plain.sum(axis=1), 1, rtol=1e-5)
    assert np.all(np.diagonal(plain[:, :3]) > 0.49)
    assert np.all(np.diagonal(plain[:, 3:]) > 0.49)
    np.testing.assert_allclose(moved[:, :3], plain[:, :3][:, np.asarray(order)], atol=1e-6)


def test_weights_tell_who_learned_what() -> None:
    model = solver()
    strength = np.asarray(features(model).over_fibres(TASK.table))  # [class, neuron, value]
    assert np.array_equal(np.argmax(strength, axis=1), np.broadcast_to(np.arange(3), (3, 3)))
    np.testing.assert_allclose(strength.max(axis=1), LOUD)
    np.testing.assert_allclose(np.sort(strength, axis=1)[:, -2], -LOUD)
    diagonals = query_diagonals(model)
    assert (float(diagonals["third_diagonal"]), float(diagonals["fourth_rest"])) == (9.0, 0.0)


def test_chunks() -> None:
    assert fitting_chunk(100, 5, 50) == 100
    assert fitting_chunk(100, 160, 300) == 10
    assert fitting_chunk(7, 10**6, 300) == 1
