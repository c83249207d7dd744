"""Two shares of right answers on the same questions, when only the shares are known.

Unpaired, their difference has the variance of two binomials. Paired (McNemar), it has that of the questions whose
outcome changed, of which the shares tell only the difference between won and lost.
"""

import numpy as np
from jaxtyping import Float


def unpaired_error(
    before: Float[np.ndarray, "*cell"], after: Float[np.ndarray, "*cell"], questions: int
) -> Float[np.ndarray, "*cell"]:
    """The standard error of the difference of two shares of independent answers."""
    return np.sqrt((before * (1 - before) + after * (1 - after)) / questions)


def favourable_z(gain: Float[np.ndarray, "*cell"], questions: int) -> Float[np.ndarray, "*cell"]:
    """McNemar's z where nothing was lost by a gain (or won by a loss): the most that pairing can give."""
    return np.sign(gain) * np.sqrt(questions * np.abs(gain))


def most_changed(gain: Float[np.ndarray, "*cell"], questions: int, z: float) -> Float[np.ndarray, "*cell"]:
    """How many questions may change their outcome before McNemar's |won - lost| / √(won + lost) falls below z."""
    return np.minimum(np.floor((questions * gain / z) ** 2), questions)
