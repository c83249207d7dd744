"""Theorem 4.2's second stage, n = 3: from the saddle to the pairwise minimum, at every T up to a temperature.

With v_5 = v_6 = 0 write a, b = v_1, v_3 and c, e = v_2, v_4, A = a - b, C = c - e. Relations r_1 ... r_6 keep ac + be,
ae + bc, ac, ae, bc, be. docs/proofs.md has the argument; here are its identities, in fractions, and its inequalities,
in balls. A perturbation has a length of at most T/10.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from lemmata.papers.ic_recall.proof import line
from lemmata.proofs import Exact, Positive, Step, exact, spanning

Number = Any  # a fraction, a ball, a power series over balls
TUBE = Fraction(1, 50)  # of |log a/c| and |log b/e| after the saddle is left
SCALED = (Fraction(0), Fraction(3, 50))  # A/T and -C/T while A > 0 > C
HALF = (Fraction(49, 100), Fraction(51, 100))  # a + b meanwhile
NEAR = (Fraction(24, 100), Fraction(26, 100))  # each of a, b, c, e meanwhile
VALUES = (Fraction(1, 7), Fraction(2, 5), Fraction(3))
# Where an identity is affine in the probabilities, the corners of their simplex decide.
CORNERS = tuple(tuple(Fraction(int(i == j)) for j in range(6)) for i in range(6))


class Attention(NamedTuple):
    a: Number
    b: Number
    c: Number
    e: Number

    def kept(self) -> tuple[Number, ...]:
        """What r_1 ... r_6 keep of the products."""
        a, b, c, e = self
        return a * c + b * e, a * e + b * c, a * c, a * e, b * c, b * e


class Flow(NamedTuple):
    """T/2 times the rates of theta_1, theta_3, theta_2, theta_4, and of the mean slope m = sum v_i dL/dv_i."""

    a: Number
    b: Number
    c: Number
    e: Number
    mean: Number


def flow(v: Attention, p: tuple[Number, ...]) -> Flow:
    """theta' = -v (dL/dv - m), from eqs. (2)-(5) and (8) with v_5 = 0 and p_1 + ... + p_6 = 1."""
    a, b, c, e = v
    _, p2, p3, p4, p5, p6 = p
    in_a, in_c = -(p5 + p6) * c - (p2 + p4) * (c - e), -(p4 + p6) * a - (p2 + p5) * (a - b)
    in_b, in_e = -(p3 + p4) * e + (p2 + p5) * (c - e), -(p3 + p5) * b + (p2 + p4) * (a - b)
    mean = a * in_a + b * in_b + c * in_c + e * in_e
    return Flow(-a * (in_a - mean), -b * (in_b - mean), -c * (in_c - mean), -e * (in_e - mean), mean)


Law = Callable[[Attention, tuple[Number, ...], Flow], bool]


def _everywhere(law: Law, corners: tuple[tuple[Fraction, ...], ...] = CORNERS, *, tied: str = "") -> bool:
    """Of degree at most two in each score: three values of each decide. `tied`: "ab" or "ce", two scores alike."""
    for a, b, c, e in product(VALUES, repeat=4):
        if (tied == "ab" and a != b) or (tied == "ce" and c != e):
            continue
        v = Attention(a, b, c, e)
        if not all(law(v, p, flow(v, p)) for p in corners):
            return False
    return True


def _alike(*groups: tuple[int, ...]) -> tuple[tuple[Fraction, ...], ...]:
    """Corners of the probabilities that are alike within each group."""
    return tuple(tuple(Fraction(int(i in group), len(group)) for i in range(6)) for group in groups)


def _mean_slope(v: Attention, p: tuple[Number, ...], rates: Flow) -> bool:
    kept = v.kept()
    return rates.mean == -2 * (kept[0] - sum(x * y for x, y in zip(p, kept, strict=True)))


def _first_ratio(v: Attention, p: tuple[Number, ...], rates: Flow) -> bool:
    crossed = (p[1] + p[3]) * v.a * v.e - (p[1] + p[4]) * v.b * v.c
    first = rates.a - rates.c == -crossed + (v.a - v.c) * rates.mean
    return first and rates.b - rates.e == crossed + (v.b - v.e) * rates.mean


def mismatched(v: Attention, p: tuple[Number, ...]) -> Number:
    """What r_3 ... r_6 add to T/2 times the rate of log a/b, beside A m."""
    a, b, c, e = v
    return p[5] * a * c - p[2] * b * e + p[3] * (a * c - a * e - b * e) + p[4] * (a * c + b * c - b * e)


def _parts(v: Attention, p: tuple[Number, ...], rates: Flow) -> bool:
    a, b, c, e = v
    return rates.a - rates.b == p[1] * (a + b) * (c - e) + mismatched(v, p) + (a - b) * rates.mean


def identities(sign: int = 1) -> tuple[Step, ...]:
    """Exact facts about the flow; `sign` -1 states the first two with the other sign."""
    second, first = _alike((0,), (1,), (2, 3), (4, 5)), _alike((0,), (1,), (2, 4), (3, 5))
    return (
        Exact(
            "where c = e: (T/2)(log c/e)' = 2 c A (p_2 + p_3 + p_5)",
            lambda: _everywhere(
                lambda v, p, rates: rates.c - rates.e == sign * 2 * v.c * (v.a - v.b) * (p[1] + p[2] + p[4]),
                second,
                tied="ce",
            ),
        ),
        Exact(
            "where a = b: (T/2)(log a/b)' = 2 a C (p_2 + p_3 + p_4)",
            lambda: _everywhere(
                lambda v, p, rates: rates.a - rates.b == sign * 2 * v.a * (v.c - v.e) * (p[1] + p[2] + p[3]),
                first,
                tied="ab",
            ),
        ),
        Exact("m = -(4/T)(what r_1 keeps - the mean of what is kept)", lambda: _everywhere(_mean_slope)),
        Exact("the rates of log a/c and log b/e", lambda: _everywhere(_first_ratio)),
        Exact(
            "the rate of log ab/(ce) is (a + b - c - e) m",
            lambda: _everywhere(
                lambda v, p, rates: rates.a + rates.b - rates.c - rates.e == (v.a + v.b - v.c - v.e) * rates.mean
            ),
        ),
        Exact("(T/2)(log a/b)' = p_2 (a + b) C + mismatched + A m T/2", lambda: _everywhere(_parts)),
        Exact("ac + be exceeds ae and bc near the saddle", lambda: 2 * NEAR[0] ** 2 > NEAR[1] ** 2),
    )


def mismatched_falls(x: Number, y: Number, t: Number) -> Number:
    """Minus the derivative of `mismatched` in x at A = Tx, C = -Ty, over exp((a + b)(c + e)/(2T))."""
    s = spanning(HALF)
    u = 1 - s
    a, b, c, e = (s + t * x) / 2, (s - t * x) / 2, (u - t * y) / 2, (u + t * y) / 2
    odd, even = t * x * y / 2, (s * y - u * x) / 2
    sixth, third = (even - odd).exp(), (-even - odd).exp()
    fourth, fifth = ((s * y + u * x) / 2 + odd).exp(), (odd - (s * y + u * x) / 2).exp()
    rise = sixth * (c * t / 2 - a * c * e) + third * (e * t / 2 - b * c * e)
    rise = rise + fourth * (e * (a * c - a * e - b * e) + c * t / 2) + fifth * (e * t / 2 - c * (a * c + b * c - b * e))
    return -rise


def at_barrier(x: Fraction, j: Number, k: Number) -> Attention:
    """be/(ac) as on the line at x, log a/c = j and log b/e = k."""
    ratio = exact(x / (Fraction(1, 2) - x))
    a, c, b, e = (j / 2).exp(), (-j / 2).exp(), ratio * (k / 2).exp(), ratio * (-k / 2).exp()
    total = a + b + c + e
    return Attention(a / total, b / total, c / total, e / total)


def _coefficients(v: Attention) -> tuple[Number, ...]:
    """T/2 times the rate of log ac/(be) is the sum of these times p_1 ... p_6."""
    a, b, c, e = v
    lead, first, second = a + c - b - e, a - b, c - e
    right, crossed, *_ = v.kept()
    return (
        0,
        (a + b) * second + (c + e) * first - 2 * lead * (right - crossed),
        -2 * b * e * (1 + lead),
        a * c + a * second - b * e + e * first - 2 * lead * (right - a * e),
        a * c + c * first - b * e + b * second - 2 * lead * (right - b * c),
        2 * a * c * (1 - lead),
    )


def returns(x: Fraction, t: Fraction, j: Number, k: Number) -> Number:
    """Minus the rate of log ac/(be) over p_3, times T/2, in the tube at the barrier."""
    v = at_barrier(x, j, k)
    kept = v.kept()
    weights = [((one - kept[2]) * 2 / exact(t)).exp() for one in kept]
    return -sum(weight * part for weight, part in zip(weights[1:], _coefficients(v)[1:], strict=True))


def _coefficient(x: Fraction, relation: int, j: Number, k: Number) -> Number:
    return _coefficients(at_barrier(x, j, k))[relation - 1]


def _behind(x: Fraction, relation: int, j: Number, k: Number) -> Number:
    kept = at_barrier(x, j, k).kept()
    return kept[2] - kept[relation - 1]


def barrier(x: Fraction, until: Fraction) -> tuple[Step, ...]:
    """In the tube ac/(be) falls where it is as on the line at x, at every T up to `until`."""
    tube = ((-TUBE, TUBE), (-TUBE, TUBE))
    steps: list[Step] = []
    for relation in (2, 4, 5, 6):
        steps += [
            Positive(f"r_{relation} raises ac/(be) at the barrier", partial(_coefficient, x, relation), tube),
            Positive(f"r_{relation} keeps less than r_3 at the barrier", partial(_behind, x, relation), tube),
        ]
    return (*steps, Positive(f"r_3 lowers it more, T = {float(until):.15g}", partial(returns, x, until), tube))


def leaves_saddle(until: Fraction) -> tuple[Step, ...]:
    """While A > 0 > C: the mismatched relations do not raise log a/b."""
    box = (SCALED, SCALED, (Fraction(0), until))
    return (Positive("the mismatched relations' part falls in A", mismatched_falls, box),)


def convergence(until: Fraction, x: Fraction, sign: int = 1) -> tuple[Step, ...]:
    return (*identities(sign), *leaves_saddle(until), *barrier(x, until))


def both_pairs_are_better(until: Fraction, best: Fraction) -> tuple[Step, ...]:
    """S(best) < S(0) at T = until, and so at every lower T."""
    return (
        Positive(
            f"S({float(best):.15g}) < S(0) at T = {float(until):.15g}",
            lambda x: -line.excess(x, exact(until), 3),
            ((best, best),),
            192,
        ),
    )


def one_pair_is_best(since: Fraction, split: Fraction) -> tuple[Step, ...]:
    """S(x) > S(0) on (0, 1/4] at T = since, and so at every T up to 1/5."""
    at = f"at T = {float(since):.15g}"
    return (
        Positive(
            f"S rises on [0, {float(split):.15g}] {at}",
            lambda x: line.slope(x, exact(since), 3),
            ((Fraction(0), split),),
            192,
        ),
        Positive(
            f"S(x) > S(0) on [{float(split):.15g}, 1/4] {at}",
            lambda x: line.excess(x, exact(since), 3),
            ((split, Fraction(1, 4)),),
            192,
        ),
    )
