"""The first gradient at zero weights: Lemma D.1 (W_F) and Lemma D.2 with Table 3 (W_V).

At zero weights every predicted probability is 1/(N+1) and attention is uniform, so for one sequence
    W_U(k)^T (grad W_F) W_E(q) = 1/(N+1) - 1{y = k},
    W_U(j)^T (grad W_V) W_E(k) = (1/(N+1) - 1{y = j}) f_k,    f_k = the fraction of positions t <= T with z_t = k.
Printed forms keep the leading order in N (and in N/T); `exact_*` keep everything.
"""

from typing import Literal, NamedTuple

import numpy as np

from lemmata.papers.association.theory.chain import Number, RecallChain, Token, count_moments, largest_count

Output = Literal["noise", "trigger", "token"]
Input = Literal["noise", "trigger", "same", "other"]


class Entry(NamedTuple):
    """One row of Table 3: the output token j and the input token k by the part they play."""

    output: Output
    input: Input

    @property
    def label(self) -> str:
        j = {"noise": "N+1", "trigger": "q", "token": "j"}[self.output]
        others = "k ∉ {q, j}" if self.output == "token" else "k ≠ q"
        return f"({j}, { {'noise': 'N+1', 'trigger': 'q', 'same': 'j', 'other': others}[self.input] })"

    def cells(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """The (j, k) that the row stands for, where token 0 is the trigger and token N the noise."""
        members = {"noise": [n], "trigger": [0], "token": range(1, n), "same": range(1, n), "other": range(1, n)}
        j, k = (grid.ravel() for grid in np.meshgrid(members[self.output], members[self.input], indexing="ij"))
        paired = self.output == "token" and self.input in ("same", "other")
        kept = (j == k) == (self.input == "same") if paired else np.full(len(j), True)
        return j[kept], k[kept]


ROWS: dict[Output, tuple[Input, ...]] = {
    "noise": ("noise", "trigger", "other"),
    "trigger": ("noise", "trigger", "other"),
    "token": ("noise", "trigger", "same", "other"),
}
TABLE_3 = tuple(Entry(output, input) for output, inputs in ROWS.items() for input in inputs)
PRINTED_RANGES = (1 / 2, 1, 1, 1 / 2, 1, 1, 1 / 3, 1 / 2, 1, 1)


def corrected_ranges(length: int) -> tuple[float, ...]:
    """Its R with two rows repaired: q N+1 q N+1 ... is possible whatever ȳ is, so the noise can fill half of the
    context, and the trigger half of it with z_T = q on top."""
    return (1 / 2, 1, 1, 1 / 2, 1, 1, 1 / 2, 1 / 2 + 1 / length, 1, 1)


def deviation_bound(variance: np.ndarray, range: np.ndarray, samples: int, events: int, delta: float) -> np.ndarray:
    """Bernstein's with a union over `events`, the right-hand side of (6) and (12)."""
    logarithm = np.log(events) + np.log(2 / delta)
    return np.sqrt(4 * variance * logarithm / samples) + 4 * range * logarithm / samples


class Leading(NamedTuple):
    """A row's leading coefficients: mean = mean / N^p, variance = over_t / (T N^p) + over_n / N^(p+1),
    with p = 1 for the noise output and p = 2 for the others."""

    mean: Number
    over_t: Number
    over_n: Number

    def at(self, chain: RecallChain, p: int) -> dict[str, Number]:
        n = chain.num_tokens
        variance = self.over_t / (chain.length * n**p) + self.over_n / (n**p * n)
        return {"mean": self.mean / n**p, "variance": variance}


def power(entry: Entry) -> int:
    return 1 if entry.output == "noise" else 2


def printed(entry: Entry, alpha: Number) -> Leading:
    """Table 3 as printed; of the mean of (j, j), whose minus our text has before the fraction, the reading that
    equation (23) and Assumption F.1 use."""
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
            return Leading(-(a**2) + 3 * a - 1, 1 + square, 1 + square * (2 - a))
        case _:
            return Leading(a, 2 - a, 2 - a)


def corrected(entry: Entry, alpha: Number) -> Leading:
    """Table 3 with its slips repaired; the causes, each derived in the tests:

    every variance with j <= N loses a term, because the uniform prediction enters squared, 1/(N+1)², and not as
    1/(N+1); rows (N+1, q), (q, q) and (j, q) gain one, because z_T = q is counted; and row (q, q) comes from Lemma E.1,
    whose second moment has 2/α² for 2/α (`counts.LEMMAS`).
    """
    a = alpha
    match entry.output, entry.input:
        case "noise", "trigger":
            return Leading(-a, a + 2 * (a - a**2), a - a**2)
        case "noise", _:
            return printed(entry, a)
        case "trigger", "noise":
            return Leading(2 * a - 1, 1 - a, 1 - a)
        case "trigger", "trigger":
            return Leading((2 * a - 1) / a, (1 - a) * (2 + a) / a**2, (1 - a) / a**2)
        case "token", "noise":
            return Leading(a**2, (1 - a) * a, (1 - a) * a**2)
        case "token", "trigger":
            return Leading(a, 3 * (1 - a), 1 - a)
        case "token", "same":
            return Leading(printed(entry, a).mean, (1 - a) * (2 - a), (1 - a) * (2 - a) ** 2)
        case _:
            return Leading(a, 1 - a, 1 - a)


def exact_moments(entry: Entry, chain: RecallChain) -> tuple[Number, Number]:
    """The mean and the variance over sequences of W_U(j)^T (grad W_V) W_E(k), exactly."""
    uniform = chain.one / (chain.num_tokens + 1)
    mean = square = chain.one - chain.one
    for target_is_trigger, number, token, probability in _cases(entry, chain):
        count, count_square = count_moments(chain, target_is_trigger, token)
        weight = chain.one * number / len(chain.targets)
        mean += weight * (uniform - probability) * count / chain.length
        square += weight * (uniform**2 + (1 - 2 * uniform) * probability) * count_square / chain.length**2
    return mean, square - mean**2


def exact_range(entry: Entry, chain: RecallChain) -> float:
    """The largest |gradient - mean| over sequences of positive probability: the R of Bernstein's inequality."""
    mean, _ = exact_moments(entry, chain)
    uniform = 1 / (chain.num_tokens + 1)
    largest = 0.0
    for target_is_trigger, number, token, probability in _cases(entry, chain):
        if number == 0:
            continue
        fraction = largest_count(chain, target_is_trigger, token) / chain.length
        factors = [uniform] + ([uniform - 1] if probability > 0 else [])
        largest = max(largest, *(abs(factor * fraction - float(mean)) for factor in factors), abs(float(mean)))
    return largest


Case = tuple[bool, int, Token, Number]  # of ȳ: is it q, how many such ȳ, the part k plays given ȳ, P(y = j | ȳ)


def cases(entry: Entry, chain: RecallChain) -> list[Case]:
    """By what ȳ is: the part that k plays and the chance that y = j."""
    return _cases(entry, chain)


def _cases(entry: Entry, chain: RecallChain) -> list[Case]:
    zero, hit = chain.one - chain.one, 1 - chain.alpha
    # P(y = j) given ȳ = q, and given a ȳ that is neither q nor j
    at_trigger, elsewhere = {"noise": (chain.alpha,) * 2, "trigger": (hit, zero), "token": (zero, zero)}[entry.output]
    role: Token = "other" if entry.input == "same" else entry.input
    at_j: list[Case] = [(False, 1, "target" if entry.input == "same" else role, hit)] * (entry.output == "token")
    at_k: list[Case] = [(False, 1, "target", elsewhere)] * (entry.input == "other")
    rest = chain.num_tokens - 1 - len(at_j) - len(at_k)
    return [
        *at_j,
        *([] if chain.exclude_trigger else [(True, 1, role, at_trigger)]),
        *at_k,
        (False, rest, role, elsewhere),
    ]


def feed_forward_moments(output_is_noise: bool, chain: RecallChain) -> tuple[Number, Number]:
    """Lemma D.1 without approximation: mean and variance of W_U(k)^T (grad W_F) W_E(q) (ȳ uniform over [N])."""
    probability = chain.alpha if output_is_noise else (1 - chain.alpha) / chain.num_tokens
    return chain.one / (chain.num_tokens + 1) - probability, probability * (1 - probability)


def printed_feed_forward(output_is_noise: bool, chain: RecallChain) -> tuple[Number, Number]:
    """Lemma D.1 as printed: mean and variance."""
    n, alpha = chain.num_tokens, chain.alpha
    if output_is_noise:
        return -alpha, alpha * (1 - alpha)
    return 1 / (n + 1) - (1 - alpha) / n, (1 - alpha) / n
