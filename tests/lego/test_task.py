"""The distribution D^L against exact statistics."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Bool, Int
from scipy import stats

from lemmata.core import UserError, named_key
from lemmata.papers.lego.task import CLAUSE, Lego, LegoConfig, Vocabulary, action, distinct, permute_predicates


def consistent(
    table: Int[Array, "action value"], clauses: Int[Array, "num clauses 5"], variables: int
) -> Bool[Array, " num"]:
    """Whether every answer that a predicate links to another answer agrees with it (Definition 2.2)."""
    vocabulary = Vocabulary(variables, *table.shape)
    predicate = clauses[..., 3] == vocabulary.blank
    new, old, acting = clauses[..., 0], clauses[..., 2], clauses[..., 1] - vocabulary.first_action
    named, value = clauses[..., 3], clauses[..., 4] - vocabulary.first_value
    # [num, clause, answer]: the answers to a predicate's two variables
    on_new = predicate[:, :, None] & ~predicate[:, None, :] & (new[:, :, None] == named[:, None, :])
    on_old = predicate[:, :, None] & ~predicate[:, None, :] & (old[:, :, None] == named[:, None, :])
    given_new = jnp.max(jnp.where(on_new, value[:, None, :], -1), axis=2)
    given_old = jnp.max(jnp.where(on_old, value[:, None, :], -1), axis=2)
    moved = table[jnp.maximum(acting, 0) % vocabulary.actions, jnp.maximum(given_old, 0)]
    linked = (given_new >= 0) & (given_old >= 0)
    return jnp.all(~linked | (moved == given_new), axis=1)


@pytest.mark.parametrize(("pool", "count"), [(4, 3), (9, 9)])
def test_distinct_is_uniform_over_ordered_samples(pool: int, count: int) -> None:
    """Both methods: comparisons up to eight, a scan beyond."""
    num = 24_000
    drawn = np.asarray(distinct(pool, count, num, key=jax.random.key(pool)))
    assert np.all(np.diff(np.sort(drawn, axis=1), axis=1) > 0)
    for one, other in itertools.combinations(range(min(count, 3)), 2):
        pairs = np.bincount(drawn[:, one] * pool + drawn[:, other], minlength=pool**2).reshape(pool, pool)
        off = pairs[~np.eye(pool, dtype=bool)]
        assert pairs.trace() == 0
        assert stats.chisquare(off).pvalue > 1e-4
    if pool == 4:
        triples = np.bincount(drawn @ np.array([16, 4, 1]), minlength=64)
        assert (triples > 0).sum() == 24
        assert stats.chisquare(triples[triples > 0]).pvalue > 1e-4
    last = np.bincount(drawn[:, -1], minlength=pool)
    assert stats.chisquare(last).pvalue > 1e-4


@pytest.mark.parametrize(("name", "length", "variables"), [("S5", 5, 41), ("C6", 30, 31), ("S4:pairs", 2, 3)])
def test_sentences_are_what_the_paper_says(name: str, length: int, variables: int) -> None:
    task = Lego.create(LegoConfig(action=name, variables=variables, length=length))
    table, vocabulary = action(name).table, task.vocabulary
    clauses = np.asarray(task.draw(50, key=named_key(0, "data")))
    assert clauses.shape == (50, 2 * length + 1, CLAUSE)
    predicates, answers = clauses[:, :length], clauses[:, length:]
    x, g = answers[..., 3], predicates[..., 1] - vocabulary.first_action
    y = answers[..., 4] - vocabulary.first_value
    assert np.all(np.diff(np.sort(x, axis=1), axis=1) > 0), "variables are drawn without replacement"
    assert np.array_equal(predicates[..., 0], x[:, 1:])
    assert np.array_equal(predicates[..., 2], x[:, :-1])
    assert np.array_equal(table[g, y[:, :-1]], y[:, 1:])
    assert np.all(predicates[..., 3:] == vocabulary.blank)
    assert np.all(answers[..., :3] == vocabulary.blank)
    assert vocabulary.size == variables + table.shape[0] + table.shape[1] + 1


def test_actions_and_first_values_are_uniform_and_a_seed_is_a_seed() -> None:
    task = Lego.create(LegoConfig(action="S3", variables=9, length=3))
    clauses = np.asarray(task.draw(6000, key=jax.random.key(1)))
    joint = (clauses[:, 0, 1] - 9) * 3 + clauses[:, 3, 4] - task.vocabulary.first_value
    assert stats.chisquare(np.bincount(joint, minlength=18)).pvalue > 1e-4
    assert np.array_equal(clauses, np.asarray(task.draw(6000, key=jax.random.key(1))))
    assert not np.array_equal(clauses, np.asarray(task.draw(6000, key=jax.random.key(2))))


def test_the_longest_chain_uses_every_variable() -> None:
    task = Lego.create(LegoConfig(action="C2", variables=40))
    clauses = task.draw(3, key=jax.random.key(0), length=39)
    assert np.array_equal(np.sort(np.asarray(clauses[:, 39:, 3]), axis=1), np.broadcast_to(np.arange(40), (3, 40)))
    for length in (40, 0):
        with pytest.raises(UserError, match="length"):
            task.draw(3, key=jax.random.key(0), length=length)


def test_batches_ask_for_variables_and_values_alone() -> None:
    task = Lego.create(LegoConfig(action="C6", variables=8, length=2))
    batch = task.sample(5, key=jax.random.key(0))
    clauses = np.asarray(task.draw(5, key=jax.random.key(0)))
    targets = np.asarray(batch.targets)[np.asarray(batch.mask)].reshape(5, 2, 2)
    assert np.array_equal(targets, clauses[:, 3:, 3:])
    assert np.array_equal(np.asarray(batch.targets[:, :-1]), np.asarray(batch.tokens[:, 1:]))


def test_permuted_predicates_are_the_same_sentences() -> None:
    task = Lego.create(LegoConfig(action="S4", variables=20, length=6))
    clauses = task.draw(40, key=jax.random.key(0))
    shuffled = permute_predicates(clauses, jax.random.key(1))
    assert np.array_equal(np.asarray(shuffled[:, 6:]), np.asarray(clauses[:, 6:]))
    moved = 0
    for before, after in zip(np.asarray(clauses[:, :6]), np.asarray(shuffled[:, :6]), strict=True):
        assert sorted(map(tuple, before.tolist())) == sorted(map(tuple, after.tolist()))
        moved += not np.array_equal(before, after)
    assert moved > 30
    assert np.all(np.asarray(consistent(task.table, shuffled, 20)))


def test_a_wrong_answer_is_inconsistent() -> None:
    task = Lego.create(LegoConfig(action="S5", variables=20, length=6))
    clauses = task.draw(40, key=jax.random.key(0))
    first = task.vocabulary.first_value
    wrong = clauses.at[:, 9, 4].set(first + (clauses[:, 9, 4] - first + 1) % 5)
    assert bool(jnp.all(consistent(task.table, clauses, 20)))
    assert not bool(jnp.any(consistent(task.table, wrong, 20)))
