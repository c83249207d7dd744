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
        return jnp.einsum(spec, left.astype(jnp.bfloat16), right.astype(jnp.bfloat16), preferred_element_type=kind)
    level = jax.lax.Precision.HIGH if precision == "tensorfloat32" else jax.lax.Precision.HIGHEST
    return jnp.einsum(spec, left, right, precision=level, preferred_element_type=kind)


def contract_stored(
    spec: str, left: Float[Array, "..."], right: Float[Array, "..."], precision: MatmulPrecision
) -> Float[Array, "..."]:
    """`contract`, but with `bfloat16` the result stays in half precision: half as much goes through the memory, and the
    gradients too are products of halves. What is exponentiated next goes through `in_full`."""
    return contract(spec, left.astype(jnp.bfloat16) if precision == "bfloat16" else left, right, precision)


def contract_rows(
    spec: str, rows: Float[Array, "*batch left"], matrix: Float[Array, "..."], precision: MatmulPrecision
) -> Float[Array, "*batch right"]:
    """`contract_stored` of all rows of a batch with one matrix, as one product of two matrices: the matrix's gradient
    is one too, over all rows, which a compiler need not make out of a product of batches."""
    flat = contract_stored(spec, rows.reshape(-1, rows.shape[-1]), matrix, precision)
    return flat.reshape(*rows.shape[:-1], flat.shape[-1])


def in_full(values: Float[Array, "..."]) -> Float[Array, "..."]:
    """At least float32."""
    return values.astype(jnp.promote_types(values.dtype, jnp.float32))
