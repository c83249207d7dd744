"""Beyond the paper: the pair weights that k pairs in context prefer at a temperature, in a world of drawn bijections.

With weights p_i on both tokens of pair i a relation that keeps the matching M of subjects and answers lies behind the
right one by 2 sum p_i^2 - 2 sum over M of p_i p_j (eq. 16, nothing on query and EoS). How many relations keep M is
taken to be its mean over worlds: the logarithm of a mean, not the mean of a logarithm.
"""

from math import comb, factorial

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from lemmata.papers.ic_recall.matchings import Matching, partial_matchings


def bijections_that_keep(matching: Matching, k: int, n: int) -> int:
    """Bijections of n that map k subjects to k answers exactly as the matching does; by inclusion and exclusion."""
    kept = len(matching)
    return sum(
        (-1) ** more * comb(k - kept, more) ** 2 * factorial(more) * factorial(n - kept - more)
        for more in range(k - kept + 1)
    )


def mean_counts(k: int, n: int, relations: int) -> Float[np.ndarray, " matchings"]:
    """How many of `relations` distinct random bijections keep each matching, given that the right one is among them."""
    matchings = partial_matchings(k, k)
    counts = np.array([bijections_that_keep(one, k, n) for one in matchings], float)
    right = np.array([one == tuple((i, i) for i in range(k)) for one in matchings], float)
    return right + (counts - right) * (relations - 1) / (factorial(n) - 1)


def expected_loss(weights: np.ndarray, temperature: float, counts: np.ndarray) -> float:
    k = len(weights)
    kept = np.array([sum(weights[i] * weights[j] for i, j in one) for one in partial_matchings(k, k)])
    return float(np.log(counts @ np.exp(2 * (kept - weights @ weights) / temperature)))


def best_pair_weights(k: int, n: int, relations: int, temperature: float) -> Float[np.ndarray, " k"]:
    """Sorted, over a token each; they add up to 1/2. The best of descents from weights in the ratio 1 : 2 : ... : k
    and from ratios between that and equal ones."""
    counts = mean_counts(k, n, relations)

    def weights_of(scores: np.ndarray) -> np.ndarray:
        grown = np.exp(scores - scores.max())
        return grown / (2 * grown.sum())

    found = [
        minimize(
            lambda scores: expected_loss(weights_of(scores), temperature, counts),
            power * np.log(np.arange(1, k + 1)),
            method="BFGS",
            options={"gtol": 1e-8},
        )
        for power in (1.0, 0.5, 2.0)
    ]
    return np.sort(weights_of(min(found, key=lambda one: one.fun).x))
