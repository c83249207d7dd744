"""Randomness by name: a key depends on its seed and its name alone, never on who else asked for one."""

import zlib
from collections.abc import Iterable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key


def named_key(seed: int, *names: str) -> Key[Array, ""]:
    """The key of `seed` for one purpose, such as `named_key(3, "task")` or `named_key(3, "init", "mlp")`."""
    return named_fold(jax.random.key(seed), *names)


def named_fold(key: Key[Array, ""], *names: str) -> Key[Array, ""]:
    """A key of `key` for one purpose, apart from those that are folded in by a small number, such as a step's."""
    for name in names:
        key = jax.random.fold_in(key, zlib.crc32(name.encode()))
    return key


def named_integer(seed: int, *names: str) -> int:
    """A 63-bit integer of `seed` for one purpose: it seeds exact host-side samplers (NumPy, Python integers)."""
    state = seed
    for name in names:
        state = (state * 6364136223846793005 + zlib.crc32(name.encode()) * 1442695040888963407 + 1) % 2**63
    return state


def named_keys(seeds: Iterable[int], *names: str) -> Key[Array, " seed"]:
    """One key a seed, for one purpose."""
    return jnp.stack([named_key(seed, *names) for seed in seeds])
