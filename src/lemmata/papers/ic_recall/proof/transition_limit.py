"""Where one pair takes over as the world grows: T log n tends to 1/2. For every n from a first one on.

With N = log n and v = 1/sqrt(N) in (0, v_0], T = tau/N and tau = 1/2 - v/2: at x = 9 v^2 (1 - v)/20, where x/T = 9/10,
    (S(x) - S(0))/(n - 2) < exp(-y) (exp(9/5 - 2z) + 4 exp(18/5 - N)) - (1 - exp(-z)),
y = 1/(v (1 - v)) and z = 2 x^2/T = 81 v^2 (1 - v)/100. It is negative: so T_g log n > tau. At tau = 1/2 the slope of S
is positive on (0, 1/4). docs/proofs.md has both arguments.
"""

from fractions import Fraction
from math import factorial
from typing import Any

from lemmata.proofs import Exact, Positive, Step

Number = Any  # a ball, a power series over balls
COLD = Fraction(1, 16)  # of v; below it exp(-y) is bounded by 8!/y^8, so that v = 0 is an ordinary point
HALF = Fraction(1, 2)


def _loss(v: Number) -> Number:
    """z / v^2."""
    return (1 - v) * 81 / 100


def pair_is_worth_it(v: Number) -> Number:
    """1 - exp(-z) less the rest, from COLD on."""
    z = _loss(v) * v * v
    y = 1 / (v * (1 - v))
    rest = (_number(v, Fraction(9, 5)) - 2 * z).exp() + 4 * (_number(v, Fraction(18, 5)) - 1 / (v * v)).exp()
    return 1 - (-z).exp() - (-y).exp() * rest


def pair_is_worth_it_cold(v: Number) -> Number:
    """A lower bound of the same over v^2, by 1 - exp(-z) >= z - z^2/2, exp(-y) <= 8!/y^8 and N >= 0."""
    z = _loss(v)
    power = (v * (1 - v)) ** 6 * (1 - v) ** 2
    rest = _number(v, Fraction(9, 5)).exp() + 4 * _number(v, Fraction(18, 5)).exp()
    return z - z * z * v * v / 2 - factorial(8) * power * rest


def _number(v: Number, value: Fraction) -> Number:
    """A fraction of the kind of v."""
    return (v - v + value.numerator) / value.denominator


def transition_limit_steps(first: int, limit: Fraction, last: Fraction) -> tuple[Step, ...]:
    """`last` is no less than 1/sqrt(log first)."""
    point, share = ((last, last),), 1 - Fraction(3, first)
    return (
        Exact("n exp(-1/(2T)) does not vanish at T log n = limit: 2 limit >= 1", lambda: 2 * limit >= 1),
        Exact("and does at every lower one: 2 limit <= 1", lambda: 2 * limit <= 1),
        Positive(
            f"v^2 log n >= 1 at v = {float(last):.6g}, n = {first}",
            lambda v: v * v * _number(v, Fraction(first)).log() - 1,
            point,
        ),
        Exact("tau >= 9/32, where the slope at x = 1/8 is positive", lambda: limit - last / 2 >= Fraction(9, 32)),
        Exact("T <= 1/5", lambda: limit * last**2 <= Fraction(1, 5)),
        Positive("both pairs are better, v <= 1/16", pair_is_worth_it_cold, ((Fraction(0), COLD),)),
        Positive(f"both pairs are better, v <= {float(last):.6g}", pair_is_worth_it, ((COLD, last),)),
        Exact("1 - 3/n > 1/2, so that S rises on [0, 1/8] at tau = 1/2", lambda: share > HALF),
        Positive("2 (1 - 3/n) e (7/16) > 3/2, so that it rises on [1/8, 1/4)", _rises_far, ((share, share),)),
    )


def _rises_far(share: Number) -> Number:
    """With share = 1 - 3/n; by exp(7N/16) >= e 7N/16."""
    return share * (share - share + 1).exp() * 7 / 8 - _number(share, Fraction(3, 2))
