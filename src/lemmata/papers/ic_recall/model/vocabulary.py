"""How tokens are numbered, and their embeddings: subjects, answers, relations, EoS, in this order."""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from lemmata.core import require


@dataclass(frozen=True)
class Vocabulary:
    n: int  # subjects, and answers
    m: int  # relations

    @property
    def size(self) -> int:
        return 2 * self.n + self.m + 1

    @property
    def everything(self) -> slice:
        return slice(0, self.size)

    @property
    def subjects(self) -> slice:
        return slice(0, self.n)

    @property
    def answers(self) -> slice:
        return slice(self.n, 2 * self.n)

    @property
    def relations(self) -> slice:
        return slice(2 * self.n, 2 * self.n + self.m)


@partial(jax.jit, static_argnums=(0, 1))
def orthonormal(num: int, dim: int, key: Key[Array, ""]) -> Float[Array, "num dim"]:
    """Random orthonormal embeddings: `num` rows of a uniformly random rotation of `dim` dimensions."""
    require(num <= dim, "dim", dim, f"at least {num}: there are no more orthonormal vectors than dimensions")
    q, r = jnp.linalg.qr(jax.random.normal(key, (dim, num)))
    return (q * jnp.sign(jnp.diagonal(r))).T
