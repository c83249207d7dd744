"""Walker's alias method with one 32-bit draw and one table look-up a sample.

A row of 2^b columns: the draw's high b bits pick a column, its low bits keep that column or take its alias. Each
entry packs the alias (high bits) and the threshold (low bits), so probabilities are exact to 2^-(32-b).
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, UInt32


def alias_table(rows: Float[np.ndarray, "rows outcomes"]) -> UInt32[np.ndarray, "rows columns"]:
    """One packed alias row for each distribution."""
    bits = max(1, int(np.ceil(np.log2(rows.shape[1]))))
    padded = np.zeros((rows.shape[0], 2**bits))
    padded[:, : rows.shape[1]] = rows / rows.sum(axis=1, keepdims=True)
    return np.stack([_alias_row(row, bits) for row in padded])


def _alias_row(probabilities: Float[np.ndarray, " columns"], bits: int) -> UInt32[np.ndarray, " columns"]:
    size, unit = len(probabilities), 2 ** (32 - bits)
    mass = probabilities * size
    alias, keep = np.arange(size), np.ones(size)
    small = [i for i in range(size) if mass[i] < 1]
    large = [i for i in range(size) if mass[i] >= 1]
    while small and large:
        lower, upper = small.pop(), large[-1]
        alias[lower], keep[lower] = upper, mass[lower]
        mass[upper] -= 1 - mass[lower]
        if mass[upper] < 1:
            small.append(large.pop())
    # What is left differs from 1 by rounding alone; a full column is its own alias, whatever its threshold.
    threshold = np.minimum(np.rint(keep * unit), unit - 1).astype(np.uint32)
    return (alias.astype(np.uint32) << np.uint32(32 - bits)) | threshold


def alias_draw(
    table: UInt32[Array, "rows columns"], row: Int[Array, " batch"], draw: UInt32[Array, " batch"]
) -> Int[Array, " batch"]:
    """One outcome of `row` for each 32-bit draw."""
    shift = np.uint32(32 - (table.shape[1].bit_length() - 1))
    low = np.uint32((1 << int(shift)) - 1)
    column = (draw >> shift).astype(jnp.int32)
    entry = table.reshape(-1)[row * table.shape[1] + column]
    return jnp.where((draw & low) < (entry & low), column, (entry >> shift).astype(jnp.int32))
