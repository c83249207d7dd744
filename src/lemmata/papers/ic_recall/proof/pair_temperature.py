"""k pairs in context at a positive temperature, in the world of all bijections of k + 1 subjects.

On pairwise attention, weights p_1 ... p_k on both tokens of the pairs and p_0 = 0 for the query's, the bijection s of
{0 ... k} lies behind the right one by the sum over i of (p_i - p_s(i))^2. The loss is log S, S the sum over bijections
of exp(-gap/T), and no attention has a lower one than the best pairwise one (docs/proofs.md). S rises with T.
"""

from fractions import Fraction
from functools import cache, partial
from itertools import permutations
from typing import Any, NamedTuple

from lemmata.proofs import Exact, Positive, Step, exact

Number = Any  # a ball, a power series over balls
Squares = tuple[tuple[tuple[int, int], int], ...]  # pairs of places and how often their difference is squared


@cache
def gaps(k: int) -> tuple[tuple[Squares, int], ...]:
    """Each sum of squared differences that some bijection has, and how many have it."""
    found: dict[Squares, int] = {}
    for image in permutations(range(k + 1)):
        squares: dict[tuple[int, int], int] = {}
        for i, j in enumerate(image):
            if i != j:
                place = (min(i, j), max(i, j))
                squares[place] = squares.get(place, 0) + 1
        key = tuple(sorted(squares.items()))
        found[key] = found.get(key, 0) + 1
    return tuple(sorted(found.items()))


def total(weights: list[Number], t: Number) -> Number:
    """S at pair weights p_1 <= ... <= p_k."""
    places = [0 * weights[0], *weights]
    rates: dict[tuple[tuple[int, int], int], Number] = {}
    for i in range(len(places)):
        for j in range(i + 1, len(places)):
            rate = (places[j] - places[i]) * (places[j] - places[i]) / t
            rates |= {((i, j), 1): rate, ((i, j), 2): 2 * rate}
    result = nothing = 0 * weights[0]
    for squares, count in gaps(len(weights)):
        gap: Number = sum(map(rates.__getitem__, squares), nothing)
        result = result + count * (-gap).exp()
    return result


def broken_by_shares(shares: list[Number]) -> list[Number]:
    """Sorted weights with 2 sum p = 1 from k - 1 shares in [0, 1]: each breaks what the differences before it left."""
    k, left, weight, weights = len(shares) + 1, (shares[0] - shares[0] + 1) / 2, 0 * shares[0], []
    for i, share in enumerate([*shares, None]):
        used = left if share is None else left * share
        weight = weight + used / (k - i)
        weights.append(weight)
        left = left - used
    return weights


def inverses_are_there(k: int) -> bool:
    """The inverse of a bijection is one, with the same squared differences."""
    every = set(permutations(range(k + 1)))
    for image in every:
        back = tuple(image.index(i) for i in range(k + 1))
        pairs = sorted((min(i, j), max(i, j)) for i, j in enumerate(image))
        if back not in every or pairs != sorted((min(i, j), max(i, j)) for i, j in enumerate(back)):
            return False
    return True


def _recalls(weights: tuple[Fraction, ...], t: Fraction, one: Number) -> Number:
    return 2 - total([one * exact(weight) for weight in weights], exact(t))


def no_recall(t: Fraction, *shares: Number) -> Number:
    return total(broken_by_shares(list(shares)), exact(t)) - 2


def neighbours(t: Fraction, coefficient: Fraction, price: Fraction, least: Fraction, d: Number) -> Number:
    """coefficient log(1 + exp(-2d^2/T)) + price d less the least that is claimed of it."""
    swapped = (-2 * d * d / exact(t)).exp()
    return (1 + swapped).log() * exact(coefficient) + d * exact(price) - exact(least)


class Prices(NamedTuple):
    """A bound that needs one variable at a time: the price of weight, two coefficients, the least cost of each d_i."""

    weight: Fraction
    odd: Fraction
    even: Fraction
    least: tuple[Fraction, ...]


def too_hot_by_prices(k: int, t: Fraction, prices: Prices) -> tuple[Step, ...]:
    """S >= 2 at every attention: from swaps of neighbours, sets of them that do not meet, and the price of weight.

    With d_i = p_i - p_(i-1), f_i = exp(-2 d_i^2/T) and sum (k + 1 - i) d_i = 1/2: S >= O + E - 1, O and E the products
    of 1 + f_i over odd and even i; O >= c (1 - log c) + c log O for any c, and likewise E.
    """
    found: list[Step] = []
    for i, bound in enumerate(prices.least):
        coefficient = prices.even if i % 2 else prices.odd
        function = partial(neighbours, t, coefficient, prices.weight * (k - i), bound)
        name = f"difference {i + 1} costs at least {float(bound):.10g} at T = {float(t):.10g}"
        found.append(Positive(name, function, ((Fraction(0), Fraction(1, 2)),)))

    def sum_of(one: Number) -> Number:
        constants = sum((one - (one * exact(c)).log()) * exact(c) for c in (prices.odd, prices.even))
        return constants + exact(sum(prices.least, Fraction(0)) - prices.weight / 2 - 3)

    return (*found, Positive("they add up to S >= 2", sum_of, ((Fraction(1), Fraction(1)),)))


def too_hot_by_boxes(k: int, t: Fraction) -> tuple[Step, ...]:
    """S >= 2 at every attention, by a cover of the sorted weights."""
    shares = ((Fraction(0), Fraction(1)),) * (k - 1)
    return (Positive(f"S > 2 at every attention, T = {float(t):.10g}", partial(no_recall, t), shares),)


def pair_temperature_steps(
    k: int, low: Fraction, high: Fraction, weights: tuple[Fraction, ...], prices: Prices | None
) -> tuple[Step, ...]:
    """The highest temperature at which some attention has a loss below log 2 lies in [low, high)."""
    return (
        Exact("inverses are there, with the same gap", lambda: inverses_are_there(k)),
        Exact("the weights are k, sorted, and add up to 1/2", lambda: _are_weights(weights, k)),
        Positive(
            f"S < 2 at these weights, T = {float(low):.10g}",
            partial(_recalls, weights, low),
            ((Fraction(1), Fraction(1)),),
        ),
        *(too_hot_by_prices(k, high, prices) if prices else too_hot_by_boxes(k, high)),
    )


def _are_weights(weights: tuple[Fraction, ...], k: int) -> bool:
    return len(weights) == k and list(weights) == sorted(weights) and 2 * sum(weights) == 1
