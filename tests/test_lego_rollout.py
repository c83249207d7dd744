"""Rollout against plain greedy decoding by the parallel pass, clause by clause."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import install_import_hook

with install_import_hook("lemmata", "typechecker.check_types"):
    from lemmata.core import UserError, named_key
    from lemmata.models.lego import TheoryConfig, TheoryTransformer, rollout
    from lemmata.tasks.lego import Lego, LegoConfig

LENGTH = 4
TASK = Lego.create(LegoConfig(action="C6", variables=9, length=LENGTH))
CONFIG = TheoryConfig(variables=9, actions=6, values=6, width=4, scale=0.5)


def constructed() -> TheoryTransformer:
    """A model that is right by construction: every pair has its own neuron, attention looks at the two clauses."""
    model = TheoryTransformer.create(CONFIG, key=named_key(0, "init"))
    x, big = CONFIG.variables, 200.0
    same = big * jnp.eye(x)
    actions, values = jnp.zeros((6, 6, 6)), jnp.zeros((6, 6, 6))
    for action in range(6):
        for value in range(6):
            answer = int(TASK.table[action, value])
            actions = actions.at[action, answer, value].set(8.0).at[:, answer, value].add(-4.0)
            values = values.at[value, answer, value].set(8.0).at[:, answer, value].add(-1.0)
    return eqx.tree_at(
        lambda m: (m.query_third, m.query_fourth, m.variable.tables[0], m.value.tables[1], m.value.tables[4]),
        eqx.tree_at(lambda m: (m.variable.speaks, m.value.speaks), model, (jnp.ones(1), jnp.ones(6))),
        (same, same, 8.0 * jnp.eye(x)[:, :, None], actions, values),
    )


def test_rollout_equals_the_parallel_pass_where_both_tokens_are_right() -> None:
    model, clauses = constructed(), TASK.draw(16, key=named_key(0, "data"))
    rolled = jax.jit(jax.vmap(lambda c: rollout(model, c, LENGTH)))(clauses[:, : LENGTH + 1])
    parallel = jax.vmap(lambda c: model.next_clause(c, LENGTH).greedy())(clauses[:, :-1])
    right = np.all(np.asarray(parallel == clauses[:, LENGTH + 1 :]), axis=-1)
    so_far = np.logical_and.accumulate(right, axis=1)
    assert so_far.mean() > 0.9
    written = np.asarray(rolled[:, LENGTH + 1 :])
    np.testing.assert_array_equal(written[so_far], np.asarray(parallel)[so_far])
    np.testing.assert_array_equal(rolled[:, : LENGTH + 1], clauses[:, : LENGTH + 1])


def test_rollout_equals_decoding_without_a_cache_also_where_it_is_wrong() -> None:
    model = TheoryTransformer.create(CONFIG, key=named_key(1, "init"))
    clauses = TASK.draw(4, key=named_key(1, "data"))[:, : LENGTH + 1]
    rolled = jax.jit(jax.vmap(lambda c: rollout(model, c, 3)))(clauses)
    slow = clauses
    for _ in range(3):
        after = jax.vmap(lambda c: model.next_clause(c, 1).greedy()[0])(slow)
        slow = jnp.concatenate([slow, after[:, None]], axis=1)
    np.testing.assert_array_equal(rolled, slow)


def test_no_steps_are_refused() -> None:
    with pytest.raises(UserError, match="steps = 0"):
        rollout(constructed(), TASK.draw(1, key=named_key(0, "data"))[0, :2], 0)
