"""What the pairwise line does as T rises, in every full world: the exact facts that the proofs of T_e and T_g use.

The slope is a sum of c(x) exp(q(x)/T) less 4(n-2)x: where q <= 0 it rises with T. And T^2 times the T-derivative of
S(x) - S(0) is the sum of n_j phi(a_j(x)) less the same at x = 0, phi(a) = a exp(-a/T), a_j = -d_j; phi rises and then
falls, so that on [1/18, 1/2] it is at least phi(1/2) as soon as phi(1/18) is.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from lemmata.papers.ic_recall.proof import line
from lemmata.proofs import Exact, Positive, Step, exact

SIXTH, QUARTER, HALF = Fraction(1, 6), Fraction(1, 4), Fraction(1, 2)
POINTS = (Fraction(0), Fraction(1, 7), Fraction(1, 3), Fraction(2))  # polynomials of degree two: three decide
Curve = Callable[[Fraction], Fraction]


def _same(one: Curve, other: Curve) -> bool:
    return all(one(x) == other(x) for x in POINTS)


# q of the rising terms, each a product whose sign on (0, 1/4) shows; the first is below 0 up to 1/6 alone.
RISING: tuple[Curve, ...] = (
    lambda x: -6 * (x - SIXTH) * (x - HALF),
    lambda x: 2 * (x - QUARTER),
    lambda x: -4 * (x - QUARTER) * (x - HALF),
    lambda x: -2 * (x - HALF) ** 2,
)
# a_j of r_2 and of the groups beside -2x^2, in `line`'s order: a number plus a product, and 1/2 less a product.
GAPS: tuple[tuple[Curve, Curve], ...] = (
    (lambda x: Fraction(1, 18) + 8 * (x - SIXTH) * (x - 2 * SIXTH), lambda x: HALF - 8 * x * (HALF - x)),
    (lambda x: 2 * (x - HALF) ** 2, lambda x: HALF - 2 * x * (1 - x)),
    (lambda x: Fraction(1, 8) + 6 * (x - QUARTER) ** 2, lambda x: HALF - 6 * x * (HALF - x)),
    (lambda x: Fraction(1, 4) + 4 * (x - QUARTER) ** 2, lambda x: HALF - 4 * x * (HALF - x)),
)


def exponents_are_products() -> bool:
    """The exponents that `line` uses, less 1/2, are those of RISING."""
    return all(_same(lambda x, j=j: line.rising_terms(x, 4)[j][1] - HALF, one) for j, one in enumerate(RISING))


def gaps_stay_between() -> bool:
    """The gaps that `line` uses are, both ways, those of GAPS."""
    return all(
        _same(lambda x, j=j: HALF - line.other_gaps(x, 4)[j][1], one) for j, both in enumerate(GAPS) for one in both
    )


def _ahead(t: Any) -> Any:
    """log of phi(1/18) over phi(1/2), times T."""
    return exact(Fraction(4, 9)) - t * exact(Fraction(9)).log()


def temperature_order_steps(until: Fraction) -> tuple[Step, ...]:
    return (
        Exact("the exponents are -6(x-1/6)(x-1/2), 2(x-1/4), -4(x-1/4)(x-1/2), -2(x-1/2)^2", exponents_are_products),
        Exact("the gaps lie between 1/18 and 1/2 on [0, 1/6], all but r_2's on [1/6, 1/4]", gaps_stay_between),
        Exact("2(1/2 - 1/4)^2 and 1/8, 1/4 exceed 1/18", lambda: min(2 * QUARTER**2, Fraction(1, 8)) > Fraction(1, 18)),
        Exact("2x^2 is 1/18 at 1/6 and 1/8 at 1/4", lambda: Fraction(1, 18) == 2 * SIXTH**2 and 2 * QUARTER**2 < HALF),
        Positive(
            f"phi(1/18) > phi(1/2) at T = {float(until):.10g}, and so at every lower T", _ahead, ((until, until),)
        ),
    )
