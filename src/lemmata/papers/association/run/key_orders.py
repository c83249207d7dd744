"""Exact first gradients of the three matrices of equation (2) at growing N: the orders of appendices B.3 and F."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from lemmata.core import Bound, Inside, RunConfig, RunContext, RunOutput, Some
from lemmata.papers.association.run.simplified import TRIGGER, ThreeOrMore
from lemmata.papers.association.theory import RecallChain, attention_logits, margins

ORDINARY = 1  # any k <= N but the trigger


@dataclass(frozen=True, kw_only=True)
class GradientOrders(RunConfig):
    """By N and T/N: W_F's and W_V's gradients at zero weights, then W_QK's after a unit step of both (appendix B.3),
    and W_QK's with equation (26)'s diagonal W_V under Assumption F.1 (appendix F, phase 3; β_1 = β_2 = 1)."""

    kind = "association/gradient-orders"

    sizes: Some[ThreeOrMore] = (24, 48, 96)  # N
    ratios: Some[Annotated[int, Bound(least=1)]] = (4, 32)  # T/N; the paper's experiments have T = 256, N = 65
    alpha: Inside = 0.3

    def execute(self, context: RunContext) -> RunOutput:
        pairs = [(n, ratio) for ratio in self.ratios for n in self.sizes]
        rows = []
        for done, (n, ratio) in enumerate(pairs):
            rows.append({"num_tokens": n, "ratio": ratio} | self._row(RecallChain(n, n * ratio, self.alpha)))
            context.progress("orders", done + 1, len(pairs))
        return RunOutput({name: np.array([row[name] for row in rows]) for name in rows[0]})

    def _row(self, chain: RecallChain) -> dict[str, float]:
        n = chain.num_tokens
        feed = chain.answer_law() - 1 / (n + 1)
        value, value_previous = margins.value_update(chain)
        first_token, _ = attention_logits.key_gradient(
            chain, value, value_previous, attention_logits.noise_prediction(chain, np.exp(feed[-1] - feed[ORDINARY]))
        )
        token, previous = attention_logits.key_gradient(chain, *attention_logits.diagonal_values(chain, 1.0, 1.0))
        elsewhere = np.delete(previous, TRIGGER).max()
        return {
            "feed_noise": feed[-1],
            "feed_ordinary": feed[ORDINARY],
            "value_noise": value[-1, ORDINARY],
            "value_ordinary": value[ORDINARY, ORDINARY],
            "key_noise": first_token[-1],
            "key_ordinary": first_token[ORDINARY],
            "later_key_noise": token[-1],
            "later_key_ordinary": token[ORDINARY],
            # Equation (37): the largest logit of a position that does not follow the trigger, by what it holds.
            "off_trigger": np.delete(token, TRIGGER).max() + elsewhere,
            "off_trigger_at_trigger": token[TRIGGER] + elsewhere,
            "on_trigger": np.delete(token, TRIGGER).min() + previous[TRIGGER],
        }


@dataclass(frozen=True, kw_only=True)
class TriggerGaps(RunConfig):
    """By alpha, N and T/N: the first step of W_QK with (26)'s diagonal W_V, at positions that follow the trigger and
    hold the trigger itself, another token, the noise (β_1 = β_2 = 1)."""

    kind = "association/trigger-gaps"

    sizes: Some[ThreeOrMore] = (16, 32, 64)  # N
    ratios: Some[Annotated[int, Bound(least=1)]] = (4, 16)  # T/N
    alphas: Some[Inside] = (0.1, 0.3, 0.38)  # Assumption F.1 admits α up to .38

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        for alpha in self.alphas:
            for ratio in self.ratios:
                for n in self.sizes:
                    chain = RecallChain(n, n * ratio, alpha)
                    token, _ = attention_logits.key_gradient(chain, *attention_logits.diagonal_values(chain, 1.0, 1.0))
                    rows.append((alpha, ratio, n, token[TRIGGER], token[ORDINARY], token[-1]))
                    context.progress("gaps", len(rows), len(self.alphas) * len(self.ratios) * len(self.sizes))
        names = ("alpha", "ratio", "num_tokens", "at_trigger", "at_ordinary", "at_noise")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})
