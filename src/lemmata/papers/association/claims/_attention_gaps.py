"""Theorem 2's gaps, read from sampled gradients of W_QK and by the exact chain."""

from typing import NamedTuple

import numpy as np

from lemmata.core import RunResult
from lemmata.papers.association.run.simplified import TRIGGER
from lemmata.papers.association.theory import RecallChain, attention_logits


class Gaps(NamedTuple):
    """Attention logits after a step of W_QK, at positions that follow the token `after`."""

    run: RunResult
    after: int = TRIGGER

    def gradients(self) -> tuple[np.ndarray, np.ndarray]:
        """[seed, token]: along W_E and along W̃_E."""
        shape = (len(self.run.config.seeds), self.run.config.num_tokens + 1)
        return self.run.column("as_token").reshape(shape), self.run.column("as_previous").reshape(shape)

    def first(self) -> np.ndarray:
        """ξ_{q->j} - ξ_{q->N+1} in units of (1-α)²/N², the mean over j != q (which are exchangeable), by seed."""
        token, _ = self.gradients()
        return (token[:, 1:-1].mean(axis=1) - token[:, -1]) / attention_logits.unit_gap(self.run.config.chain)

    def second(self) -> np.ndarray:
        """The smallest ξ_{q->j} - ξ_{k->l}, k != q, by seed (j, k, l are those of the seeds' mean), times N/(1-α)²."""
        token, previous = self.gradients()
        mean_token, mean_previous = token.mean(axis=0), previous.mean(axis=0)
        low_j, high_l = mean_token[1:].argmin() + 1, mean_token.argmax()
        high_k = mean_previous[1:].argmax() + 1
        gap = token[:, low_j] + previous[:, self.after] - previous[:, high_k] - token[:, high_l]
        return gap * self.run.config.num_tokens / (1 - self.run.config.alpha) ** 2

    def exact_first(self) -> float:
        """The first gap of the exact chain, in the same units."""
        config = self.run.config
        if config.values == "learned":
            values = tuple(config.num_tokens**2 * v for v in attention_logits.phase_two_values(config.chain))
        else:
            values = attention_logits.diagonal_values(config.chain, config.beta_1, config.beta_2)
        return exact_gap(config.chain, values)


def exact_gap(chain: RecallChain, values) -> float:
    token, previous = attention_logits.key_gradient(chain, *values)
    return float(token[1] + previous[TRIGGER] - (token[-1] + previous[TRIGGER])) / attention_logits.unit_gap(chain)
