"""Appendix B.3, observation iii: the first step of W_QK where the noise token is made to appear more often, exactly."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from lemmata.core import Count, Inside, RunConfig, RunContext, RunOutput, Share, Some
from lemmata.papers.association.run.simplified import TRIGGER, TableSize

Square = Float[np.ndarray, "tokens tokens"]
ByToken = Float[np.ndarray, " tokens"]


class Counted(NamedTuple):
    """Given ȳ, of the tokens at all T positions and of those before them: mean shares, and the covariance over a
    context's positions of what stands at one (rows: token, then previous token) with the token there (columns)."""

    token: ByToken
    previous: ByToken
    covariance: Float[np.ndarray, "both tokens"]


def counted(step: Square, start: ByToken, length: int) -> Counted:
    """One pass over the positions of the full chain on N + 1 tokens; the trigger is put at T."""
    law, pairs = start.copy(), np.zeros_like(step)
    count, seen, product = law.copy(), np.diag(law), np.diag(law)
    for _ in range(length - 2):
        pairs += law[:, None] * step
        law = law @ step
        before = seen @ step  # E[earlier count of c, and b here]
        seen = before + np.diag(law)
        product += before + before.T + np.diag(law)
        count = count + law
    last = np.zeros(len(step))
    last[TRIGGER] = 1.0
    pairs[:, TRIGGER] += law
    everywhere = count + last
    one_sided = product + np.outer(count, last)
    both = one_sided + np.outer(last, count) + np.outer(last, last)
    of_token = np.diag(everywhere) / length - both / length**2
    of_previous = pairs / length - one_sided / length**2
    return Counted(everywhere / length, count / length, np.concatenate([of_token, of_previous]))


@dataclass(frozen=True, kw_only=True)
class NoiseFrequency(RunConfig):
    """By how often any token but the trigger is followed by the noise: how frequent the noise is beside an ordinary
    token, and W_E(b)^T (-grad W_QK) W_E(q) at both after a unit step of W_F and W_V from zero."""

    kind = "association/noise-frequency"

    num_tokens: TableSize = 32  # N
    length: Count = 512  # T
    alpha: Inside = 0.3
    followed: Some[Share] = (0.0, 0.01, 0.06, 0.12)  # the paper has 0; the others are ours

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        for done, share in enumerate(self.followed):
            rows.append((share, *self.first_step(share)))
            context.progress("frequencies", done + 1, len(self.followed))
        names = ("followed", "frequency", "noise", "ordinary")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})

    def first_step(self, share: float) -> tuple[float, float, float]:
        n, alpha = self.num_tokens, self.alpha
        uniform = np.append(np.full(n, (1 - share) / n), share)
        found = []
        for target in range(n):
            step = np.tile(uniform, (n + 1, 1))
            step[TRIGGER] = 0
            step[TRIGGER, target] = 1 - alpha
            step[TRIGGER, n] += alpha
            found.append(counted(step, uniform, self.length))
        answer = np.append(np.full(n, (1 - alpha) / n), alpha)  # P(y)
        given = np.zeros((n, n + 1))  # P(y | ȳ)
        given[np.arange(n), np.arange(n)], given[:, n] = 1 - alpha, alpha
        # A unit step from zero weights, where every prediction is 1/(N+1): W_V's logits by token and previous token.
        shares = np.array([np.concatenate([one.token, one.previous]) for one in found])
        value = (given - 1 / (n + 1)).T @ shares / n
        feed = answer - 1 / (n + 1)
        predicted = np.exp(feed) / np.exp(feed).sum()
        moved = np.mean([(given[t] - predicted) @ value @ one.covariance for t, one in enumerate(found)], axis=0)
        mean = shares.mean(axis=0)
        return mean[n] / mean[1], moved[n], moved[1]
