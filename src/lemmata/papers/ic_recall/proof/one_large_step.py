"""Lemma C.1 in balls: the population's one large step from v = 1/6 in the full world of n subjects.

Every sequence of a full world is confusing and mismatched, and all have the same loss, so the step is one vector. It
is symmetric in the two pairs: v_1 = v_3, v_2 = v_4 and l(r_1) = l(r_2) exactly, hence p(r_1) = 1/(2 + rest) with `rest`
the weights of all other relations.
"""

from functools import cache
from typing import Any

from lemmata.papers.ic_recall.theory.relations import MATCHINGS

Number = Any  # a ball, a power series over balls
Pairs = frozenset[tuple[int, int]]
RIGHT, CONFUSING = frozenset({(0, 0), (1, 1)}), frozenset({(0, 1), (1, 0)})


def _count(matching: Pairs, n: int) -> int:
    return {2: 1, 1: n - 3, 0: (n - 3) * (n - 4)}[len(matching)]


@cache
def matchings_in(n: int) -> list[tuple[Pairs, int]]:
    """Matchings that some relation has, and how many have it."""
    found = [(frozenset(matching), _count(frozenset(matching), n)) for matching in MATCHINGS]
    return [(matching, count) for matching, count in found if count]


@cache
def holding(n: int, i: int) -> list[int]:
    """Places in `matchings_in(n)` of those whose logit v_i enters."""
    return [place for place, (pairs, _) in enumerate(matchings_in(n)) if any(i in (2 * s, 2 * a + 1) for s, a in pairs)]


def scores_after(t: Number, n: int, factor: int) -> list[Number]:
    """v after one step of rate eta_1 = factor T^(3/2) log(1/T)."""
    groups = matchings_in(n)
    weights = [count * (_one_like(t) * (len(matching) - 2) / (18 * t)).exp() for matching, count in groups]
    total = sum(weights)
    slopes = []  # of T times the loss in v_i, times 3
    for i in range(6):
        held = sum(weights[place] for place in holding(n, i))
        slopes.append(held / total - (1 if i < 4 else 0))
    mean = sum(slopes) / 6
    reach = factor * t.sqrt() * -(t.log()) / 18  # eta_1 / T over the 6 of softmax's slope and the 3 above
    grown = [(-reach * (slope - mean)).exp() for slope in slopes]
    whole = sum(grown)
    return [one / whole for one in grown]


def _one_like(t: Number) -> Number:
    """One, of the kind of t."""
    return t - t + 1


@cache
def others(n: int) -> list[tuple[Pairs, Pairs, int]]:
    """Of all relations but the right and the confusing one: pairs they have more, pairs they lack, and how many do."""
    found = [one for one in matchings_in(n) if one[0] not in (RIGHT, CONFUSING)]
    return [(matching - RIGHT, RIGHT - matching, count) for matching, count in found]


def room(t: Number, n: int, factor: int) -> Number:
    """log of exp(-1/sqrt(T)) over 1/2 - p(r_1): positive where the lemma's bound holds with constant 1."""
    v = scores_after(t, n, factor)
    rest: Number = sum(
        count * (2 * (products(v, more) - products(v, lacking)) / t).exp() for more, lacking, count in others(n)
    )
    return (2 * (2 + rest)).log() - rest.log() - 1 / t.sqrt()


def products(v: list[Number], pairs: Pairs) -> Number:
    return sum(v[2 * subject] * v[2 * answer + 1] for subject, answer in pairs)
