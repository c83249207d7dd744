"""Linear associative memory with a common noise output (section 3.3 and appendix G): n inputs, n + 1 outputs."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lemmata.core import AbstractTask, Batch, require


@dataclass(frozen=True, kw_only=True)
class MemoryConfig:
    inputs: int = 3  # n
    alpha: float = 0.03

    def __post_init__(self) -> None:
        require(self.inputs >= 1, "inputs", self.inputs, "at least 1")
        require(0 <= self.alpha < 1, "alpha", self.alpha, "in [0, 1)")

    @property
    def vocab(self) -> int:
        return self.inputs + 1

    @property
    def noise_token(self) -> int:
        return self.inputs

    def distribution(self, alpha: float | None = None) -> Float[np.ndarray, "inputs outputs"]:
        """Equation (38): p_alpha(y | x), the exact population targets; alpha = 0 gives the pure labels."""
        level = self.alpha if alpha is None else alpha
        table = np.zeros((self.inputs, self.vocab))
        table[:, : self.inputs] = (1 - level) * np.eye(self.inputs)
        table[:, self.noise_token] = level
        return table


class NoisyMemory(AbstractTask):
    """Sequences of one token: a uniform input, with its label or the noise token as target."""

    config: MemoryConfig = eqx.field(static=True)

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        input_key, noise_key = jax.random.split(key)
        tokens = jax.random.randint(input_key, (num, 1), 0, self.config.inputs)
        noisy = jax.random.bernoulli(noise_key, self.config.alpha, (num, 1))
        return Batch(tokens, jnp.where(noisy, self.config.noise_token, tokens), jnp.ones((num, 1), dtype=bool))
