"""Equal to `contract` under autodiff: the products of a training step.

Gradients are written out, because on a CPU XLA multiplies small matrices fast only where the axis summed over comes
last on the left: a transposed copy costs less than it saves.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lemmata.core import platform
from lemmata.models.matmul import MatmulPrecision, contract
from lemmata.papers.lego.model.fast.own_gradient import own_gradient

Few = Float[Array, "head batch answers clauses"]
Wide = Float[Array, "head batch _ size"]
Items = Float[Array, "*items _"]
Matrix = Float[Array, "input output"]


def _back_from_scores(precision: MatmulPrecision, kept: tuple[Wide, Wide], slope: Few) -> tuple[Wide, Wide]:
    queries, keys = kept
    return mixtures(slope, keys, precision), mixtures(_turned(slope), queries, precision)


def _back_from_mixtures(precision: MatmulPrecision, kept: tuple[Few, Wide], slope: Wide) -> tuple[Few, Wide]:
    weights, values = kept
    return scores(slope, values, precision), mixtures(_turned(weights), slope, precision)


def _back_through(precision: MatmulPrecision, kept: tuple[Items, Matrix], slope: Items) -> tuple[Items, Matrix]:
    inputs, matrix = kept
    turned = _turned(inputs.reshape(-1, inputs.shape[-1]))
    by_item = slope.reshape(-1, slope.shape[-1])
    return contract("...j,ij->...i", slope, matrix, precision), contract("in,nj->ij", turned, by_item, precision)


def _turned(matrices: Float[Array, "*many rows columns"]) -> Float[Array, "*many columns rows"]:
    """On a CPU really a copy, which XLA would make the product read backwards instead."""
    turned = jnp.swapaxes(matrices, -1, -2)
    return jax.lax.optimization_barrier(turned) if platform() == "cpu" else turned


@own_gradient(_back_from_scores)
def scores(queries: Wide, keys: Wide, precision: MatmulPrecision) -> Few:
    """Of every query with every key."""
    return contract("hbqs,hbks->hbqk", queries, keys, precision)


@own_gradient(_back_from_mixtures)
def mixtures(weights: Few, values: Wide, precision: MatmulPrecision) -> Wide:
    """The values by their weights."""
    return contract("hbqk,hbks->hbqs", weights, values, precision)


@own_gradient(_back_through)
def through(inputs: Items, matrix: Matrix, precision: MatmulPrecision) -> Items:
    """Every item through one matrix."""
    return contract("...i,ij->...j", inputs, matrix, precision)
