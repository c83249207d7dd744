"""Wilson's score interval of a proportion: honest at 0 and 1, where the normal one collapses."""

from typing import Any

import numpy as np

NORMAL_95 = 1.959963984540054


def wilson(proportion: Any, trials: Any, z: float = NORMAL_95) -> tuple[Any, Any]:
    """Low and high end of the interval that `z` standard errors span, elementwise."""
    share, count = np.asarray(proportion, float), np.asarray(trials, float)
    centre = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
