"""Partial matchings: sets of pairs that use each left and each right element at most once."""

from functools import cache
from itertools import combinations, permutations

Matching = tuple[tuple[int, int], ...]


@cache
def partial_matchings(left: int, right: int) -> tuple[Matching, ...]:
    """All partial matchings of `left` x `right` elements, smallest first; pairs in order of their left element."""
    return tuple(
        tuple(zip(chosen, partners, strict=True))
        for size in range(min(left, right) + 1)
        for chosen in combinations(range(left), size)
        for partners in permutations(range(right), size)
    )
