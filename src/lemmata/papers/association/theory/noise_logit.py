"""The noise logit while W_F learns it (appendix B.3): its fixed point and the step that does not overshoot."""

import numpy as np
from jaxtyping import Float


def stationary_logit(num_tokens: int, alpha: float) -> float:
    """ξ* = log N + log(α / (1 - α))."""
    return float(np.log(num_tokens) + np.log(alpha / (1 - alpha)))


def largest_step(alpha: float) -> float:
    """η <= 1 / (α (1 - α)): below it the iteration never passes ξ* (α < 1/2)."""
    return 1 / (alpha * (1 - alpha))


def step_ratio(shifted: Float[np.ndarray, " points"], alpha: float) -> Float[np.ndarray, " points"]:
    """The bound on η at a shifted logit ξ - ξ* < 0; B.3 says that it decreases towards 0 for α < 1/2."""
    odds = (1 - alpha) / alpha
    return shifted / (np.exp(shifted) / (odds + np.exp(shifted)) - alpha)
