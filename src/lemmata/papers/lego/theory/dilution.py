"""How concentration dilutes with length, and the length it tolerates (Section 6.2.1).

The query x_{l-1} of a sentence with L predicates sees L + l clauses. Its predicate scores log a, itself log b, and
the other N = L + l - 2 score about the same, so the odds of looking elsewhere are N c / (a + b): linear in N.
"""

import math
from typing import Any

import numpy as np
from jaxtyping import Float

SHORTEST = (2, 2)  # (L, l) of the trained task's last step, from which longer ones are predicted


def irrelevant(length: Any, step: Any) -> Any:
    """N: the clauses that step l of a sentence of L predicates must not look at."""
    return length + step - 2


def diluted(epsilon: Any, length: Any, step: Any, known: tuple[int, int] = SHORTEST) -> Any:
    """eps^{L,l} from eps at `known`: N / (N + N_0 (1 - eps) / eps). Exact where irrelevant scores are equal."""
    share = np.asarray(epsilon, float)
    count = np.asarray(irrelevant(length, step), float)
    return count * share / (count * share + irrelevant(*known) * (1 - share))


def from_diagonals(predicate: Any, answer: Any, length: Any, step: Any) -> Any:
    """eps^{L,l} from the diagonals of Q_{4,3} and Q_{4,4}, every other entry at its initial 0."""
    count = np.asarray(irrelevant(length, step), float)
    return count / (count + np.exp(predicate) + np.exp(answer))


def printed_bound(epsilon: Any, length: Any, constant: float) -> Any:
    """eps^{L,l} <= c L / (c L + 1 / eps^{2,2}) with the paper's O(1) written out. It follows from `diluted` with
    c = 1 / (1 - eps^{2,2}) and with no smaller one at all lengths: at l = L the odds are (L - 1) eps / (1 - eps)."""
    share = np.asarray(epsilon, float)
    return constant * np.asarray(length) / (constant * np.asarray(length) + 1 / share)


def least_constant(epsilon: Any) -> Any:
    """The O(1) that makes the printed bound true at every length."""
    return 1 / (1 - np.asarray(epsilon, float))


def tolerated_epsilon(gap: float = 0.0) -> float:
    """Below this, features of the form (17) answer right whatever the irrelevant clauses say.

    The neuron of (g, y) reads 2 (M_g + M_y) - 1 in units of B, M being the attention on clauses with that action or
    value; the right pair has M_g + M_y >= 1 - eps, and a pair that shares one part of it at most eps + max(p, q) with
    p + q = 1 - eps, |p - q| = gap. So 3 eps + gap < 1 suffices. (Where irrelevant clauses are spread evenly the right
    neuron only has to stay awake: eps < 1/2.)
    """
    return (1 - gap) / 3


def tolerated_length(epsilon: float, limit: float, known: tuple[int, int] = SHORTEST) -> int:
    """The largest L whose last step (l = L) keeps eps^{L,L} below `limit`."""
    count = irrelevant(*known) * (1 - epsilon) / epsilon * limit / (1 - limit)
    return max(math.ceil(count / 2), 0)  # N = 2 L - 2 must stay below `count`


def structured_logits(
    table: np.ndarray, on_actions: Float[np.ndarray, " actions"], on_values: Float[np.ndarray, " values"]
) -> Float[np.ndarray, " values"]:
    """Value logits, in units of B, of features exactly as in (17) for the attention that each action and value gets.
    For a simply transitive action."""
    values = table.shape[1]
    pairs = 2 * (on_actions[:, None] + on_values[None, :]) - on_actions.sum() - on_values.sum()
    logits = np.zeros(values)
    np.add.at(logits, table, np.maximum(pairs, 0))
    return logits
