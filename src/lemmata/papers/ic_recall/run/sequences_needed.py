"""How many sequences Algorithm 1 needs, as worlds grow: on subgroups of slopes, and on drawn ones."""

from dataclasses import dataclass, replace
from math import log
from typing import Annotated

import numpy as np

from lemmata.core import Bound, Count, NonNegative, Positive, RunConfig, RunContext, RunOutput, Share, Some, precision
from lemmata.papers.ic_recall.run.algorithm_1 import OneLargeStep
from lemmata.papers.ic_recall.run.short_schedule import SHORT, short_schedule
from lemmata.papers.ic_recall.run.short_schedule_run import (
    KINDS,
    Table,
    by_size,
    check_worlds,
    fresh_sequences,
    subgroup_world,
    tables_below,
)
from lemmata.papers.ic_recall.task import (
    AffineWorld,
    Dataset,
    RandomSlopes,
    dataset,
    dataset_of_kinds,
    mismatched_patterns,
)

# Primes that are 7 mod 12: the subgroup of index 3 has even order (every sequence confusing), that of index 6 odd
# order (none), and in both the same share of sequences is mismatched.
SIZES = (7, 31, 127, 8191, 1_000_003, 2**31 - 1, 1_000_000_000_039, 2**61 - 1)
ALL, CONFUSING, CLEAR = 1, 3, 6
SHORTER = replace(SHORT, stage2=0.5)  # 0.99 needs less of stage 2 than 0.999
Cells = list[tuple[int, int]]  # a number of sequences and a seed


@dataclass(frozen=True, kw_only=True)
class SequencesNeeded(RunConfig):
    """For each world, number of sequences and seed: the accuracy that Algorithm 1 reaches."""

    kind = "ic-recall/sequences-needed"
    version = 2

    sizes: Some[int] = SIZES
    indices: Some[int] = (ALL, CONFUSING, CLEAR)
    sequences: Some[Count] = (1, 2, 4, 8, 16, 32, 64)
    test_sequences: Count = 1000
    seeds: Some[int] = (0,)
    constant: Positive = 1 / 400  # C_1
    schedule: OneLargeStep = SHORTER

    def cross_check(self) -> None:
        check_worlds(self.sizes, self.indices, self.constant)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            return RunOutput(by_size(self.sizes, self._one_size, context))

    def _one_size(self, n: int) -> Table:
        return tables_below([self._one_world(n, index) for index in self.indices])

    def _one_world(self, n: int, index: int) -> Table:
        """Every data set of one world together. With all slopes each sequence is like any other: one will do."""
        cells = [(num, seed) for num in (self.sequences if index != ALL else (1,)) for seed in self.seeds]
        world, rows = subgroup_world(n, index), KINDS.get(index, 16)
        train = [dataset(world, num, 2, seed, "train", rows) for num, seed in cells]
        test = fresh_sequences(world, index, self.test_sequences)
        found = _reached(self.schedule, self.constant, cells, world, train, [test] * len(cells))
        return found | {"index": np.full(len(cells), index), "mismatched": np.full(len(cells), _mismatched(test))}


@dataclass(frozen=True, kw_only=True)
class DrawnSlopesNeeded(RunConfig):
    """The same in worlds of drawn slopes, one a seed. With a `power` the confusing sequences grow rare with n, by
    n^-power, against Assumption 4.3: the need must then grow with n."""

    kind = "ic-recall/drawn-slopes-needed"

    sizes: Some[int] = (127, 8191, 1_000_003)
    confusing: Share = 0.5
    power: NonNegative = 0.0
    mismatched: Annotated[float, Bound(above=0, most=1)] = 0.5
    sequences: Some[Count] = (1, 2, 4, 8, 16, 32, 64)
    seeds: Some[int] = (0,)
    constant: Positive = 1 / 400
    schedule: OneLargeStep = SHORTER

    def cross_check(self) -> None:
        for n in self.sizes:
            self._world(n)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            return RunOutput(by_size(self.sizes, self._one_size, context))

    def _one_size(self, n: int) -> Table:
        cells = [(num, seed) for num in self.sequences for seed in self.seeds]
        worlds = {seed: self._world(n).draw(seed) for seed in self.seeds}
        tests = {seed: dataset_of_kinds(*world.kinds(2)[:2], 32) for seed, world in worlds.items()}
        train = [dataset(worlds[seed], num, 2, seed, "train", 32) for num, seed in cells]
        test = [tests[seed] for _, seed in cells]
        found = _reached(self.schedule, self.constant, cells, worlds[self.seeds[0]], train, test)
        return found | {"mismatched": np.array([_mismatched(one) for one in test])}

    def _world(self, n: int) -> RandomSlopes:
        return RandomSlopes(n=n, confusing=self.confusing * n**-self.power, mismatched=self.mismatched)


def _reached(
    schedule: OneLargeStep, constant: float, cells: Cells, world: AffineWorld, train: list[Dataset], test: list[Dataset]
) -> Table:
    numbers, seeds = zip(*cells, strict=True)
    rows, _ = short_schedule(schedule, constant / log(world.n), world.n, train, test, seeds, records=1)
    return {
        "n": np.full(len(cells), float(world.n)),
        "facts": np.full(len(cells), float(world.num_relations) * world.n),
        "sequences": np.array(numbers),
        "seed": np.array(seeds),
        "argmax_after_stage1": rows["first_argmax_worst"][:, 1],
        "after_stage1": rows["final_worst"][:, 1],
        "final_worst": rows["final_worst"][:, -1],
        "first_mean": rows["first_mean"][:, -1],
    }


def _mismatched(test: Dataset) -> float:
    """The share of mismatched sequences."""
    has = (np.asarray(test.counts)[:, mismatched_patterns(2)] > 0).any(axis=1)
    return float(np.asarray(test.weights)[has].sum())
