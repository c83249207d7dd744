"""Steps of the propositions on the pairwise line. The argument that joins them is in docs/proofs.md."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from lemmata.papers.ic_recall.proof import line
from lemmata.proofs import Exact, Positive, Step, Zeros, exact

COLD = Fraction(1, 20)  # below it the count of critical points needs no boxes in x: x is of the order of T
HOT = Fraction(1, 5)  # up to it S(x) - S(0) rises with T at every x
SIXTH, QUARTER = Fraction(1, 6), Fraction(1, 4)
Curve = Callable[[Any], Any]


def _at(function: Callable[..., Any], t: Fraction, n: int, sign: int = 1) -> Curve:
    """A function of x at a fixed temperature."""
    return lambda x: sign * function(x, exact(t), n)


def _text(value: Fraction) -> str:
    return f"{float(value):.15g}"


def _point(x: Fraction) -> tuple[tuple[Fraction, Fraction]]:
    return ((x, x),)


def beyond_a_sixth() -> tuple[Step, ...]:
    """The slope is positive on [1/6, 1/4) at every T > 0, n = 3: two numbers that the argument needs."""
    y = Fraction(21, 100)
    return (
        Positive("e (1 - 3y) > 1 at y = 0.21", lambda y: (1 - 3 * y) * (y - y + 1).exp() - 1, _point(y)),
        Exact("(1 - y)/y < 4 at y = 0.21", lambda: (1 - y) / y < 4),
    )


def _room(constant: int, linear: int, x: Any) -> Any:
    """9 q'(x) (1 - 4x) - 10, where q' is the slope of a rising term's exponent."""
    return (constant + linear * x) * (1 - 4 * x) * 9 - 10


def _room_far(constant: int, linear: int, x: Any) -> Any:
    """20 x q'(x) (1 - 4x) - 1."""
    return x * (constant + linear * x) * (1 - 4 * x) * 20 - 1


def one_turn() -> tuple[Step, ...]:
    """log A - log(4x) falls and then rises on (0, 1/6], n = 3, at every T in (0, 1/11]."""
    warm = (COLD, Fraction(1, 11))
    small = ((Fraction(0), Fraction(9, 10)), (Fraction(0), COLD))
    steps: list[Step] = [Positive("A'' > 0 for x <= 0.9 T, T <= 1/20", line.scaled_convexity, small)]
    for name, (constant, linear) in {"4 - 12x": (4, -12), "2": (2, 0), "3 - 8x": (3, -8)}.items():
        near, far = partial(_room, constant, linear), partial(_room_far, constant, linear)
        steps += [
            Positive(f"({name})(1 - 4x) > 10/9 on [0, 1/10]", near, ((Fraction(0), Fraction(1, 10)),)),
            Positive(f"x ({name})(1 - 4x) > 1/20 on [1/10, 1/6]", far, ((Fraction(1, 10), SIXTH),)),
        ]
    cut = Fraction(3, 50)
    return (
        *steps,
        Positive("A'' > 0 for x <= 0.06, 1/20 <= T <= 1/11", line.convexity, ((Fraction(0), cut), warm)),
        Positive("x A' > A for 0.06 <= x <= 1/6, 1/20 <= T <= 1/11", line.turning, ((cut, SIXTH), warm)),
    )


def turning_points(until: Fraction, dip: Fraction, count: int) -> tuple[Step, ...]:
    """Exactly `count` critical points in (0, 1/4) at every T in (0, until], n = 3."""
    return (
        Exact("until <= 1/11", lambda: until <= Fraction(1, 11)),
        *beyond_a_sixth(),
        *one_turn(),
        Positive(f"the slope is negative somewhere at T = {_text(until)}", _at(line.slope, until, 3, -1), _point(dip)),
        Zeros("critical points in (0, 1/6] at T = 1/20", _at(line.slope, COLD, 3), ((Fraction(0), SIXTH),), count),
    )


def no_minimum_above(t: Fraction, n: int, bits: int) -> tuple[Step, ...]:
    """The slope is positive on (0, 1/4) at T = t and at every higher temperature."""
    at = f"at T = {_text(t)}"
    low = Positive(f"the slope is positive on [0, 1/6] {at}", _at(line.slope, t, n), ((Fraction(0), SIXTH),), bits)
    if n == 3:
        return (low, *beyond_a_sixth())
    cut = Fraction(99, 400)
    far, near = _at(line.slope_without_confusing, t, n), _at(line.beside_the_equal_point, t, n)
    return (
        low,
        Positive(f"without r_2 on [1/6, 0.2475] {at}", far, ((SIXTH, cut),), bits),
        Positive(f"and, over 1 - 4x, on [0.2475, 1/4] {at}", near, ((cut, QUARTER),), bits),
    )


def existence(n: int, low: Fraction, high: Fraction, dip: Fraction, bits: int) -> tuple[Step, ...]:
    """The highest temperature with an unequal minimum on the line lies in [low, high)."""
    after = Fraction(6, 25)
    return (
        Positive(
            f"the slope is negative at x = {_text(dip)}, T = {_text(low)}",
            _at(line.slope, low, n, -1),
            _point(dip),
            bits,
        ),
        Positive(f"and positive at x = {_text(after)}", _at(line.slope, low, n), _point(after), bits),
        *no_minimum_above(high, n, bits),
    )


def global_line(n: int, low: Fraction, high: Fraction, dip: Fraction, split: Fraction, bits: int) -> tuple[Step, ...]:
    """Up to some T in [low, high] a point with x > 0 is the line's best, beyond it x = 0."""
    return (
        Exact("high <= 1/5", lambda: high <= HOT),
        Positive("20/9 > log 9", lambda one: one * 20 / 9 - (9 * one).log(), _point(Fraction(1))),
        Positive(f"S({_text(dip)}) < S(0) at T = {_text(low)}", _at(line.excess, low, n, -1), _point(dip), bits),
        Positive(
            f"S rises on [0, {_text(split)}] at T = {_text(high)}",
            _at(line.slope, high, n),
            ((Fraction(0), split),),
            bits,
        ),
        Positive(
            f"S(x) > S(0) on [{_text(split)}, 1/4] at T = {_text(high)}",
            _at(line.excess, high, n),
            ((split, QUARTER),),
            bits,
        ),
        *no_minimum_above(HOT, n, bits),
    )


def saddle(sign: int) -> tuple[Step, ...]:
    """2 + exp(u) > u for u = 1/(8T) in [0, 2]; above 2, exp(u) > 1 + u says it."""
    return (
        Positive("2 + exp(u) - u > 0 on [0, 2]", lambda u: sign * (2 + u.exp() - u), ((Fraction(0), Fraction(2)),)),
    )
