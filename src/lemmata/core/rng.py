"""Randomness by name: a key depends on its seed and its name alone, never on who else asked for one.

Beside the seed stands the replication, which gives the whole product fresh randomness at once. Whoever executes or
judges a run enters it with `replicated`; every key and stream below mixes it in. Replication 0 is the reference: its
bits are those of the seed and the names alone.
"""

import zlib
from collections.abc import Iterable
from contextlib import AbstractContextManager

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

# Part of every jit cache's key: a program that captured a random key as a constant serves its own replication alone.
_replication = jax.make_user_context(0)


def replicated(number: int) -> AbstractContextManager[None]:
    """Within it, every named key, integer and generator is that of this replication."""
    return _replication(number)


def named_key(seed: int, *names: str) -> Key[Array, ""]:
    """The key of `seed` for one purpose, such as `named_key(3, "task")` or `named_key(3, "init", "mlp")`."""
    key = jax.random.key(seed)
    if number := _replication.value:
        key = jax.random.fold_in(named_fold(key, "replication"), number)
    return named_fold(key, *names)


def named_fold(key: Key[Array, ""], *names: str) -> Key[Array, ""]:
    """A key of `key` for one purpose, apart from those that are folded in by a small number, such as a step's."""
    for name in names:
        key = jax.random.fold_in(key, zlib.crc32(name.encode()))
    return key


def named_integer(seed: int, *names: str) -> int:
    """A 63-bit integer of `seed` for one purpose: it seeds exact host-side samplers (NumPy, Python integers)."""
    if number := _replication.value:
        names = ("replication", str(number), *names)
    state = seed
    for name in names:
        state = (state * 6364136223846793005 + zlib.crc32(name.encode()) * 1442695040888963407 + 1) % 2**63
    return state


def named_generator(seed: int, *names: str) -> np.random.Generator:
    """A NumPy stream of `seed` for one purpose."""
    return np.random.default_rng(named_integer(seed, *names))


def named_keys(seeds: Iterable[int], *names: str) -> Key[Array, " seed"]:
    """One key a seed, for one purpose."""
    return jnp.stack([named_key(seed, *names) for seed in seeds])
