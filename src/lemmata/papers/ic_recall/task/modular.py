"""Arithmetic modulo a prime on arrays: in machine integers where products fit, in Python's beyond."""

import numpy as np
from jaxtyping import Int

MACHINE_PRODUCT = 2**31  # below this, products of residues fit in int64


def product(a: Int[np.ndarray, "..."], b: Int[np.ndarray, "..."], n: int) -> Int[np.ndarray, "..."]:
    if n <= MACHINE_PRODUCT:
        return a * b % n
    return (a.astype(object) * b.astype(object) % n).astype(np.int64)


def power(base: Int[np.ndarray, " num"], exponent: int, n: int) -> Int[np.ndarray, " num"]:
    if n > MACHINE_PRODUCT:
        return np.array([pow(int(x), exponent, n) for x in base], dtype=np.int64)
    value = np.ones_like(base)
    while exponent:
        if exponent & 1:
            value = value * base % n
        base, exponent = base * base % n, exponent >> 1
    return value
