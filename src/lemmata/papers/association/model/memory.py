"""The linear associative memory f(i, j; W) = <u_j, W e_i> (section 3.3, equation 39)."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lemmata.core import AbstractModel, Trace, named_integer, require
from lemmata.papers.association.model.bases import random_bases


class LinearMemory(AbstractModel):
    """Each position is answered by itself: there is no attention."""

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
    def orthonormal(cls, inputs: int, width: int, seed: int) -> "LinearMemory":
        """Assumptions G.1 and G.2 in a random basis: orthonormal embeddings, W = 0."""
        require(width > inputs, "width", width, f"more than inputs = {inputs}")
        first, second = random_bases(width, named_integer(seed, "embeddings"))
        return cls(jnp.asarray(first[:inputs]), jnp.asarray(second[: inputs + 1]), jnp.zeros((width, width)))

    def __call__(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq vocab"]:
        return self.inputs[tokens] @ self.weight.T @ self.outputs.T

    def logits(self) -> Float[Array, "inputs outputs"]:
        """f(i, j) for every pair."""
        return self.inputs @ self.weight.T @ self.outputs.T

    def trace(self, tokens: Int[Array, " seq"]) -> Trace:
        x = self.inputs[tokens]
        after = x @ self.weight.T
        nothing = jnp.zeros((0, tokens.shape[0], tokens.shape[0]))
        return Trace(nothing, jnp.stack([x, after]), after @ self.outputs.T)


def _sphere(key: Key[Array, ""], rows: int, width: int) -> Float[Array, "rows width"]:
    drawn = jax.random.normal(key, (rows, width))
    return drawn / jnp.linalg.norm(drawn, axis=1, keepdims=True)
