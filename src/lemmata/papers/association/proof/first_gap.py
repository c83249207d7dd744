"""Theorem 2's first gap from the exact chain, in balls of alpha, with the W_V that phases 1 and 2 really leave.

Given the correct token y, a context token is uniform unless it follows the trigger q; then it is y with 1 - alpha and
the noise with alpha. So the law after a position depends on it only through "is it q?", whose chance m steps later is
tau (1 - r^m) from another token and tau (1 - r^m) + r^m from q: r = -1/N, or 1 - alpha - 1/N if y = q, and
tau = (1/N)/(1 - r). Every moment is then a sum of geometric series, written out below.

With F_y[c] the expected share of positions that hold c given y, and F its mean over y, the value matrix of phase 2
gives position t the score l[z_t] + l[z_(t-1)], l = F_y - F, times a positive number. The gap is the mean over y of the
covariance of that score with z_t being an ordinary token, less the same for the noise.
"""

from dataclasses import dataclass
from typing import Any

Number = Any  # a float, a ball, a power series over balls


def _power(base: Number, exponent: int) -> Number:
    result, square = base - base + 1, base
    while exponent:
        result = result * square if exponent & 1 else result
        exponent >>= 1
        square = square * square if exponent else square
    return result


@dataclass(frozen=True)
class Token:
    """Its chance as a uniform draw, the change of that after the trigger, and its score."""

    uniform: Number
    change: Number
    score: Number


@dataclass(frozen=True)
class Context:
    """Positions 1 ... m before the last, given the correct token: chances of the trigger and their sums."""

    n: int
    positions: int
    ratio: Number

    @property
    def settled(self) -> Number:
        """tau."""
        return 1 / (self.n * (1 - self.ratio))

    def series(self, terms: int) -> Number:
        """1 + r + ... + r^(terms - 1)."""
        return (1 - _power(self.ratio, terms)) / (1 - self.ratio)

    def count(self, uniform: Number, change: Number) -> Number:
        """Expected number of positions that hold a token."""
        m = self.positions
        return m * uniform + change * self.settled * (m - self.series(m))

    def covariance(self, token: Token, trigger: Number, mean: Number, shift: Number) -> Number:
        """T E[(1/T) sum_t (l[z_t] + l[z_(t-1)]) (1{z_t = token} - its share)], T = m + 1 and z_T = q.

        `trigger` is q's score, `mean` that of a uniform draw, `shift` its change after the trigger.
        """
        m, r, tau = self.positions, self.ratio, self.settled
        whole, rest = self.series(m), self.series(m - 1)
        lags = (m - whole) / (1 - r)  # sum over s of sum_(k < m - s) r^k, and of (m - s) r^(s - 1)
        late = (whole - m * _power(r, m - 1)) / (1 - r)  # sum over s of r^(s - 1) sum_(k < m - s) r^k
        pairs = m * (m - 1) // 2
        from_score = token.uniform * (mean * pairs + shift * tau * (pairs - lags))
        from_score = from_score + token.change * tau * (mean * (pairs - lags) + shift * tau * (pairs - 2 * lags + late))
        from_score = from_score + token.change * trigger * tau * (lags - r * late)
        held = mean * pairs + shift * tau * (pairs - lags)
        to_score = token.uniform * held
        to_score = to_score + token.change * tau * (mean * (pairs - lags) + shift * tau * (pairs - 2 * lags + late))
        count = self.count(token.uniform, token.change)
        product = token.score * count + from_score + to_score
        follows = token.uniform * ((m - 1) * mean + shift * tau * (m - 1 - rest))
        follows = follows + token.change * trigger * tau * (m - 1 - r * rest)
        return token.score * count + follows - (2 * product + trigger * count) / (m + 1)


def gap(alpha: Number, n: int, length: int) -> Number:
    """xi of an ordinary token (after q) less xi of the noise (after q), times a positive number."""
    m, one = length - 1, alpha - alpha + 1
    uniform = one / n
    at_q, at_other = Context(n, m, 1 - alpha - uniform), Context(n, m, -uniform)
    # Counts of q, of y if it is another, of one more token, of the noise; z_T = q drops out of F_y - F.
    of_q = {
        "q": at_q.count(uniform, 1 - alpha - uniform),
        "token": at_q.count(uniform, -uniform),
        "noise": at_q.count(one - one, alpha),
    }
    of_other = {
        "q": at_other.count(uniform, -uniform),
        "y": at_other.count(uniform, 1 - alpha - uniform),
        "token": at_other.count(uniform, -uniform),
        "noise": at_other.count(one - one, alpha),
    }
    mean = {name: (of_q[name] + (n - 1) * of_other[name]) / n for name in ("q", "noise")}
    mean["token"] = (of_q["token"] + of_other["y"] + (n - 2) * of_other["token"]) / n
    total = one - one
    for context, found, answer, others in ((at_q, of_q, "q", n - 1), (at_other, of_other, "y", n - 2)):
        score = {name: (count - mean["token" if name == "y" else name]) / length for name, count in found.items()}
        drawn = sum((score[name] for name in ("q", "y") if name in score), others * score["token"]) / n
        shift = (1 - alpha) * score[answer] + alpha * score["noise"] - drawn
        tokens = {"token": Token(uniform, -uniform, score["token"]), "noise": Token(one - one, alpha, score["noise"])}
        if answer == "y":
            tokens["y"] = Token(uniform, 1 - alpha - uniform, score["y"])
        xi = {name: context.covariance(token, score["q"], drawn, shift) for name, token in tokens.items()}
        if answer == "q":
            total = total + xi["token"] - xi["noise"]
        else:  # one of the N - 1 tokens y is the ordinary token itself
            total = total + xi["y"] + (n - 2) * xi["token"] - (n - 1) * xi["noise"]
    return total
