"""Matrix products whose arithmetic is named in the config, so that a record says what a device was allowed to round."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

MatmulPrecision = Literal["float32", "tensorfloat32", "bfloat16"]


def contract(
    spec: str, left: Float[Array, "..."], right: Float[Array, "..."], precision: MatmulPrecision
) -> Float[Array, "..."]:
    """`einsum` of two arrays. `tensorfloat32` rounds inputs to 10 bits where the device has such units and is
    `float32` elsewhere; `bfloat16` rounds inputs to 7 bits everywhere; sums are in the left array's type."""
    kind = left.dtype
    if precision == "bfloat16":
        left, right = left.astype(jnp.bfloat16), right.astype(jnp.bfloat16)
    level = jax.lax.Precision.HIGH if precision == "tensorfloat32" else jax.lax.Precision.HIGHEST
    return jnp.einsum(spec, left, right, precision=level, preferred_element_type=kind)
