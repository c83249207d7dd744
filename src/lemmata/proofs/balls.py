"""Enclosures of a function and of its derivatives over a box, in balls.

A box's ends are fractions. A variable is given to the function as a power series with one more term, so that the
derivative comes from the same code as the value and no formula is written twice.
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from typing import Any

from lemmata.proofs.steps import Domain, Function, Interval

Ball = Any  # flint.arb


@cache
def flint() -> Any:
    """Imported by whoever computes alone: what lists or judges claims needs no extra."""
    return importlib.import_module("flint")


@contextmanager
def precision(bits: int) -> Iterator[None]:
    ctx = flint().ctx
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def exact(value: Fraction) -> Ball:
    """A ball around a fraction (of no width where it is dyadic)."""
    return flint().arb(flint().fmpq(value.numerator, value.denominator))


def spanning(interval: Interval) -> Ball:
    """A ball that holds the whole interval."""
    low, high = interval
    return exact(low) if low == high else exact(low).union(exact(high))


def middle(interval: Interval) -> Fraction:
    return (interval[0] + interval[1]) / 2


def value(function: Function, balls: list[Ball]) -> Ball:
    """The function of balls; where it cannot be evaluated, a ball that decides nothing."""
    result = _evaluated(function, balls)
    return result if isinstance(result, flint().arb) else flint().arb(result)


def slope(function: Function, balls: list[Ball], axis: int) -> Ball:
    """The derivative along one axis, everywhere in the box."""
    series_of = flint().arb_series
    # Two terms: a constant and its first derivative.
    series = [series_of([ball, 1], 2) if i == axis else ball for i, ball in enumerate(balls)]
    result = _evaluated(function, series)
    if isinstance(result, series_of):
        return result[1]
    return flint().arb(0) if isinstance(result, int) or result.is_finite() else flint().arb("nan")  # 0: a constant


def _evaluated(function: Function, arguments: list[Ball]) -> Any:
    """Series refuse what balls answer with "not a number": a quotient by, or a root of, what may be zero."""
    try:
        return function(*arguments)
    except (ValueError, ZeroDivisionError):
        return flint().arb("nan")


def enclosure(function: Function, box: Domain) -> Ball:
    """The function on the box: the plain evaluation, and the mean-value form where the plain one cannot tell the sign.

    f(x, t) lies in f(m, k) + f_x(X, T) (X - m) + f_t(m, T) (T - k), by the mean-value theorem one axis at a time.
    """
    balls = [spanning(interval) for interval in box]
    plain = value(function, balls)
    if plain > 0 or plain < 0 or all(low == high for low, high in box):
        return plain
    centre = [exact(middle(interval)) for interval in box]
    total = value(function, centre)
    for axis in range(len(box)):
        mixed = [*centre[:axis], *balls[axis:]]
        total += slope(function, mixed, axis) * (balls[axis] - centre[axis])
    return total


def steepness(function: Function, box: Domain) -> Ball:
    """The derivative of a function of one variable, everywhere in the box."""
    return slope(function, [spanning(box[0])], 0)
