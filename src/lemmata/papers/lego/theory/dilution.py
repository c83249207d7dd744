"""How concentration dilutes with length, and the length it tolerates (Section 6.2.1).

The query x_{l-1} of a sentence with L predicates sees L + l clauses. Its predicate scores log a, itself log b, and
the other N = L + l - 2 score about the same, so the odds of looking elsewhere are N c / (a + b): linear in N.
"""

import math
from typing import Any

import numpy as np


def irrelevant(length: Any, step: Any) -> Any:
    """N: the clauses that step l of a sentence of L predicates must not look at."""
    return length + step - 2


def diluted(epsilon: Any, length: Any, step: Any) -> Any:
    """eps^{L,l} from eps^{2,2}: N / (N + 2 (1 - eps) / eps). Exact where irrelevant scores are equal."""
    share = np.asarray(epsilon, float)
    count = np.asarray(irrelevant(length, step), float)
    return count * share / (count * share + irrelevant(2, 2) * (1 - share))


def printed_bound(epsilon: Any, length: Any, constant: float) -> Any:
    """eps^{L,l} <= c L / (c L + 1 / eps^{2,2}) with the paper's O(1) written out. It follows from `diluted` with
    c = 1 / (1 - eps^{2,2}) and with no smaller one at all lengths: at l = L the odds are (L - 1) eps / (1 - eps)."""
    scaled = constant * np.asarray(length)
    return scaled / (scaled + 1 / np.asarray(epsilon, float))


def tolerated_length(epsilon: float, limit: float) -> int:
    """The largest L whose last step (l = L) keeps eps^{L,L} below `limit`. (With features of the form (17) and evenly
    spread irrelevant clauses the right neuron stays awake below 1/2.)"""
    count = irrelevant(2, 2) * (1 - epsilon) / epsilon * limit / (1 - limit)
    return max(math.ceil(count / 2), 0)  # N = 2 L - 2 must stay below `count`
