"""Numbers given to JAX as they are: `jnp.asarray` compiles a program for every shape it meets, a copy needs none."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array


def to_jax(values: Any, dtype: Any = None) -> Array:
    """`jnp.asarray` of what NumPy holds, compiling nothing. Not for what is being traced."""
    if isinstance(values, jax.Array):
        return jnp.asarray(values, dtype)
    if dtype is None and isinstance(values, bool | int | float):
        return jax.device_put(values)
    return jax.device_put(np.asarray(values, dtype))


def jax_zeros(shape: tuple[int, ...], dtype: Any = float) -> Array:
    """`jnp.zeros`, compiling nothing."""
    return jax.device_put(np.zeros(shape, dtype))
