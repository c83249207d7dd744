"""Constants of Lemmas C.2 and C.3 as enclosures: the curvature after one large step, and how fast the gap grows.

Lemma C.2: population of a full world, where the step leaves v_1 = v_3 and v_2 = v_4 (see `one_step`). Lemma C.3: the
gradient flow with r_1 and r_2 in play alone, as in its proof; g = (v_1 - v_3)(v_2 - v_4).
"""

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from lemmata.papers.ic_recall.proof.escape import Attention, flow
from lemmata.papers.ic_recall.proof.one_large_step import CONFUSING, RIGHT, matchings_in, products, scores_after
from lemmata.proofs import Exact, Positive, Step, exact
from lemmata.proofs.balls import flint

Number = Any  # a fraction, a ball, a power series over balls
SURE = Fraction(9991, 10000)  # p(r_1) up to which the proof follows g
LEAST = (Fraction(1, 3), Fraction(7, 25))  # of v_1 + v_3 and of v_2 + v_4: Stage 1 leaves more where T <= 0.004


def curvature(t: Number, n: int, factor: int) -> Number:
    """-T times the second derivative of the loss along (1, 1, -1, -1, 0, 0)/2 in theta, after the step.

    v' = d v and v'' = v (d^2 - (v_1 + v_2)/2), since v.d = 0 there. The loss is log sum exp(-gaps/T): its second
    derivative is the mean of the logits' second derivatives over T and the variance of the first ones over T^2.
    """
    v = scores_after(t, n, factor)
    spread = (v[0] + v[1]) / 2
    first = [v[0] / 2, v[1] / 2, -v[2] / 2, -v[3] / 2, 0 * v[4], 0 * v[5]]
    second = [one / 4 - one * spread for one in v[:4]] + [-one * spread for one in v[4:]]

    def speed(matching: Any) -> Number:
        return sum(first[2 * s] * v[2 * a + 1] + v[2 * s] * first[2 * a + 1] for s, a in matching)

    def bend(matching: Any) -> Number:
        ends = ((2 * s, 2 * a + 1) for s, a in matching)
        return sum(second[i] * v[j] + 2 * first[i] * first[j] + v[i] * second[j] for i, j in ends)

    # r_1 and r_2 weigh 1 each; along the direction l(r_2) - l(r_1) = -2g has no slope and bends by -4 v_1 v_2.
    total, mean, square, bent = 2 + 0 * t, 0 * t, 0 * t, -4 * v[0] * v[1]
    for matching, count in matchings_in(n):
        if matching in (RIGHT, CONFUSING):
            continue
        more, less = matching - RIGHT, RIGHT - matching
        weight = count * (2 * (products(v, more) - products(v, less)) / t).exp()
        change = 2 * (speed(more) - speed(less))
        total, mean = total + weight, mean + weight * change
        square, bent = square + weight * change * change, bent + weight * 2 * (bend(more) - bend(less))
    mean = mean / total
    return -bent / total - (square / total - mean * mean) / t


def _above(low: Fraction, n: int, factor: int, t: Number) -> Number:
    return curvature(t, n, factor) - exact(low)


def _below(high: Fraction, n: int, factor: int, t: Number) -> Number:
    return exact(high) - curvature(t, n, factor)


def curvature_steps(
    n: int, factor: int, temperatures: tuple[Fraction, Fraction], bounds: tuple[Fraction, Fraction], bits: int
) -> tuple[Step, ...]:
    low, high = bounds
    return (
        Exact("the lower bound is no less than 1/18", lambda: low >= Fraction(1, 18)),
        Positive(f"-T f''(0) > {float(low):.15g}", partial(_above, low, n, factor), (temperatures,), bits),
        Positive(f"-T f''(0) < {float(high):.15g}", partial(_below, high, n, factor), (temperatures,), bits),
    )


def gap_rate(v: Attention, others: Fraction) -> Fraction:
    """T/(2 p_2) times the rate of g; `others` is v_5^2 + v_6^2, whose scores move by v m."""
    a, b, c, e = v
    rates = flow(v, (0, 1, 0, 0, 0, 0))
    drift = a * rates.a + b * rates.b + c * rates.c + e * rates.e + others * rates.mean
    first = a * rates.a - b * rates.b - (a - b) * drift
    second = c * rates.c - e * rates.e - (c - e) * drift
    return first * (c - e) + second * (a - b)


def rate_is_as_argued() -> bool:
    """(a^2 + b^2) C^2 + (c^2 + e^2) A^2 - 4 g^2 (a + b + c + e - |v|^2): of degree at most four in each score."""
    values = tuple(Fraction(i, 7) for i in range(1, 6))
    for a, b, c, e in product(values, repeat=4):
        for others in (Fraction(0), Fraction(1, 3)):
            g, norm = (a - b) * (c - e), a * a + b * b + c * c + e * e + others
            expected = (a * a + b * b) * (c - e) ** 2 + (c * c + e * e) * (a - b) ** 2
            if gap_rate(Attention(a, b, c, e), others) != expected - 4 * g * g * (a + b + c + e - norm):
                return False
    return True


def _room(t: Number, lead: Number) -> Number:
    """(v_1 + v_3)(v_2 + v_4) - 4g (v_1 + v_2 + v_3 + v_4) at the least sums, where 2g/T = lead."""
    first, second = LEAST
    return exact(first * second) - 2 * t * lead * exact(first + second)


def growth(constant: Fraction, p: Number, t: Number) -> Number:
    """T g'/g less the constant, at p(r_2) = p."""
    return 2 * p * _room(t, ((1 - p) / p).log()) - exact(constant)


def time_left(constant: Fraction, t: Number) -> Number:
    """constant log(1/T) less a bound of the time from g = T^4 until p(r_1) = 0.9991, in units of T.

    With y = 2g/T the time is at most the integral of (1 + e^y)/(2 y room) from 2T^3 to z = log(p/(1 - p)): the integral
    of (1 + e^y)/y is log y + Ei(y), and Ei(y) > log y + Euler's constant. So 6 log(1/T) + k over twice the room, with
    k = log z + Ei(z) - 2 log 2 - Euler's constant; over log(1/T) it falls with T.
    """
    last = _last_lead()
    rest = last.log() + last.ei() - 2 * exact(Fraction(2)).log() - flint().arb.const_euler()
    length = -t.log()
    return length * exact(constant) - (6 * length + rest) / (2 * _room(t, last))


def _last_lead() -> Number:
    """2g/T where p(r_1) = 0.9991."""
    return exact(SURE / (1 - SURE)).log()


def growth_steps(most: Fraction, growth_constant: Fraction, time_constant: Fraction) -> tuple[Step, ...]:
    probabilities = (1 - SURE, Fraction(1, 2))
    return (
        Exact("the rate of g with r_1 and r_2 alone", rate_is_as_argued),
        Exact("the constant is no less than 1/10000", lambda: growth_constant >= Fraction(1, 10000)),
        Positive("both sums exceed 4g", lambda t: exact(LEAST[1]) - 2 * t * _last_lead(), ((most, most),)),
        Positive(
            f"T g'/g > {float(growth_constant):.15g} at the highest T, and so at every lower one",
            lambda p: growth(growth_constant, p, exact(most)),
            (probabilities,),
        ),
        Positive(f"time < {float(time_constant):.15g} T log(1/T)", partial(time_left, time_constant), ((most, most),)),
    )
