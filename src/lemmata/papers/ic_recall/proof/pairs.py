"""k pairs in context: which pair weights make the smallest logit gap largest. By integers; docs/proofs.md argues.

A relation keeps some of the context's subject-answer products: a partial injection of {1 ... k}. With weights x_i on
both tokens of pair i its gap to the right relation is 2 sum x_i^2 - 2 sum of x_i x_j over what it keeps.
"""

from collections.abc import Iterator
from fractions import Fraction

from lemmata.proofs import Exact, Step

Injection = tuple[tuple[int, int], ...]


def partial_injections(k: int, subject: int = 0, taken: frozenset[int] = frozenset()) -> Iterator[Injection]:
    """Which answer each subject gets, among the context's; a subject may get none of them."""
    if subject == k:
        yield ()
        return
    for rest in partial_injections(k, subject + 1, taken):
        yield rest
    for answer in range(k):
        if answer not in taken:
            for rest in partial_injections(k, subject + 1, taken | {answer}):
                yield ((subject, answer), *rest)


def smallest_gap(weights: tuple[int, ...]) -> int:
    """Over every relation that is not the right one on the context, in units of the weights' squared unit."""
    k, whole = len(weights), sum(weight**2 for weight in weights)
    right = tuple((i, i) for i in range(k))
    gaps = (
        2 * (whole - sum(weights[i] * weights[j] for i, j in kept)) for kept in partial_injections(k) if kept != right
    )
    return min(gaps)


def attained(k: int, first: int) -> bool:
    """Weights first, first + 1, ... over their double sum have the smallest gap 2/(k(k+1))^2."""
    weights = tuple(range(first, first + k))
    return Fraction(smallest_gap(weights), (2 * sum(weights)) ** 2) == Fraction(2, (k * (k + 1)) ** 2)


def bound_is_tight(k: int) -> bool:
    """x_1 >= t and x_(i+1) - x_i >= t force a total 2 sum x_i of at least k(k+1) t."""
    return 2 * sum(range(1, k + 1)) == k * (k + 1)


def pair_steps(k: int, first: int) -> tuple[Step, ...]:
    return (
        Exact("2 (1 + 2 + ... + k) = k (k + 1)", lambda: bound_is_tight(k)),
        Exact(f"the smallest gap at weights from {first} on is 2/(k(k+1))^2", lambda: attained(k, first)),
    )
