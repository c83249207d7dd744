"""Theorem 2 with ȳ drawn from the tokens other than the trigger: its gaps as T tends to infinity, for every N >= 3.

Given ȳ the context is a Markov chain, so that as T grows a mean over positions tends to its stationary value. With
W_V = (β_1, β_2) of equation (26) and Assumption F.1 the logit of a key b after a unit step of W_QK is then the mean
over ȳ of (1-α) (X[ȳ] - mean of X[k] over the k that ȳ is drawn from),
    X[k] = β_1 Cov(1{z_t = k}, 1{b}) + β_2 Cov(1{z_(t-1) = k}, 1{b}),
where 1{b} is 1{z_t = b} or 1{z_(t-1) = b}. Written for any numbers: rational functions, floats.
"""

from functools import partial
from typing import Any, Literal

import sympy as sp

from lemmata.proofs import Exact, Step

Number = Any
Token = Literal["q", "y", "noise", "j", "l"]  # j and l: two more ordinary tokens, neither q nor ȳ
# Rational functions of n >= 0, e >= 0, s > 0 and β_2 > 0, which stand for N >= 3, β_1 >= β_2 and α in (0, 1).
_, _n, _e, _s, BETA_2 = sp.field("n,e,s,beta_2", sp.QQ)
N, ALPHA, BETA_1 = _n + 3, _s / (1 + _s), BETA_2 + _e


def frequency(token: Token, n: Number, alpha: Number, target: Token = "y") -> Number:
    """The stationary law given ȳ; `target` "q" where ȳ is the trigger itself."""
    trigger = 1 / (alpha * n + 1) if target == "q" else 1 / (n + 1)  # π_q = (1 - π_q)/N + π_q P(q | q)
    if token == "q":
        return trigger
    return after(token, "j", n, alpha, target) * (1 - trigger) + after(token, "q", n, alpha, target) * trigger


def after(token: Token, previous: Token, n: Number, alpha: Number, target: Token = "y") -> Number:
    """P(z_t = token | z_(t-1) = previous, ȳ)."""
    if previous == "q":
        return alpha if token == "noise" else 1 - alpha if token == target else 0 * alpha
    return 0 * alpha if token == "noise" else 1 / n


def logit(
    kind: Literal["token", "previous"], key: Token, n: Number, alpha: Number, b1: Number, b2: Number, also_q: bool
) -> Number:
    """Over 1 - α, for a key "q", "noise" or "j" (any one other token); `also_q`: ȳ may be the trigger, as printed."""

    def deviation(k: Token, b: Token, target: Token) -> Number:
        of, then = partial(frequency, n=n, alpha=alpha, target=target), partial(after, n=n, alpha=alpha, target=target)
        held, same = of(k) * of(b), of(b) if k == b else 0
        k_now_b_before, b_now_k_before = of(b) * then(k, b), of(k) * then(b, k)
        now, before = (same, b_now_k_before) if kind == "token" else (k_now_b_before, same)
        return b1 * (now - held) + b2 * (before - held)

    def surplus(b: Token, target: Token) -> Number:
        """X[ȳ] less the mean over k; "l" stands for all ordinary tokens that are neither q, ȳ nor b."""
        kinds: dict[Token, Number] = {"l": n - 1 - int(target == "y") - int(b == "j")}
        kinds |= {"y": 1} if target == "y" else {}
        kinds |= {"j": 1} if b == "j" else {}
        kinds |= {"q": 1} if also_q else {}
        mean = sum(count * deviation(k, b, target) for k, count in kinds.items()) / (n - 1 + int(also_q))
        return deviation(target, b, target) - mean

    drawn = n - 1 + int(also_q)
    total = surplus(key, "q") if also_q else 0
    if key == "j":  # it is ȳ itself for one ȳ
        return (total + surplus("y", "y") + (n - 2) * surplus("j", "y")) / drawn
    return (total + (n - 1) * surplus(key, "y")) / drawn


def gaps(also_q: bool, values: tuple[Number, Number, Number, Number] = (N, ALPHA, BETA_1, BETA_2)) -> dict[str, Number]:
    """Over 1 - α: ξ_{q->j} less the logit at every other kind of position, j other than q."""
    keys: tuple[Token, ...] = ("j", "q", "noise")
    at = {b: logit("token", b, *values, also_q) for b in keys}
    follows = {b: logit("previous", b, *values, also_q) for b in keys}
    first = at["j"] - at["noise"]
    others = {
        f"(k, then l): k {_NAME[k]}, l {_NAME[held]}": at["j"] + follows["q"] - at[held] - follows[k]
        for k in ("j", "noise")
        for held in keys
    }
    return {"(q, then N+1)": first, **others}


_NAME = {"j": "ordinary", "q": "the trigger", "noise": "the noise"}


def printed_form() -> Number:
    """(N-2)(1-α) [β_1 (1 + αN) + β_2 (αN - 1/N)] / ((N+1)(N-1))², what the first gap over 1 - α comes to."""
    inner = BETA_1 * (1 + ALPHA * N) + BETA_2 * (ALPHA * N - 1 / N)
    return (N - 2) * (1 - ALPHA) * inner / ((N + 1) * (N - 1)) ** 2


def is_positive(gap: Number) -> bool:
    """Numerator and denominator are polynomials without a negative coefficient, with a term that n = e = 0 leaves."""
    for part in (gap.numer, gap.denom):
        terms = part.terms()
        if any(c < 0 for _, c in terms) or not any(powers[:2] == (0, 0) for powers, _ in terms):
            return False
    return True


def steps(also_q: bool) -> tuple[Step, ...]:
    target: Token
    laws = []
    for target in ("y", "q") if also_q else ("y",):
        of = partial(frequency, n=N, alpha=ALPHA, target=target)
        kinds: dict[Token, Number] = {"q": 1, "noise": 1, "j": N - 1}
        kinds |= {"y": 1, "j": N - 2} if target == "y" else {}
        flow = sum(count * of(kind) * after("q", kind, N, ALPHA, target) for kind, count in kinds.items())
        total = sum(count * of(kind) for kind, count in kinds.items())
        laws += [flow - of("q"), total - 1]
    found = gaps(also_q)
    return (
        Exact("the law of a context's tokens is stationary", lambda: not any(laws)),
        *(
            [Exact("the first gap's closed form", lambda: found["(q, then N+1)"] == printed_form())]
            if not also_q
            else []
        ),
        *(Exact(f"ξ(q, then j) exceeds {name}", partial(is_positive, gap)) for name, gap in found.items()),
    )
