"""Which world of facts: the configs, and what drawing one gives."""

from dataclasses import dataclass
from itertools import permutations
from math import factorial
from typing import Annotated

import numpy as np

from lemmata.core import Bound, Config, Count, Share, named_generator, require
from lemmata.papers.ic_recall.task.affine_world import AffineWorld
from lemmata.papers.ic_recall.task.slopes import ListedSlopes, Subgroup
from lemmata.papers.ic_recall.task.table_world import TableWorld

World = TableWorld | AffineWorld
_LISTABLE = 8  # all n! bijections are listed up to this n
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)  # enough below 3.3 * 10^24 (Sorenson and Webster, 2015)


@dataclass(frozen=True, kw_only=True)
class RandomBijections(Config):
    """`relations` distinct bijections of n subjects to n answers, uniformly random (Section 5)."""

    n: Annotated[int, Bound(least=2, most=4096)]
    relations: Count

    def cross_check(self) -> None:
        require(self.relations * self.n <= 2**26, "relations", self.relations, "at most 2^26 facts are stored")
        limit = factorial(min(self.n, 20))  # beyond, there are more than could be stored
        few = f"there are only n! = {limit} bijections of n = {self.n} subjects"
        require(self.relations <= limit, "relations", self.relations, few)

    def draw(self, seed: int) -> TableWorld:
        rng = named_generator(seed, "world", "bijections")
        if self.n <= _LISTABLE:
            everything = np.array(list(permutations(range(self.n))))
            return TableWorld(everything[rng.choice(len(everything), self.relations, replace=False)])
        found: dict[bytes, np.ndarray] = {}
        while len(found) < self.relations:  # repetitions are rare: n! is far above the number of relations
            row = rng.permutation(self.n)
            found.setdefault(row.tobytes(), row)
        return TableWorld(np.array(list(found.values())))


@dataclass(frozen=True, kw_only=True)
class AllBijections(Config):
    """Every bijection, listed; n = 3 is the paper's warm-up (Table 1)."""

    n: Annotated[int, Bound(least=2, most=5)]

    def draw(self, seed: int = 0) -> TableWorld:
        return TableWorld(np.array(list(permutations(range(self.n)))))


@dataclass(frozen=True, kw_only=True)
class Affine(Config):
    """x -> ax + b over the field of n elements, a in the multiplicative subgroup of order `subgroup` (None: all).

    For k = 2 an even order makes every sequence confusing (-a is a slope too), an odd order none.
    """

    n: int
    subgroup: Count | None = None

    def cross_check(self) -> None:
        require(3 <= self.n <= 2**61 - 1 and is_prime(self.n), "n", self.n, "a prime number between 3 and 2^61 - 1")
        divisor = f"the order of a multiplicative subgroup: a divisor of n - 1 = {self.n - 1}"
        require((self.n - 1) % (self.subgroup or 1) == 0, "subgroup", self.subgroup, divisor)

    def draw(self, seed: int = 0) -> AffineWorld:
        return AffineWorld(self.n, Subgroup(self.n, self.n - 1 if self.subgroup is None else self.subgroup))


@dataclass(frozen=True, kw_only=True)
class RandomSlopes(Config):
    """x -> ax + b over the field of n elements, a in a random set of units: Assumption 4.3 with both shares as dials.

    A sequence of two pairs is confusing when the negative of its relation's slope is a slope too; any of its four
    mismatched relations may be there or not: 32 kinds of sequence at any n.
    """

    n: int
    confusing: Share = 0.5  # of the slopes, those whose negative is a slope: the share of confusing sequences
    mismatched: Annotated[float, Bound(above=0, most=1)] = 0.5  # the share of such sequences, in expectation

    def cross_check(self) -> None:
        require(5 <= self.n <= 2**20 and is_prime(self.n), "n", self.n, "a prime number between 5 and 2^20")
        some = f"one that leaves at least one slope among {self.n - 1} units"
        require(sum(self._pairs()) >= 1, "mismatched", self.mismatched, some)

    def draw(self, seed: int) -> AffineWorld:
        rng = named_generator(seed, "world", "slopes")
        both, single = self._pairs()
        chosen = 1 + rng.permutation((self.n - 1) // 2)[: both + single]
        alone = chosen[both:]
        signed = np.where(rng.integers(0, 2, size=single) == 1, self.n - alone, alone)
        member = np.zeros(self.n, bool)
        member[np.concatenate([chosen[:both], self.n - chosen[:both], signed])] = True
        return AffineWorld(self.n, ListedSlopes(self.n, member))

    def _pairs(self) -> tuple[int, int]:
        """Of how many pairs a, -a both are slopes, and of how many one.

        The slopes of the four mismatched relations are two pairs a', -a', so a sequence is mismatched unless neither of
        them has a slope: 1 - (1 - share of pairs that have one)^2.
        """
        pairs = round((1 - (1 - self.mismatched) ** 0.5) * (self.n - 1) / 2)
        both = round(pairs * self.confusing / (2 - self.confusing))
        return both, pairs - both


@dataclass(frozen=True, kw_only=True)
class SomeAffine(Config):
    """A random share of all maps x -> ax + b over the field of n elements, listed: under Assumption 2.2, and with no
    symmetry left between subjects or answers."""

    n: int
    share: Annotated[float, Bound(above=0, most=1)] = 0.4

    def cross_check(self) -> None:
        require(3 <= self.n <= 31 and is_prime(self.n), "n", self.n, "a prime number between 3 and 31")
        require(self._relations() >= 1, "share", self.share, "one that leaves at least one relation")

    def draw(self, seed: int) -> TableWorld:
        table = Affine(n=self.n).draw().table
        rng = named_generator(seed, "world", "some affine")
        return TableWorld(table[rng.choice(len(table), self._relations(), replace=False)])

    def _relations(self) -> int:
        return round(self.share * self.n * (self.n - 1))


WorldConfig = RandomBijections | AllBijections | Affine | RandomSlopes | SomeAffine


def is_prime(number: int) -> bool:
    """Miller-Rabin with witnesses that decide every number below 2^64."""
    if number < 2 or any(number % prime == 0 for prime in _WITNESSES):
        return number in _WITNESSES
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(
        pow(w, odd, number) == 1 or any(pow(w, odd << i, number) == number - 1 for i in range(twos)) for w in _WITNESSES
    )


def is_prime_power(number: int) -> bool:
    """Whether a field has so many elements."""
    roots = {power: round(number ** (1 / power)) for power in range(2, number.bit_length())}
    return is_prime(number) or any(root**power == number and is_prime(root) for power, root in roots.items())
