"""Runs that count: how many relations can match, and how many sequences are enough (Appendix C)."""

from dataclasses import dataclass
from itertools import permutations
from typing import Annotated

import numpy as np

from lemmata.core import Bound, Count, Inside, RunConfig, RunContext, RunOutput, Some, named_generator
from lemmata.papers.ic_recall.task import Affine, TableWorld, patterns
from lemmata.papers.ic_recall.theory.low_temperature import failure_probability


@dataclass(frozen=True, kw_only=True)
class MatchingCounts(RunConfig):
    """The most relations with 0, 1 and 2 matches on any sequence of many random worlds.

    `lawful` worlds are greedy: bijections in random order, each kept if it agrees with every kept one on at most one
    subject (Assumption 2.2), to which for prime n the full affine world is added. Otherwise: random sets of bijections.
    """

    kind = "ic-recall/matching-counts"

    n: Annotated[int, Bound(least=4, most=6)] = 5  # all bijections are listed
    worlds: Count = 60
    lawful: bool = True
    seed: int = 0

    def execute(self, context: RunContext) -> RunOutput:
        everything = np.array(list(permutations(range(self.n))))
        agree = (everything[:, None] == everything[None]).sum(-1) >= 2
        rng = named_generator(self.seed, "worlds", str(self.n))
        sizes = np.array([len(pattern) for pattern in patterns(2)])
        most = np.zeros(3)
        for _ in range(self.worlds):
            chosen: list[int] = []
            for i in rng.permutation(len(everything)):
                if not self.lawful or not agree[i, chosen].any():
                    chosen.append(int(i))
                if len(chosen) == self.n * (self.n - 1) and not self.lawful:
                    break
            most = np.maximum(most, _most(everything[chosen], sizes))
        if self.lawful and self.n == 5:
            most = np.maximum(most, _most(Affine(n=5).draw().table, sizes))
        return RunOutput({"matches": np.arange(3), "most": most})


def _most(table: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    world = TableWorld(table)
    counts = world.counts(world.every_sequence(2))
    return np.array([counts[:, sizes == size].sum(axis=1).max() for size in range(3)])


@dataclass(frozen=True, kw_only=True)
class SampleSizes(RunConfig):
    """The least |D| from which on both shares are at least zeta/2 with probability 1 - delta/3, by exact binomials.

    Confusing and mismatched sequences are taken independent, each with probability exactly zeta.
    """

    kind = "ic-recall/sample-sizes"

    zetas: Some[Annotated[float, Bound(least=1e-3, most=1)]] = (0.02, 0.05, 0.1, 0.3)
    deltas: Some[Inside] = (0.01, 0.05, 0.2, 0.5, 0.53)
    fraction: Inside = 0.5  # of zeta that is asked for

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        for zeta in self.zetas:
            sizes = np.arange(1, int(14 / zeta * np.log(6 / min(self.deltas))))
            failure = np.array([failure_probability(int(size), zeta, self.fraction) for size in sizes])
            for delta in self.deltas:
                bad = np.flatnonzero(failure > delta / 3)
                rows.append((zeta, delta, float(sizes[bad[-1]] + 1) if len(bad) else 1.0))
        names = ("zeta", "delta", "needed")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})
