"""Linear associative memory with a common noise output (section 3.3 and appendix G): n inputs, n + 1 outputs."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from lemmata.core import Config, Count
from lemmata.papers.association.task.recall import NoiseLevel


@dataclass(frozen=True, kw_only=True)
class MemoryConfig(Config):
    inputs: Count = 3  # n
    alpha: NoiseLevel = 0.03

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
