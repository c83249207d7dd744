"""The exact law of token counts in noisy in-context recall with uniform unigrams and bigrams (section 3, "data").

Given the correct token ȳ, the context z_1 .. z_{T-1} is a Markov chain and z_T = q is set by hand. Tokens that play
the same part are lumped, so that the chain has at most five states whatever N is, and counts over T positions follow
by repeated squaring: sizes such as N = 10^5, T = 10^10 cost nothing. Every function works in the number type of
`alpha`: float, `fractions.Fraction` (exact) or mpmath's `mpf` (when differences of large numbers are wanted).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from lemmata.core import require

Number = Any  # float, Fraction or mpf: whatever `alpha` is
Token = Literal["noise", "trigger", "target", "other"]
"""The parts a token can play given ȳ: N+1, q, ȳ itself (when ȳ is not q), and any one other token of [N]."""


@dataclass(frozen=True)
class RecallChain:
    """The process of section 3 with N ordinary tokens, noise level alpha and context length T.

    `exclude_trigger` draws ȳ from the N - 1 tokens other than q; the paper draws it from all N.
    """

    num_tokens: int
    length: int
    alpha: Number
    exclude_trigger: bool = False

    def __post_init__(self) -> None:
        require(self.num_tokens >= 3, "num_tokens", self.num_tokens, "3 or more")
        require(self.length >= 2, "length", self.length, "2 or more")
        require(0 < self.alpha < 1, "alpha", self.alpha, "between 0 and 1")

    @property
    def one(self) -> Number:
        return self.alpha / self.alpha

    @property
    def targets(self) -> range:
        """The tokens that ȳ is drawn from, where token 0 is the trigger and token N the noise."""
        return range(int(self.exclude_trigger), self.num_tokens)

    def answer_law(self) -> np.ndarray:
        """P(y = k) for every token k."""
        law = np.zeros(self.num_tokens + 1)
        law[self.targets], law[-1] = (1 - float(self.alpha)) / len(self.targets), float(self.alpha)
        return law


def transition(chain: RecallChain, target_is_trigger: bool) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The lumped states, the first token's law and the transition matrix over them, in the number type of alpha.
    "other" is one tagged token, "rest" all remaining ones."""
    n, zero = chain.num_tokens, chain.one - chain.one
    sizes = {"trigger": 1} | ({} if target_is_trigger else {"target": 1}) | {"other": 1}
    sizes |= {"rest": n - len(sizes), "noise": 1}
    names = list(sizes)
    dtype = float if isinstance(chain.alpha, float) else object
    uniform = np.array([zero if s == "noise" else chain.one * sizes[s] / n for s in names], dtype=dtype)
    after_trigger = np.full(len(names), zero, dtype=dtype)
    after_trigger[names.index("trigger" if target_is_trigger else "target")] = 1 - chain.alpha
    after_trigger[names.index("noise")] = chain.alpha
    return names, uniform, np.array([after_trigger if s == "trigger" else uniform for s in names], dtype=dtype)


@lru_cache(maxsize=256)
def count_moments(chain: RecallChain, target_is_trigger: bool, token: Token) -> tuple[Number, Number]:
    """E[C] and E[C^2] given ȳ, for C = the number of positions t <= T with z_t = token (z_T = q counts)."""
    names, start, step = transition(chain, target_is_trigger)
    require(token in names, "token", token, f"one of {names}")
    hit = np.array([chain.one if s == token else chain.one - chain.one for s in names], dtype=step.dtype)
    # M(z) = P diag(z^hit) to second order in log z: value, first derivative, second derivative.
    power = _power((step, step * hit, step * hit), chain.length - 2)
    value, first, second = start, start * hit, start * hit
    final = (
        value @ power[0],
        first @ power[0] + value @ power[1],
        second @ power[0] + 2 * (first @ power[1]) + value @ power[2],
    )
    mean, square = sum(final[1]), sum(final[2])
    if token == "trigger":  # the last position is the trigger by construction
        mean, square = mean + 1, square + 2 * mean + 1
    return mean, square


@lru_cache(maxsize=256)
def drawn_moments(
    chain: RecallChain, target_is_trigger: bool, token: Token, after_trigger: bool = False
) -> tuple[Number, Number]:
    """Appendix E's E[C] and E[C^2] given ȳ: all T positions are drawn, z_T too, from z_0 ≠ q or (a step of its proofs)
    from z_0 = q."""
    names, start, step = transition(chain, target_is_trigger)
    require(token in names, "token", token, f"one of {names}")
    hit = np.array([chain.one if s == token else chain.one - chain.one for s in names], dtype=step.dtype)
    first = step[names.index("trigger")] if after_trigger else start
    power = _power((step, step * hit, step * hit), chain.length - 1)
    _, mean, square = _times((first, first * hit, first * hit), power)
    return sum(mean), sum(square)


def occupation(chain: RecallChain, target_is_trigger: bool, position: int) -> dict[str, Number]:
    """P(z_t = any token of the lumped state) given ȳ at a position t < T."""
    require(1 <= position < chain.length, "position", position, f"between 1 and {chain.length - 1}")
    names, start, step = transition(chain, target_is_trigger)
    law = start @ _power((step, step, step), position - 1)[0]
    return dict(zip(names, law, strict=True))


def largest_count(chain: RecallChain, target_is_trigger: bool, token: Token) -> int:
    """The most positions t <= T that `token` can take given ȳ, over sequences of positive probability."""
    names, start, step = transition(chain, target_is_trigger)
    hit = np.array([int(s == token) for s in names])
    impossible = -chain.length - 1
    best = np.where(np.asarray(start > 0, dtype=bool), hit, impossible)
    allowed = np.asarray(step > 0, dtype=bool)
    for _ in range(chain.length - 2):
        best = np.where(allowed, best[:, None], impossible).max(axis=0) + hit
    return int(best.max()) + (token == "trigger")


Jet = tuple[np.ndarray, np.ndarray, np.ndarray]


def _times(a: Jet, b: Jet) -> Jet:
    return a[0] @ b[0], a[1] @ b[0] + a[0] @ b[1], a[2] @ b[0] + 2 * (a[1] @ b[1]) + a[0] @ b[2]


def _power(base: Jet, exponent: int) -> Jet:
    identity = np.zeros_like(base[0])
    np.fill_diagonal(identity, Fraction(1) if isinstance(base[0].flat[0], Fraction) else 1)
    result: Jet = (identity, np.zeros_like(base[0]), np.zeros_like(base[0]))
    while exponent:
        if exponent & 1:
            result = _times(result, base)
        base, exponent = _times(base, base), exponent >> 1
    return result
