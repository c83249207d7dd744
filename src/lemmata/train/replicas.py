"""Replicas of one form: a leading axis on every array, everything else shared."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp


def stack(items: Sequence[Any]) -> Any:
    """Pytrees of one shape, stacked along a new leading replica axis on every array."""
    return jax.tree.map(lambda *xs: jnp.stack(xs) if eqx.is_array(xs[0]) else xs[0], *items)


def one_of(stacked: Any, replica: int) -> Any:
    """One replica of a stacked tree."""
    return jax.tree.map(lambda leaf: leaf[replica] if eqx.is_array(leaf) else leaf, stacked)


def unstack(stacked: Any) -> list[Any]:
    """The replicas of a stacked tree, one by one."""
    count = len(jax.tree.leaves(eqx.filter(stacked, eqx.is_array))[0])
    return [one_of(stacked, replica) for replica in range(count)]
