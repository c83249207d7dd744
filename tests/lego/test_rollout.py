"""Rollout against plain greedy decoding by the parallel pass, clause by clause."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import install_import_hook

with install_import_hook("lemmata", "typechecker.check_types"):
    from lemmata.core import UserError, named_key
    from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer, rollout
    from lemmata.papers.lego.task import Lego, LegoConfig, action

LENGTH = 4
TASK = Lego.create(LegoConfig(action="C6", variables=9, length=LENGTH))
CONFIG = TheoryConfig(variables=9, actions=6, values=6, width=4, scale=0.5)


@eqx.filter_jit
def drawn(seed: int) -> TheoryTransformer:
    return TheoryTransformer.create(CONFIG, key=named_key(seed, "init"))


def constructed() -> TheoryTransformer:
    """A model that is right by construction: every pair has its own neuron, attention looks at the two clauses."""
    table, x = action("C6").table, CONFIG.variables
    actions, values = np.full((2, 6, 6, 6), -8, np.float32)  # [token, class, neuron], as in (17)
    for g, y in np.ndindex(6, 6):
        actions[g, table[g, y], y] = values[y, table[g, y], y] = 8
    same, diagonal = 200 * np.eye(x, dtype=np.float32), 8 * np.eye(x, dtype=np.float32)[:, :, None]
    ones = (np.ones(1, np.float32), np.ones(6, np.float32))
    return eqx.tree_at(
        lambda m: (
            m.query_third,
            m.query_fourth,
            m.variable.tables[0],
            m.value.tables[1],
            m.value.tables[4],
            m.variable.speaks,
            m.value.speaks,
        ),
        drawn(0),
        tuple(jnp.asarray(part) for part in (same, same, diagonal, actions, values, *ones)),
    )


def test_rollout_equals_the_parallel_pass_where_both_tokens_are_right() -> None:
    model, clauses = constructed(), TASK.draw(16, key=named_key(0, "data"))
    rolled = jax.jit(jax.vmap(lambda c: rollout(model, c, LENGTH)))(clauses[:, : LENGTH + 1])
    parallel = jax.jit(jax.vmap(lambda c: model.next_clause(c, LENGTH).greedy()))(clauses[:, :-1])
    right = np.all(np.asarray(parallel == clauses[:, LENGTH + 1 :]), axis=-1)
    so_far = np.logical_and.accumulate(right, axis=1)
    assert so_far.mean() > 0.9
    written = np.asarray(rolled[:, LENGTH + 1 :])
    np.testing.assert_array_equal(written[so_far], np.asarray(parallel)[so_far])
    np.testing.assert_array_equal(rolled[:, : LENGTH + 1], clauses[:, : LENGTH + 1])


def test_rollout_equals_decoding_without_a_cache_also_where_it_is_wrong() -> None:
    model = drawn(1)
    clauses = TASK.draw(4, key=named_key(1, "data"))[:, : LENGTH + 1]
    rolled = jax.jit(jax.vmap(lambda c: rollout(model, c, 3)))(clauses)
    slow = clauses
    for _ in range(3):
        after = jax.jit(jax.vmap(lambda c: model.next_clause(c, 1).greedy()[0]))(slow)
        slow = jnp.concatenate([slow, after[:, None]], axis=1)
    np.testing.assert_array_equal(rolled, slow)


def test_no_steps_are_refused() -> None:
    with pytest.raises(UserError, match="steps = 0"):
        rollout(constructed(), TASK.draw(1, key=named_key(0, "data"))[0, :2], 0)
