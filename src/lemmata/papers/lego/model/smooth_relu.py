"""The smoothed ReLU of Definition 3.4. The branch on the left is garbled in our print; it can only be 0."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def smooth_relu(x: Float[Array, "*shape"], rho: Float[Array, ""], power: int) -> Float[Array, "*shape"]:
    """0 for x <= 0, x^q / (q rho^(q-1)) up to rho, and x - rho (1 - 1/q) beyond: continuously differentiable."""
    return rho / power * jnp.clip(x / rho, 0, 1) ** power + jnp.maximum(x - rho, 0)


@smooth_relu.defjvp
def _derivative(power: int, primals: tuple, tangents: tuple) -> tuple:
    """In x it is one power of the clipped x / rho; rho is a constant of the model."""
    x, rho = primals
    return smooth_relu(x, rho, power), jnp.clip(x / rho, 0, 1) ** (power - 1) * tangents[0]
