"""Theorem 1: the margins of the noise token after one gradient step from zero, for the model of equation (2).

Each position carries two orthogonal embeddings, W_E(z_t) + W̃_E(z_{t-1}); the first position has no previous token.
Token 0 is the trigger, token N the noise. Margins are for unit learning rates.
"""

import numpy as np
from jaxtyping import Float, Int

from lemmata.papers.association.theory.chain import RecallChain, occupation
from lemmata.papers.association.theory.one_step import TABLE_3, exact_moments

Tokens = Int[np.ndarray, "batch length"]
Margins = Float[np.ndarray, " batch"]


def noise_fraction(tokens: Tokens, num_tokens: int) -> Margins:
    """q̂ of Theorem 1: the fraction of noise tokens in a test sequence."""
    return (tokens == num_tokens).mean(axis=1)


def printed_attention_margin(tokens: Tokens, chain: RecallChain) -> Margins:
    """α̂ / N with α̂ = α² q̂ + α (1 - q̂)."""
    alpha, q = float(chain.alpha), noise_fraction(tokens, chain.num_tokens)
    return (alpha**2 * q + alpha * (1 - q)) / chain.num_tokens


def value_update(chain: RecallChain) -> tuple[np.ndarray, np.ndarray]:
    """-grad W_V of the population loss at zero, [j, k], on W_E(k) and on W̃_E(k), without approximation."""
    n = chain.num_tokens
    update = np.empty((n + 1, n + 1))
    for entry in TABLE_3:
        update[entry.cells(n)] = -float(exact_moments(entry, chain)[0])
    # As a previous token, z_T = q is not counted.
    previous = update.copy()
    previous[:, 0] -= _surplus(chain) / chain.length
    return update, previous


def _surplus(chain: RecallChain) -> Float[np.ndarray, " outputs"]:
    """P(y = k) - 1/(N+1)."""
    return chain.answer_law() - 1 / (chain.num_tokens + 1)


def exact_attention_margin(tokens: Tokens, chain: RecallChain) -> Margins:
    """The population margin of the attention block on each test sequence, without approximation."""
    n, length = chain.num_tokens, chain.length
    fractions = np.stack([(tokens == k).mean(axis=1) for k in range(n + 1)], axis=1)
    previous = np.stack([(tokens[:, :-1] == k).sum(axis=1) / length for k in range(n + 1)], axis=1)
    update, update_previous = value_update(chain)
    logits = fractions @ update.T + previous @ update_previous.T
    return logits[:, n] - logits[:, :n].max(axis=1)


def exact_feed_forward_margin(tokens: Tokens, chain: RecallChain) -> Margins:
    """The population margin of the feed-forward block: x_T holds W_E(q) and W̃_E(z_{T-1})."""
    n, alpha, length = chain.num_tokens, float(chain.alpha), chain.length
    joint = np.zeros((n + 1, n + 1))  # P(y = k, z_{T-1} = s)
    for target in chain.targets:
        law = occupation(chain, target == 0, length - 1)
        row = np.full(n + 1, float(law["other"]))
        row[0], row[n] = float(law["trigger"]), float(law["noise"])
        if target > 0:
            row[target] = float(law["target"])
        joint[target] += (1 - alpha) * row / len(chain.targets)
        joint[n] += alpha * row / len(chain.targets)
    surplus = joint - joint.sum(axis=0) / (n + 1)
    logits = _surplus(chain)[None, :] + surplus.T[tokens[:, -2]]
    return logits[:, n] - logits[:, :n].max(axis=1)
