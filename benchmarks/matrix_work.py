"""The matrix products that a benchmark's row performs: their operations, their time alone, and the machine's own rate.

A time says little about another machine; the share of this machine's matrix rate that it amounts to says more. The rate
is that of a square float32 product whose three matrices fit in the last cache, measured in the same run by each side's
own library, with the threads that the row uses: several times, before each row, of which the best counts.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

SQUARE, IN_A_TURN, TURNS = 1024, 4, 3


@dataclass(frozen=True)
class Product:
    """An `einsum` of two arrays, done so many times."""

    spec: str
    left: tuple[int, ...]
    right: tuple[int, ...]
    times: int = 1

    @property
    def operations(self) -> float:
        """Multiplications and additions."""
        inputs = self.spec.split("->")[0].split(",")
        sizes = dict(zip("".join(inputs), (*self.left, *self.right), strict=True))
        return 2.0 * self.times * prod(sizes.values())


def rows_times(rows: int, inner: int, columns: int, times: int = 1) -> Product:
    return Product("ri,ij->rj", (rows, inner), (inner, columns), times)


def differentiated(*products: Product) -> list[Product]:
    """Each with the two products of its gradients."""
    found = []
    for product in products:
        (first, second), result = product.spec.split("->")[0].split(","), product.spec.split("->")[1]
        sizes = dict(zip(first + second, (*product.left, *product.right), strict=True))
        out = tuple(sizes[letter] for letter in result)
        to_left = Product(f"{result},{second}->{first}", out, product.right, product.times)
        found += [product, to_left, Product(f"{first},{result}->{second}", product.left, out, product.times)]
    return found


def operations(products: Sequence[Product]) -> float:
    return sum(product.operations for product in products)


def alone(products: Sequence[Product]) -> Callable[[], object]:
    """A compiled program of these products and nothing else. Each run of one begins with a number of the last one's
    result, so that none is left out."""
    random = np.random.default_rng(0)

    def normal(shape: tuple[int, ...]) -> jax.Array:
        return jnp.asarray(0.01 * random.standard_normal(shape), jnp.float32)

    pairs = [(normal(product.left), normal(product.right)) for product in products]

    def multiplied(spec: str, left: jax.Array, right: jax.Array) -> jax.Array:
        return jnp.einsum(spec, left, right, precision="highest")

    @jax.jit
    def run(pairs: list[tuple[jax.Array, jax.Array]], last: jax.Array) -> list[jax.Array]:
        results = []
        for product, (left, right) in zip(products, pairs, strict=True):

            def again(_: Any, both: Any, product: Product = product, right: jax.Array = right) -> Any:
                left, result = both
                left = left.at[(0,) * left.ndim].set(result[(0,) * result.ndim])
                return left, multiplied(product.spec, left, right)

            left = left.at[(0,) * left.ndim].set(last)
            first = (left, multiplied(product.spec, left, right))
            results.append(jax.lax.fori_loop(1, product.times, again, first)[1] if product.times > 1 else first[1])
            last = results[-1][(0,) * results[-1].ndim]
        return results

    return lambda: jax.block_until_ready(run(pairs, jnp.zeros(())))


def best_seconds(run: Callable[[], object]) -> float:
    times = []
    for _ in range(TURNS):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return min(times)


BEST: dict[str, float] = {}  # operations a second, the most seen in this run


def measure_our_rate() -> None:
    """Of JAX, on the cores it was given."""
    _note("ours", _our_squares())


def measure_torch_rate(threads: int) -> None:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    left, right = torch.randn(2, SQUARE, SQUARE).unbind()
    result = left @ right

    def run() -> None:
        for _ in range(IN_A_TURN):
            torch.mm(left, right, out=result)

    _note(f"torch, {threads}", run)
    torch.set_num_threads(before)


def our_rate() -> float:
    if "ours" not in BEST:
        measure_our_rate()
    return BEST["ours"]


def torch_rate(threads: int) -> float:
    if f"torch, {threads}" not in BEST:
        measure_torch_rate(threads)
    return BEST[f"torch, {threads}"]


@cache
def _our_squares() -> Callable[[], object]:
    return alone([rows_times(SQUARE, SQUARE, SQUARE, IN_A_TURN)])


def _note(side: str, run: Callable[[], object]) -> None:
    run()
    seconds = best_seconds(run)
    BEST[side] = max(BEST.get(side, 0.0), rows_times(SQUARE, SQUARE, SQUARE, IN_A_TURN).operations / seconds)
