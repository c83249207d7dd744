"""Theorem 2: the first gradient of W_QK once W_F predicts the noise (appendix F, phase 3), without approximation.

Attention is uniform, the prediction is p(N+1) = α and p(k) = (1-α)/N whatever the context (Assumption F.1), and W_V is
given by the logits V[k, c] = W_U(k)^T W_V W_E(c) and Ṽ[k, c] = W_U(k)^T W_V W̃_E(c). Then, for a key direction b,
    W_E(q)^T (-grad W_QK) W_E(b) = E_ȳ sum_k (P(y = k | ȳ) - p(k)) E[ (1/T) sum_t v_k(x_t) (1{z_t = b} - f_b) | ȳ ],
    v_k(x_t) = V[k, z_t] + Ṽ[k, z_{t-1}],
and the same with 1{z_{t-1} = b} for W̃_E(b). The first position has no previous token. Token 0 is the trigger and
token N the noise.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Float

from lemmata.papers.association.theory.chain import RecallChain, Token, count_moments

Square = Float[np.ndarray, "tokens tokens"]
ByToken = Float[np.ndarray, " tokens"]
TRIGGER = 0
TOKEN, PREVIOUS = 0, 1


@lru_cache(maxsize=8)  # the same for every value matrix and prediction that is asked about
def pair_moments(chain: RecallChain, target: int) -> list[list[Square]]:
    """Given ȳ, the expectations of (1/T) sum_t 1{A = c} (1{B = b} - mean over t), as [A][B][c, b], for A and B each
    the token itself or the previous one. Exact, by one pass over the positions of the full chain on N + 1 tokens."""
    n, length, alpha = chain.num_tokens, chain.length, float(chain.alpha)
    step = np.full((n + 1, n + 1), 1 / n)
    step[:, n] = 0
    step[TRIGGER] = 0
    step[TRIGGER, target] = 1 - alpha
    step[TRIGGER, n] += alpha
    law = np.append(np.full(n, 1 / n), 0.0)
    # Over positions 1 .. T-1: counts, products of counts, and consecutive pairs (c, then b).
    count, product, pairs = law.copy(), np.diag(law), np.zeros_like(step)
    seen = np.diag(law)  # E[C_c 1{z_t = b}]
    for _ in range(length - 2):
        pairs += law[:, None] * step
        law = law @ step
        before = seen @ step
        seen = before + np.diag(law)
        product += before + before.T + np.diag(law)
        count = count + law
    pairs[:, TRIGGER] += law  # z_{T-1}, then z_T = q
    last = np.zeros(n + 1)
    last[TRIGGER] = 1.0
    all_count = count + last
    one_sided = product + np.outer(count, last)  # E[C'_c C_b], C' over t < T and C over t <= T
    both = one_sided + np.outer(last, count) + np.outer(last, last)
    return [
        [(np.diag(all_count) - both / length) / length, (pairs.T - one_sided.T / length) / length],
        [(pairs - one_sided / length) / length, (np.diag(count) - product / length) / length],
    ]


def key_gradient(
    chain: RecallChain, value: Square, value_previous: Square, predicted: ByToken | None = None
) -> tuple[ByToken, ByToken]:
    """W_E(q)^T (-grad W_QK) W_E(b) and the same for W̃_E(b), by token b: the exact population gradient for any value
    matrix (V, Ṽ) and any prediction that is the same in every context; by default that of Assumption F.1. After a unit
    step ξ_{i -> j} is the first at j plus the second at i."""
    n, alpha, targets = chain.num_tokens, float(chain.alpha), chain.targets
    predicted = chain.answer_law() if predicted is None else predicted
    at_trigger, at_one = pair_moments(chain, TRIGGER), pair_moments(chain, 1)
    token, previous = np.zeros(n + 1), np.zeros(n + 1)
    for target in targets:
        order = np.arange(n + 1)  # any other ȳ is token 1 by another name
        order[[1, target]] = order[[target, 1]]
        grid = np.ix_(order, order)
        m = at_trigger if target == TRIGGER else [[moments[grid] for moments in row] for row in at_one]
        surplus = -predicted.copy()
        surplus[target] += 1 - alpha
        surplus[n] += alpha
        left, left_previous = surplus @ value, surplus @ value_previous
        token += (left @ m[TOKEN][TOKEN] + left_previous @ m[PREVIOUS][TOKEN]) / len(targets)
        previous += (left @ m[TOKEN][PREVIOUS] + left_previous @ m[PREVIOUS][PREVIOUS]) / len(targets)
    return token, previous


def noise_prediction(chain: RecallChain, odds: float) -> ByToken:
    """A prediction that is the same in every context: the noise token `odds` times as probable as any other one."""
    return np.append(np.ones(chain.num_tokens), odds) / (chain.num_tokens + odds)


def diagonal_values(chain: RecallChain, beta_1: float, beta_2: float) -> tuple[Square, Square]:
    """The value matrix that the proof of Theorem 2 carries into phase 3: equation (26) without its noise row (which
    the gradient does not see) and without its (q, N+1) entry (which the proof drops)."""
    eye = np.diag(np.append(np.ones(chain.num_tokens), 0.0))
    return beta_1 * eye, beta_2 * eye


def phase_two_values(chain: RecallChain) -> tuple[Square, Square]:
    """The value matrix that phase 2 really produces, for ηt_2 = 1: V[k, c] = P(y = k) (E[f_c | y = k] - E[f_c]).

    V and Ṽ are equal: only V counts the last position, and that holds the trigger whatever ȳ is."""
    targets = chain.targets
    fractions = np.array([_counts(chain, target) / chain.length for target in targets])
    value = np.zeros((chain.num_tokens + 1,) * 2)
    value[targets] = (1 - float(chain.alpha)) / len(targets) * (fractions - fractions.mean(axis=0))
    return value, value


def _counts(chain: RecallChain, target: int) -> ByToken:
    """E[number of t <= T with z_t = c | ȳ]."""
    others: list[Token] = ["other"] * chain.num_tokens
    parts: list[Token] = [*others, "noise"]
    parts[target] = "target"
    parts[TRIGGER] = "trigger"  # also if it is ȳ
    return np.array([float(count_moments(chain, target == TRIGGER, part)[0]) for part in parts])


def unit_gap(chain: RecallChain) -> float:
    """ξ_{q->j} - ξ_{q->N+1} from equations (34) and (36) as printed, for a unit step and β_1 = 1."""
    return (1 - float(chain.alpha)) ** 2 / chain.num_tokens**2


def printed_off_trigger(beta_1: float, beta_2: float) -> float:
    """Equation (37), in units of `unit_gap`: the largest logit of a position whose previous token is not q."""
    return beta_1 + 2 * beta_2


def off_trigger(chain: RecallChain, beta_1: float, beta_2: float) -> float:
    """The same bound at a position that holds q itself, T >> N >> 1: given ȳ = q the trigger is 1/α times as frequent
    and repeats itself with chance 1 - α, which the one k = q turns into (β_1 + β_2)/α; all other k take β_1 away."""
    alpha = float(chain.alpha)
    return ((1 - alpha) * beta_1 + beta_2) / alpha


def leading_gap(chain: RecallChain, beta_1: float, beta_2: float) -> float:
    """The same gap with every term of its order kept, for j != q and T >> N >> 1.

    The terms with k != b_1, each O(T/N²) and dropped in the proof, are N in number: their sum is of the order of what
    was kept. They cancel β_1 down to αβ_1, add αβ_2, and, if ȳ = q can occur, take β_2 away, because a context with
    ȳ = q repeats its trigger, so that more noise follows it.
    """
    alpha = float(chain.alpha)
    inner = alpha * (beta_1 + beta_2) - (0.0 if chain.exclude_trigger else beta_2)
    return unit_gap(chain) * inner
