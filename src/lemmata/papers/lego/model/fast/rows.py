"""Equal to `table[tokens]` under autodiff: rows, and sums of rows of several tables, with a choice of how gradients are
gathered."""

from collections.abc import Sequence
from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.models.matmul import MatmulPrecision, contract
from lemmata.papers.lego.model.fast.own_gradient import own_gradient

# The gradient adds each item's to its row: by scattering, which a CPU does well, or as a product with the items'
# one-hot rows, which suits a GPU: many items there wait for the same few rows.
RowGradient = Literal["scatter", "matmul"]


def found_rows(table: Float[Array, "row width"], tokens: Int[Array, "*items"]) -> Float[Array, "*items width"]:
    """The rows that tokens name; zeros for a token after the last."""
    return table.at[tokens].get(mode="fill", fill_value=0)


def _added_to_rows(
    parts: int, kept: tuple[list[Array], list[Array]], slopes: Sequence[Float[Array, "*items width"]]
) -> tuple[list[Float[Array, "_ whole"]], None]:
    """All tables are given the same gradient: it is put together once, in rows as wide as theirs."""
    together = jnp.concatenate(list(slopes), axis=-1)
    return [
        jnp.zeros_like(table).at[token].add(together, mode="drop") for table, token in zip(*kept, strict=True)
    ], None


@own_gradient(_added_to_rows)
def sums_of_rows(
    tables: list[Float[Array, "_ whole"]], tokens: list[Int[Array, "*items"]], parts: int
) -> list[Float[Array, "*items width"]]:
    """Each item's rows, one of each table, added up, and cut into parts; a token after the last adds nothing."""
    cut = zip(*(jnp.split(table, parts, axis=1) for table in tables), strict=True)
    return [sum(found[1:], found[0]) for found in ([*map(found_rows, some, tokens)] for some in cut)]


def _multiplied_into_rows(
    precision: MatmulPrecision,
    kept: tuple[Float[Array, "row width"], Int[Array, " item"]],
    slope: Float[Array, "item width"],
) -> tuple[Float[Array, "row width"], None]:
    table, rows = kept
    return contract("ir,iw->rw", jax.nn.one_hot(rows, len(table), dtype=slope.dtype), slope, precision), None


@own_gradient(_multiplied_into_rows)
def rows_by_product(
    table: Float[Array, "row width"], rows: Int[Array, " item"], precision: MatmulPrecision
) -> Float[Array, "item width"]:
    """The rows that items name, the gradient by a product."""
    return table[rows]
