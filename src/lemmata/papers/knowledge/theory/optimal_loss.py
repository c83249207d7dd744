"""The least next-token loss any predictor can reach on a data set, exactly from the data (section 3, near-optimality).

A predictor that sees the whole prefix can do no better than give each next token its frequency after that prefix, so
the least loss is the conditional entropy of the target given the prefix. In the one-token form `o s r a` only [o s]
leaves a choice: a subject with K templates costs log K there; [o] -> d and [o s r] -> a are determined.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int


@dataclass(frozen=True)
class PositionLoss:
    """The least loss at each position of a sequence, and over all asked positions together."""

    entropy: Float[np.ndarray, " position"]  # in nats, mean over the questions asked there; 0 where none is
    weight: Float[np.ndarray, " position"]  # share of all questions that are asked there

    @property
    def mean(self) -> float:
        return float(np.sum(self.entropy * self.weight))


def conditional_entropy(
    contexts: Int[np.ndarray, " row"], targets: Int[np.ndarray, " row"], weights: Float[np.ndarray, " row"]
) -> float:
    """H(target | context) of a weighted sample, in nats: the least mean surprise over free logits for each context."""
    if weights.sum() == 0:
        return 0.0
    pairs, which = np.unique(np.stack([contexts, targets]), axis=1, return_inverse=True)
    joint = np.bincount(which.reshape(-1), weights, minlength=pairs.shape[1])
    _, owner = np.unique(pairs[0], return_inverse=True)
    total = np.bincount(owner, joint)[owner]
    seen = joint > 0
    return float(np.sum(joint[seen] * np.log(total[seen] / joint[seen])) / weights.sum())


def optimal_next_token_loss(
    tokens: Int[np.ndarray, "row position"],
    targets: Int[np.ndarray, "row position"],
    mask: Bool[np.ndarray, "row position"],
    weights: Float[np.ndarray, " row"] | None = None,
) -> PositionLoss:
    """Of sequences of any form: at each position, the entropy of the target given the tokens up to it.

    Rows may repeat and may be weighted (by how often training draws them); the mean is over masked positions.
    """
    rows, length = tokens.shape
    weights = np.ones(rows) if weights is None else weights
    prefix = np.zeros(rows, dtype=np.int64)
    entropy, weight = np.zeros(length), np.zeros(length)
    for position in range(length):
        # Two rows share a prefix when they shared the one before it and the token here.
        extended = np.stack([prefix, tokens[:, position]])
        prefix = np.unique(extended, axis=1, return_inverse=True)[1].reshape(-1)
        asked = mask[:, position]
        entropy[position] = conditional_entropy(prefix[asked], targets[asked, position], weights[asked])
        weight[position] = weights[asked].sum()
    return PositionLoss(entropy, weight / max(weight.sum(), 1e-300))


def optimal_fact_loss(templates_of_subject: Int[np.ndarray, " subject"]) -> PositionLoss:
    """The closed form for `o s r a` with one answer a subject: positions [o], [o s], [o s r] have entropies
    0, sum_j K_j log K_j / sum_j K_j, 0; with K_j = K for all the mean over the three is log(K) / 3."""
    counts = np.asarray(templates_of_subject, float)
    used = counts[counts > 0]
    relation = float(np.sum(used * np.log(used)) / used.sum()) if used.size else 0.0
    return PositionLoss(np.array([0.0, relation, 0.0]), np.full(3, 1 / 3))
