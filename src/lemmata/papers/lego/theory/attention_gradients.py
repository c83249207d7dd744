"""The gradients of Q that appendices D, E and F print, entry by entry, [s, s'], and their refined forms.

`gain` is the bracket that all of them share; where W reads slots 2 and 5 alone and b = 0, <W_5, Z_pred,l> is V(g_l) and
<W_5, Z_ans,l> is V(y_l), and the refined forms (error terms O~(sigma_0), O~(delta^q)) hold with none.
"""

import numpy as np
from jaxtyping import Float, Int

from lemmata.papers.lego.theory.gradients import Pass, World

Matrix = Float[np.ndarray, "variables variables"]


def gain(of: Pass, clause: int) -> Float[np.ndarray, " n"]:
    """Attn_k sum_j E_{5,j} sum_r sReLU' (<W_{5,j,r}, Z_k> - Lambda_{5,j,r} + b)."""
    inside = of.said[:, clause, 4] - of.reading[:, 4] + of.bias
    return of.attention[:, clause] * np.sum(of.felt[:, 4] * inside, axis=(1, 2))


def refined_gain(of: Pass, clause: int, classes: slice) -> Float[np.ndarray, " n"]:
    """Attn_k ((1 - logit_{j*}) sum_r sReLU' (V_{j*,r} - Lambda) - sum_{j != j*} logit_j sum_r sReLU' (V_{j,r} -
    Lambda)), with V of the action that a predicate names and of the value that an answer names."""
    inside = np.sum(of.slope[:, 4, classes] * (of.said[:, clause, 4, classes] - of.reading[:, 4, classes]), axis=2)
    right, logit = of.truth[:, 4, classes], of.logit[:, 4, classes]
    return of.attention[:, clause] * np.sum((right * (1 - logit) - (1 - right) * logit) * inside, axis=1)


def placed(world: World, weight: np.ndarray, row: Int[np.ndarray, " n"], column: Int[np.ndarray, " n"]) -> Matrix:
    """E[weight 1_{s = row, s' = column}]."""
    found = np.zeros((world.variables, world.variables))
    np.add.at(found, (row, column), weight / len(weight))
    return found


def by_entries(of: Pass, world: World, predicates: int, step: int, printed: bool, refined: bool = False):
    """Q_{4,3} and Q_{4,4} of Loss_5^{L,l}: Lemmas D.1, D.2, E.1, E.2 (L = 2), and F.1, F.2 (L > 2, l = 2).

    `printed`: off the diagonal of Q_{4,3} the lemmas of F have the term of the first predicate alone. Every other
    predicate that is not the query's own has one too.
    """
    asks = of.seen[:, -1, 3]

    def of_clause(k: int) -> np.ndarray:
        return refined_gain(of, k, world.spans[4]) if refined else gain(of, k)

    clauses = range(predicates) if not printed or predicates == 2 else range(2)
    third = np.sum([placed(world, of_clause(k), asks, of.seen[:, k, 2]) for k in clauses], axis=0)
    answers = range(predicates, predicates + step)
    fourth = np.sum([placed(world, of_clause(k), asks, of.seen[:, k, 3]) for k in answers], axis=0)
    return third, fourth


def summed(of: Pass, world: World, predicates: int, swapped: bool) -> Float[np.ndarray, " variables"]:
    """Lemma E.10 and, for L > 2, F.7: the diagonals of both blocks together, s = tau(x_1). `swapped`: V_{j_2,r} for
    V_{j,r} in the wrong classes' sum over predicates, as F.7 has it."""
    classes, wanted = world.spans[4], 1
    said, slope = of.said[:, :, 4, classes], of.slope[:, 4, classes]
    others = [k for k in range(predicates) if k != wanted]
    off_predicates = sum(of.attention[:, k, None, None] * said[:, k] for k in others)
    off = of.attention[:, predicates, None, None] * said[:, predicates]
    spread = (1 - of.attention[:, wanted] - of.attention[:, predicates + 1])[:, None, None] * of.reading[:, 4, classes]
    right, logit = of.truth[:, 4, classes], of.logit[:, 4, classes]
    good = right * (1 - logit) * np.sum(slope * (spread - off - off_predicates), axis=2)
    if swapped:
        off_predicates = np.sum(right[..., None] * off_predicates, axis=1, keepdims=True)
    bad = (1 - right) * logit * np.sum(slope * (off + off_predicates - spread), axis=2)
    return np.diag(placed(world, np.sum(good + bad, axis=1), of.seen[:, -1, 3], of.seen[:, -1, 3]))
