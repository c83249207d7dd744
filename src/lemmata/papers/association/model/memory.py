"""The linear associative memory f(i, j; W) = <u_j, W e_i> (section 3.3, equation 39)."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key, PyTree

from lemmata.core import AbstractModel, Trace, require


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
    def orthonormal(cls, inputs: int, width: int | None = None) -> "LinearMemory":
        """Assumptions G.1 and G.2: standard basis vectors, W = 0."""
        d = inputs + 1 if width is None else width
        require(d >= inputs + 1, "width", d, f"at least inputs + 1 = {inputs + 1}, for orthonormal embeddings")
        return cls(jnp.eye(inputs, d), jnp.eye(inputs + 1, d), jnp.zeros((d, d)))

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


def memory_weight(model: LinearMemory) -> PyTree:
    """The filter of what is learned: W alone."""
    return eqx.tree_at(lambda m: m.weight, jax.tree.map(lambda _: False, model), True)


def _sphere(key: Key[Array, ""], rows: int, width: int) -> Float[Array, "rows width"]:
    drawn = jax.random.normal(key, (rows, width))
    return drawn / jnp.linalg.norm(drawn, axis=1, keepdims=True)
