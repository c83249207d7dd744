"""The first gradient at zero weights: Lemma D.1 (W_F) and Lemma D.2 with Table 3 (W_V).

At zero weights every predicted probability is 1/(N+1) and attention is uniform, so for one sequence
    W_U(k)^T (grad W_F) W_E(q) = 1/(N+1) - 1{y = k},
    W_U(j)^T (grad W_V) W_E(k) = (1/(N+1) - 1{y = j}) f_k,    f_k = the fraction of positions t <= T with z_t = k.
Printed forms keep the leading order in N (and in N/T); `exact_*` keep everything.
"""

from dataclasses import dataclass
from typing import Literal

from lemmata.papers.association.theory.chain import Number, RecallChain, Token, count_moments, largest_count

Output = Literal["noise", "trigger", "token"]
Input = Literal["noise", "trigger", "same", "other"]


@dataclass(frozen=True)
class Entry:
    """One row of Table 3: the output token j and the input token k by the part they play."""

    output: Output
    input: Input

    @property
    def label(self) -> str:
        j = {"noise": "N+1", "trigger": "q", "token": "j"}[self.output]
        others = "k ∉ {q, j}" if self.output == "token" else "k ≠ q"
        return f"({j}, { {'noise': 'N+1', 'trigger': 'q', 'same': 'j', 'other': others}[self.input] })"


TABLE_3: tuple[Entry, ...] = (
    Entry("noise", "noise"),
    Entry("noise", "trigger"),
    Entry("noise", "other"),
    Entry("trigger", "noise"),
    Entry("trigger", "trigger"),
    Entry("trigger", "other"),
    Entry("token", "noise"),
    Entry("token", "trigger"),
    Entry("token", "same"),
    Entry("token", "other"),
)


@dataclass(frozen=True)
class Leading:
    """A row's leading coefficients: mean = mean / N^p, variance = over_t / (T N^p) + over_n / N^(p+1),
    with p = 1 for the noise output and p = 2 for the others."""

    mean: Number
    over_t: Number
    over_n: Number


def power(entry: Entry) -> int:
    return 1 if entry.output == "noise" else 2


def printed(entry: Entry, alpha: Number) -> Leading:
    """Table 3 as printed."""
    a = alpha
    match entry.output, entry.input:
        case "noise", "noise":
            return Leading(-(a**2), a**2, a**3 - a**4)
        case "noise", _:
            return Leading(-a, a, a - a**2)
        case "trigger", "noise":
            return Leading(2 * a - 1, a / a, a**2 - a + 1)
        case "trigger", "trigger":
            return Leading((2 * a - 1) / a, (a**3 - a**2 - a + 2) / a**3, (a**2 - a + 1) / a**2)
        case "token", "noise":
            return Leading(a**2, (2 - a) * a, (2 - a) * a**2)
        case "token", "same":
            square = (1 - a) * (2 - a)
            return Leading(-(a**2 + 3 * a - 1), 1 + square, 1 + square * (2 - a))
        case _:
            return Leading(a, 2 - a, 2 - a)


def corrected(entry: Entry, alpha: Number) -> Leading:
    """Table 3 with its slips repaired. Three changes, derived in the tests:

    the mean of (j, j) is -(α² - 3α + 1)/N²; every variance with j <= N loses a term, because the uniform prediction
    enters squared, 1/(N+1)², and not as 1/(N+1); and rows with k = q gain a term, because z_T = q is always counted.
    """
    a = alpha
    one = a / a
    match entry.output, entry.input:
        case "noise", "noise":
            return Leading(-(a**2), a**2, a**3 - a**4)
        case "noise", "trigger":
            return Leading(-a, a + 2 * (a - a**2), a - a**2)
        case "noise", _:
            return Leading(-a, a, a - a**2)
        case "trigger", "noise":
            return Leading(2 * a - 1, 1 - a, 1 - a)
        case "trigger", "trigger":
            return Leading((2 * a - 1) / a, (1 - a) * (2 - a) / a**2 + 2 * (1 - a) / a, (1 - a) / a**2)
        case "token", "noise":
            return Leading(a**2, (1 - a) * a, (1 - a) * a**2)
        case "token", "trigger":
            return Leading(a, 3 * (1 - a), 1 - a)
        case "token", "same":
            return Leading(-(a**2 - 3 * a + 1), (1 - a) * (2 - a), (1 - a) * (2 - a) ** 2)
        case _:
            return Leading(a, one - a, one - a)


CORRECTED_RANGE_ROW = Entry("token", "noise")
"""The one printed range that is too small: q N+1 q N+1 ... is possible whatever ȳ is, so the noise can fill half of
the context and R is 1/2, not 1/3."""

PRINTED_RANGE: dict[Entry, float] = dict(
    zip(TABLE_3, (1 / 2, 1.0, 1.0, 1 / 2, 1.0, 1.0, 1 / 3, 1 / 2, 1.0, 1.0), strict=True)
)


def exact_moments(entry: Entry, chain: RecallChain) -> tuple[Number, Number]:
    """The mean and the variance over sequences of W_U(j)^T (grad W_V) W_E(k), exactly."""
    uniform = chain.one / (chain.num_tokens + 1)
    mean = square = chain.one - chain.one
    for target_is_trigger, number, token, chance in _cases(entry, chain):
        count, count_square = count_moments(chain, target_is_trigger, token)
        weight = chain.one * number / chain.num_targets
        mean += weight * (uniform - chance) * count / chain.length
        square += weight * (uniform**2 + (1 - 2 * uniform) * chance) * count_square / chain.length**2
    return mean, square - mean**2


def exact_range(entry: Entry, chain: RecallChain) -> float:
    """The largest |gradient - mean| over sequences of positive probability: the R of Bernstein's inequality."""
    mean, _ = exact_moments(entry, chain)
    uniform = 1 / (chain.num_tokens + 1)
    largest = 0.0
    for target_is_trigger, number, token, chance in _cases(entry, chain):
        if number == 0:
            continue
        fraction = largest_count(chain, target_is_trigger, token) / chain.length
        factors = [uniform] + ([uniform - 1] if chance > 0 else [])
        largest = max(largest, *(abs(factor * fraction - float(mean)) for factor in factors), abs(float(mean)))
    return largest


def _cases(entry: Entry, chain: RecallChain) -> list[tuple[bool, int, Token, Number]]:
    """(is ȳ = q, how many such ȳ, the part k plays given ȳ, P(y = j | ȳ)) for each kind of ȳ."""
    zero, hit, noise = chain.one - chain.one, 1 - chain.alpha, chain.alpha
    n = chain.num_tokens
    fixed: dict[Input, Token] = {"noise": "noise", "trigger": "trigger", "same": "other", "other": "other"}
    role = fixed[entry.input]
    trigger: list[tuple[bool, int, Token]] = [] if chain.exclude_trigger else [(True, 1, role)]
    if entry.output == "token":  # ȳ = q; ȳ = j; for another k, ȳ = k; the rest
        same: Token = "target" if entry.input == "same" else role
        apart: list[tuple[bool, int, Token]] = [(False, 1, "target")] if entry.input == "other" else []
        misses = [*trigger, *apart, (False, n - 2 - len(apart), role)]
        return [(False, 1, same, hit), *((t, c, r, zero) for t, c, r in misses)]
    apart = [(False, 1, "target")] if entry.input == "other" else []
    every = [*trigger, *apart, (False, n - 1 - len(apart), role)]
    if entry.output == "noise":
        return [(t, c, r, noise) for t, c, r in every]
    return [(t, c, r, hit if t else zero) for t, c, r in every]


def feed_forward_moments(output_is_noise: bool, chain: RecallChain) -> tuple[Number, Number]:
    """Lemma D.1 without approximation: mean and variance of W_U(k)^T (grad W_F) W_E(q) (ȳ uniform over [N])."""
    chance = chain.alpha if output_is_noise else (1 - chain.alpha) / chain.num_tokens
    return chain.one / (chain.num_tokens + 1) - chance, chance * (1 - chance)


def printed_feed_forward(output_is_noise: bool, chain: RecallChain) -> tuple[Number, Number]:
    """Lemma D.1 as printed: mean and variance."""
    n, alpha = chain.num_tokens, chain.alpha
    if output_is_noise:
        return -alpha, alpha * (1 - alpha)
    return 1 / (n + 1) - (1 - alpha) / n, (1 - alpha) / n
