"""Sums of table rows, with two ways to the same gradient: scattered additions, or a product with counts."""

from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.models.matmul import MatmulPrecision, contract

RowGradient = Literal["scatter", "matmul"]


def sum_of_rows(
    table: Float[Array, "row width"], rows: Int[Array, "item few"], gradient: RowGradient, precision: MatmulPrecision
) -> Float[Array, "item width"]:
    """For each item, the sum of the rows it names.

    The gradient adds each item's to its rows: by scattering, which a CPU does well, or as a product with the matrix
    that counts how often an item names a row, which suits a GPU: many items there wait for the same few rows.
    """
    if gradient == "scatter":
        return _gathered(table, rows)
    return _by_counts(table, rows, precision)


def _gathered(table: Float[Array, "row width"], rows: Int[Array, "item few"]) -> Float[Array, "item width"]:
    return jnp.sum(table[rows], axis=1)


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _by_counts(
    table: Float[Array, "row width"], rows: Int[Array, "item few"], precision: MatmulPrecision
) -> Float[Array, "item width"]:
    return _gathered(table, rows)


def _forward(
    table: Float[Array, "row width"], rows: Int[Array, "item few"], precision: MatmulPrecision
) -> tuple[Float[Array, "item width"], tuple[Int[Array, "item few"], Float[Array, " row"]]]:
    return _gathered(table, rows), (rows, jnp.zeros(len(table), table.dtype))


def _backward(
    precision: MatmulPrecision,
    kept: tuple[Int[Array, "item few"], Float[Array, " row"]],
    gradient: Float[Array, "item width"],
) -> tuple[Float[Array, "row width"], None]:
    rows, like = kept
    counts = jnp.sum(jax.nn.one_hot(rows, len(like), dtype=gradient.dtype), axis=1)
    return contract("ir,iw->rw", counts, gradient, precision), None


_by_counts.defvjp(_forward, _backward)
