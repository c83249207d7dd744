"""Theorem 2's gaps, read from sampled gradients of W_QK and by the exact chain; the runs of its cases."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import RunResult, Scale, Undecided, within
from lemmata.core.rule import bootstrap_error
from lemmata.papers.association.run.attention_gaps import KeyGradients
from lemmata.papers.association.run.simplified import TRIGGER
from lemmata.papers.association.sizes import AttentionGaps
from lemmata.papers.association.theory import RecallChain, attention_logits

AS_PRINTED, WITHOUT_TRIGGER, LEARNED = "ȳ in [N], W_V of (26)", "ȳ ≠ q, W_V of (26)", "ȳ in [N], W_V of phase 2"
ADMITTED = within("alpha", "Assumption F.1 admits α up to 0.38", below=0.382)
ERRORS = 4  # standard errors from 0, from which on a gap has a sign
FEWEST = 3  # seeds, for a standard error


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


def sign(by_seed: np.ndarray) -> int:
    """Of the mean over seeds, where it is far enough from 0."""
    if len(by_seed) < FEWEST or abs(by_seed.mean()) <= ERRORS * float(bootstrap_error(by_seed)):
        raise Undecided("too few samples to tell the sign of a gap")
    return int(np.sign(by_seed.mean()))


def key_gradients(scale: Scale) -> dict[str, KeyGradients]:
    """One step of W_QK in each case; what phase 2 learns takes longer than a smoke test."""
    size = AttentionGaps.SEEDS
    seeds = scale.seeds(smoke=size.smoke, laptop=size.laptop, paper=size.paper)
    printed = KeyGradients(seeds=seeds, batch=AttentionGaps.BATCH.at(scale))
    cases = {AS_PRINTED: printed, WITHOUT_TRIGGER: replace(printed, exclude_trigger=True)}
    return cases if scale.name == "smoke" else cases | {LEARNED: replace(printed, values="learned")}
