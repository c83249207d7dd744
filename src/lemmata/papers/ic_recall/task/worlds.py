"""Which world of facts: the configs, and what drawing one gives."""

from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np

from lemmata.core import named_integer, require
from lemmata.papers.ic_recall.task.affine_world import AffineWorld
from lemmata.papers.ic_recall.task.primes import is_prime
from lemmata.papers.ic_recall.task.table_world import TableWorld

World = TableWorld | AffineWorld
_LISTABLE = 8  # all n! bijections are listed up to this n


@dataclass(frozen=True, kw_only=True)
class RandomBijections:
    """`relations` distinct bijections of n subjects to n answers, uniformly random (Section 5)."""

    n: int
    relations: int

    def __post_init__(self) -> None:
        require(2 <= self.n <= 4096, "n", self.n, "between 2 and 4096 subjects (a table is stored)")
        limit = factorial(self.n) if self.n <= 20 else None
        require(self.relations >= 1, "relations", self.relations, "at least 1")
        require(
            limit is None or self.relations <= limit,
            "relations",
            self.relations,
            f"there are only n! = {limit} bijections of n = {self.n} subjects",
        )
        require(self.relations * self.n <= 2**26, "relations", self.relations, "at most 2^26 facts are stored")

    def draw(self, seed: int) -> TableWorld:
        rng = np.random.default_rng(named_integer(seed, "world", "bijections"))
        if self.n <= _LISTABLE:
            everything = np.array(list(permutations(range(self.n))))
            return TableWorld(everything[rng.choice(len(everything), self.relations, replace=False)])
        found: dict[bytes, np.ndarray] = {}
        while len(found) < self.relations:  # repetitions are rare: n! is far above the number of relations
            row = rng.permutation(self.n)
            found.setdefault(row.tobytes(), row)
        return TableWorld(np.array(list(found.values())))


@dataclass(frozen=True, kw_only=True)
class AllBijections:
    """Every bijection; n = 3 is the paper's warm-up (Table 1)."""

    n: int

    def __post_init__(self) -> None:
        require(2 <= self.n <= 5, "n", self.n, "between 2 and 5: the n! relations are listed")

    def draw(self, seed: int = 0) -> TableWorld:
        return TableWorld(np.array(list(permutations(range(self.n)))))


@dataclass(frozen=True, kw_only=True)
class Affine:
    """x -> ax + b over the field of n elements, a in the multiplicative subgroup of order `subgroup` (None: all).

    For k = 2 an even order makes every sequence confusing (-a is a slope too), an odd order none.
    """

    n: int
    subgroup: int | None = None

    def __post_init__(self) -> None:
        require(3 <= self.n <= 2**61 - 1, "n", self.n, "a prime between 3 and 2^61 - 1")
        require(is_prime(self.n), "n", self.n, "an affine world needs a prime number of subjects")
        require(
            self.subgroup is None or (self.subgroup >= 1 and (self.n - 1) % self.subgroup == 0),
            "subgroup",
            self.subgroup,
            f"the order of a multiplicative subgroup: a divisor of n - 1 = {self.n - 1}",
        )

    def draw(self, seed: int = 0) -> AffineWorld:
        return AffineWorld(self.n, self.n - 1 if self.subgroup is None else self.subgroup)


WorldConfig = RandomBijections | AllBijections | Affine
