"""The linear associative memory f(i, j; W) = <u_j, W e_i> (section 3.3, equation 39)."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from lemmata.core import named_generator, require, to_jax
from lemmata.papers.association.model.simplified import random_bases


class LinearMemory(eqx.Module):
    inputs: Float[Array, "inputs width"]  # e
    outputs: Float[Array, "outputs width"]  # u
    weight: Float[Array, "width width"]  # W

    @classmethod
    def random(cls, inputs: int, width: int, *, key: Key[Array, ""]) -> "LinearMemory":
        """Appendix G.1: embeddings uniform on the sphere, W normal with variance 1/d."""
        input_key, output_key, weight_key = jax.random.split(key, 3)
        return cls(
            _sphere(input_key, inputs, width),
            _sphere(output_key, inputs + 1, width),
            jax.random.normal(weight_key, (width, width)) * width**-0.5,
        )

    @classmethod
    def orthonormal(cls, inputs: int, width: int, seed: int, offset: float = 0.0) -> "LinearMemory":
        """Assumptions G.1 and G.2 in a random basis: orthonormal embeddings, W = 0. Equation (3)'s W̄, of the norm
        `offset` and orthogonal to the embeddings, is added to every input."""
        require(width > inputs, "width", width, f"more than inputs = {inputs}")
        first, second = random_bases(width, named_generator(seed, "embeddings"))
        given = first[:inputs] + offset * first[inputs] if offset else first[:inputs]
        return cls(to_jax(given), to_jax(second[: inputs + 1]), jnp.zeros((width, width)))

    def logits(self) -> Float[Array, "inputs outputs"]:
        """f(i, j) for every pair."""
        return self.inputs @ self.weight.T @ self.outputs.T


def _sphere(key: Key[Array, ""], rows: int, width: int) -> Float[Array, "rows width"]:
    drawn = jax.random.normal(key, (rows, width))
    return drawn / jnp.linalg.norm(drawn, axis=1, keepdims=True)
