"""Rows of a table, with a choice of how their gradients are gathered; and sums of rows of several tables."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.models.matmul import MatmulPrecision, contract

RowGradient = Literal["scatter", "matmul"]


def take_rows(
    table: Float[Array, "row width"], rows: Int[Array, " item"], gradient: RowGradient, precision: MatmulPrecision
) -> Float[Array, "item width"]:
    """The rows that items name. The gradient adds each item's to its row: by scattering, which a CPU does well, or as a
    product with the items' one-hot rows, which suits a GPU: many items there wait for the same few rows."""
    return _by_product(table, rows, precision) if gradient == "matmul" else table[rows]


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _by_product(
    table: Float[Array, "row width"], rows: Int[Array, " item"], precision: MatmulPrecision
) -> Float[Array, "item width"]:
    return table[rows]


def _forward(
    table: Float[Array, "row width"], rows: Int[Array, " item"], precision: MatmulPrecision
) -> tuple[Float[Array, "item width"], tuple[Int[Array, " item"], Float[Array, " row"]]]:
    return table[rows], (rows, jnp.zeros(len(table), table.dtype))


def _backward(
    precision: MatmulPrecision,
    kept: tuple[Int[Array, " item"], Float[Array, " row"]],
    slope: Float[Array, "item width"],
) -> tuple[Float[Array, "row width"], None]:
    rows, like = kept
    return contract("ir,iw->rw", jax.nn.one_hot(rows, len(like), dtype=slope.dtype), slope, precision), None


_by_product.defvjp(_forward, _backward)


def sum_of_rows(
    tables: Sequence[Float[Array, "head _ size"]], tokens: Int[Array, "batch clauses table"]
) -> Float[Array, "head batch clauses size"]:
    """Each clause's rows, one of each table, added up. A token that its table does not have adds nothing."""
    parts = []
    for place, table in enumerate(tables):
        token, count = tokens[..., place], table.shape[1]
        possible = (token >= 0) & (token < count)
        parts.append(jnp.where(possible[..., None], table[:, jnp.clip(token, 0, count - 1)], 0))
    return sum(parts[1:], parts[0])
