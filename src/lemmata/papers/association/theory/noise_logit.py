"""The noise logit while W_F learns it (appendix B.3): its fixed point and the step that does not overshoot."""

import numpy as np
from jaxtyping import Float

from lemmata.papers.association.theory.chain import RecallChain


def stationary_logit(chain: RecallChain) -> float:
    """ξ* = log N + log(α / (1 - α))."""
    return float(np.log(chain.num_tokens) + np.log(chain.alpha / (1 - chain.alpha)))


def largest_step(alpha: float) -> float:
    """η <= 1 / (α (1 - α)): below it the iteration never passes ξ* (α < 1/2)."""
    return 1 / (alpha * (1 - alpha))


def step_ratio(shifted: Float[np.ndarray, " points"], alpha: float) -> Float[np.ndarray, " points"]:
    """The bound on η at a shifted logit ξ - ξ* < 0; B.3 says that it decreases towards 0 for α < 1/2."""
    odds = (1 - alpha) / alpha
    return shifted / (np.exp(shifted) / (odds + np.exp(shifted)) - alpha)
