"""Numbers given to JAX without a program: the same arrays as by `jnp`, nothing compiled."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import jax_zeros, precision, to_jax
from lemmata.run.compiling import Compiling
from lemmata.train import stack, unstack

VALUES = (np.arange(91.0).reshape(7, 13), np.arange(5), np.array([True, False]), [1.5, 2.5], 3, 2.5, np.float32(0.1))


def compiled(make: Callable[[], Any]) -> int:
    with Compiling() as found:
        make()
    return found.programs


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_to_jax_is_asarray(kind: Any, value: Any) -> None:
    with precision(kind):
        assert compiled(lambda: to_jax(value)) == 0
        ours, theirs = to_jax(value), jnp.asarray(value)
    assert ours.dtype == theirs.dtype
    assert ours.weak_type == theirs.weak_type
    np.testing.assert_array_equal(ours, theirs)


def test_zeros_and_a_type_asked_for() -> None:
    assert compiled(lambda: jax_zeros((3, 17))) == 0
    assert jax_zeros((3, 17)).dtype == jnp.zeros((3, 17)).dtype
    assert to_jax(np.arange(19.0), np.int32).dtype == jnp.int32


def test_stacks_compile_nothing_and_keep_keys_and_weak_types() -> None:
    trees = [{"plain": to_jax(np.full((2, 23), float(i))), "name": "same"} for i in range(3)]
    assert compiled(lambda: unstack(stack(trees))) == 0
    np.testing.assert_array_equal(stack(trees)["plain"][2], trees[2]["plain"])
    assert stack(trees)["name"] == "same"
    assert stack([to_jax(1.0), to_jax(2.0)]).weak_type
    keys = [jax.random.key(seed) for seed in range(2)]
    assert jnp.issubdtype(stack(keys).dtype, jax.dtypes.prng_key)
    assert [jax.random.key_data(one).tolist() for one in unstack(stack(keys))] == [
        jax.random.key_data(key).tolist() for key in keys
    ]


def test_stack_can_be_traced() -> None:
    doubled = jax.jit(lambda x: stack([x, 2 * x]))(to_jax(np.ones(3)))
    np.testing.assert_array_equal(doubled, [[1, 1, 1], [2, 2, 2]])
