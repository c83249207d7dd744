"""W^KQ in its four blocks, so that "train the position block alone" is a choice of leaves and not a flag."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class KeyQuery(eqx.Module):
    """The matrix of the score z_i^T W^KQ z_t for inputs z = (one-hot position, token embedding): keys left."""

    position: Float[Array, "*replica positions positions"]
    position_token: Float[Array, "*replica positions dim"]
    token_position: Float[Array, "*replica dim positions"]
    token: Float[Array, "*replica dim dim"]

    @classmethod
    def zeros(cls, positions: int, dim: int) -> "KeyQuery":
        shapes = ((positions, positions), (positions, dim), (dim, positions), (dim, dim))
        return cls(*(jnp.zeros(shape) for shape in shapes))

    @classmethod
    def split(cls, matrix: Float[Array, "width width"], positions: int) -> "KeyQuery":
        """The blocks of a full (positions + dim) x (positions + dim) matrix."""
        p = positions
        return cls(matrix[:p, :p], matrix[:p, p:], matrix[p:, :p], matrix[p:, p:])

    def matrix(self) -> Float[Array, "width width"]:
        return jnp.block([[self.position, self.position_token], [self.token_position, self.token]])

    def attention(self, embedded: Float[Array, "seq dim"], query: int) -> Float[Array, " keys"]:
        """How much position `query` attends to itself and to each position before it."""
        keys, last = embedded[: query + 1], embedded[query]
        here = slice(0, query + 1)
        scores = (
            self.position[here, query]
            + self.position_token[here] @ last
            + keys @ (self.token_position[:, query] + self.token @ last)
        )
        return jax.nn.softmax(scores)
