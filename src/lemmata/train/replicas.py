"""Replicas of one form: a leading axis on every array, everything else shared."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from lemmata.core import to_jax


def stack(items: Sequence[Any]) -> Any:
    """Pytrees of one shape, stacked along a new leading replica axis on every array."""
    return jax.tree.map(lambda *leaves: _stacked(leaves) if eqx.is_array(leaves[0]) else leaves[0], *items)


def one_of(stacked: Any, replica: int) -> Any:
    """One replica of a stacked tree."""
    return _at(stacked, replica)


def unstack(stacked: Any) -> list[Any]:
    """The replicas of a stacked tree, one by one."""
    return [_at(stacked, replica) for replica in range(_count(stacked))]


def split(stacked: Any) -> list[Any]:
    """Each replica of a stacked tree as a stack of one."""
    return [_at(stacked, slice(replica, replica + 1)) for replica in range(_count(stacked))]


def concatenate(stacks: Sequence[Any]) -> Any:
    """Stacks as one."""
    if len(stacks) == 1:
        return stacks[0]
    return jax.tree.map(lambda *leaves: _joined(leaves) if eqx.is_array(leaves[0]) else leaves[0], *stacks)


def _stacked(leaves: Sequence[Any]) -> Any:
    return to_jax(np.stack(leaves)) if all(map(_is_plain, leaves)) else jnp.stack(leaves)


def _joined(leaves: Sequence[Any]) -> Any:
    if _is_key(leaves[0]):
        return jax.random.wrap_key_data(_joined([jax.random.key_data(leaf) for leaf in leaves]))
    return to_jax(np.concatenate(leaves)) if all(map(_is_plain, leaves)) else jnp.concatenate(leaves)


def _count(stacked: Any) -> int:
    return len(jax.tree.leaves(eqx.filter(stacked, eqx.is_array))[0])


def _at(stacked: Any, where: int | slice) -> Any:
    return jax.tree.map(lambda leaf: _entry(leaf, where) if eqx.is_array(leaf) else leaf, stacked)


def _entry(leaf: Any, where: int | slice) -> Any:
    if _is_key(leaf):
        return jax.random.wrap_key_data(_entry(jax.random.key_data(leaf), where))
    return to_jax(np.asarray(leaf)[where]) if _is_plain(leaf) else leaf[where]


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _is_plain(leaf: Any) -> bool:
    """Numbers that NumPy can move without compiling: no tracer, no random key, nothing whose type gives way."""
    if isinstance(leaf, np.ndarray):
        return True
    numbers = not isinstance(leaf, Tracer) and not jnp.issubdtype(leaf.dtype, jax.dtypes.extended)
    return numbers and not leaf.weak_type
