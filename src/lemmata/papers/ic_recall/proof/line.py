"""The loss on the pairwise line v = (x, x, 1/2 - x, 1/2 - x, 0, 0) in a full world of n subjects, for balls and series.

Relations other than r_1 fall into five groups; group j has n_j relations and the logit gap d_j(x) <= 0:
    1 with -8x^2 + 4x - 1/2;  n-2 with -2x^2;  n-2 with -2x^2 + 2x - 1/2;  2(n-2) with -6x^2 + 3x - 1/2;
    (n-2)(n-3) with -4x^2 + 2x - 1/2.
The loss is log S, S = 1 + sum of n_j exp(d_j/T). Only the group of -2x^2 falls in x. Written without it, and times
T exp(2x^2/T)/(n-2), the slope of S is the sum of the rising terms c(x) exp(q(x)/T) less 4x.
"""

from fractions import Fraction
from typing import Any

Number = Any  # a ball, a power series over balls
HALF = Fraction(1, 2)


def _exp(value: Number) -> Number:
    return value.exp()


def rising_terms(x: Number, n: int) -> list[tuple[Number, Number]]:
    """c(x) and q(x) + 1/2 of the rising terms, c times n - 2; the first is the confusing relation's."""
    terms = [
        (4 - 16 * x, 4 * x - 6 * x * x),
        ((2 - 4 * x) * (n - 2), 2 * x),
        ((6 - 24 * x) * (n - 2), 3 * x - 4 * x * x),
    ]
    return terms + ([((2 - 8 * x) * ((n - 2) * (n - 3)), 2 * x - 2 * x * x)] if n > 3 else [])


def slope(x: Number, t: Number, n: int) -> Number:
    """It has the sign of dL/dx for x in (0, 1/4)."""
    rest = -1 / (2 * t)
    rise = sum(c * _exp(q / t + rest) for c, q in rising_terms(x, n))
    return rise - 4 * (n - 2) * x


def slope_without_confusing(x: Number, t: Number, n: int) -> Number:
    """Less than slope / (n - 2) on (0, 1/4): without the confusing relation's term. With y = 1 - 4x."""
    y = 1 - 4 * x
    return (1 + y) * _exp(-y / (2 * t)) - (1 - y) + y * _kept_by_others(x, t, n)


def beside_the_equal_point(x: Number, t: Number, n: int) -> Number:
    """Less than the same over y, by (exp(-y/(2T)) - 1)/y >= -1/(2T): for y near 0, where both vanish."""
    return 1 + _exp(-(1 - 4 * x) / (2 * t)) - 1 / (2 * t) + _kept_by_others(x, t, n)


def _kept_by_others(x: Number, t: Number, n: int) -> Number:
    """Relations that keep a crossed pair, or none."""
    y = 1 - 4 * x
    none = 2 * (n - 3) * _exp(-2 * (x - _half(x)) * (x - _half(x)) / t)
    return 6 * _exp(-(y + y * y) / (4 * t)) + none


def _half(x: Number) -> Number:
    return (x - x + 1) / 2


def other_gaps(x: Number, n: int) -> list[tuple[int, Number]]:
    """n_j and d_j(x) + 1/2 of every group but that of -2x^2."""
    return [
        (1, 4 * x - 8 * x * x),
        (n - 2, 2 * x - 2 * x * x),
        (2 * (n - 2), 3 * x - 6 * x * x),
        ((n - 2) * (n - 3), 2 * x - 4 * x * x),
    ]


def excess(x: Number, t: Number, n: int) -> Number:
    """S at x less S at 0, where one pair takes all."""
    rest = -1 / (2 * t)
    lost = (n - 2) * (_exp(-2 * x * x / t) - 1)
    return sum((m * (_exp(q / t + rest) - _exp(rest)) for m, q in other_gaps(x, n) if m), lost)


def rise(x: Number, t: Number) -> Number:
    """A(x), n = 3: the rising terms times exp(1/(2T)). slope = exp(-1/(2T)) A(x) - 4x."""
    return sum(c * _exp(q / t) for c, q in rising_terms(x, 3))


def _derivatives(x: Number, t: Number) -> list[tuple[Number, Number, Number, Number, Number]]:
    """c, c', q', q'' and exp(q/T) of each rising term, n = 3, by hand: second derivatives in a box of two variables."""
    return [
        (4 - 16 * x, -16, 4 - 12 * x, -12, _exp((4 * x - 6 * x * x) / t)),
        (2 - 4 * x, -4, 2 + 0 * x, 0, _exp(2 * x / t)),
        (6 - 24 * x, -24, 3 - 8 * x, -8, _exp((3 * x - 4 * x * x) / t)),
    ]


def convexity(x: Number, t: Number) -> Number:
    """T^2 A''(x): where it is positive x A' - A rises, as its slope is x A''."""
    terms = _derivatives(x, t)
    return sum((2 * c1 * q1 * t + c * q2 * t + c * q1 * q1) * e for c, c1, q1, q2, e in terms)


def turning(x: Number, t: Number) -> Number:
    """T (x A'(x) - A(x)): the sign of d/dx log(A(x)/x), hence of d/dx of G = log A - log(4x) - 1/(2T)."""
    return sum((x * (c1 * t + c * q1) - c * t) * e for c, c1, q1, _, e in _derivatives(x, t))


def scaled_convexity(s: Number, t: Number) -> Number:
    """The same as `convexity` at x = sT, where T = 0 is an ordinary point."""
    x = s * t
    terms = [
        (4 - 16 * x, -16, 4 - 12 * x, -12, _exp(4 * s - 6 * s * s * t)),
        (2 - 4 * x, -4, 2 + 0 * x, 0, _exp(2 * s + 0 * x)),
        (6 - 24 * x, -24, 3 - 8 * x, -8, _exp(3 * s - 4 * s * s * t)),
    ]
    return sum((2 * c1 * q1 * t + c * q2 * t + c * q1 * q1) * e for c, c1, q1, q2, e in terms)
