"""A low-rank change of a matrix: the base stays, two thin factors learn (Hu et al., 2022)."""

from typing import Literal

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lemmata.core import named_integer, require

Part = Literal["both", "attention", "neurons"]  # of the model, that learns


class Factors(eqx.Module):
    """left @ right. The right factor starts at 0, so nothing changes before the first step."""

    left: Float[Array, "rows rank"]
    right: Float[Array, "rank columns"]

    @classmethod
    def create(cls, rows: int, columns: int, rank: int, seed: int, name: str) -> "Factors":
        check_rank(rank, min(rows, columns))
        stream = np.random.default_rng(named_integer(seed, "knowledge", "factors", name))
        left = stream.standard_normal((rows, rank)) / np.sqrt(rows)
        return cls(jnp.asarray(left), jnp.zeros((rank, columns)))

    def product(self) -> Float[Array, "rows columns"]:
        return self.left @ self.right


def check_rank(rank: int, most: int, where: str = "rank") -> None:
    require(1 <= rank <= most, where, rank, f"1 to {most}, the rank of the matrix it changes")


def low_rank_factors(shape: tuple[int, ...], rank: int, part: Part, seed: int) -> tuple[Factors | None, Factors | None]:
    """For A and for w, where `shape` is that of w: (width, neuron, class)."""
    d, m, c = shape
    attention = None if part == "neurons" else Factors.create(d, d, rank, seed, "attention")
    neurons = None if part == "attention" else Factors.create(d, m * c, rank, seed, "neurons")
    return attention, neurons
