"""Algorithm 1 on data sets of growing size, in worlds of up to 10^55 facts."""

from dataclasses import dataclass

import numpy as np

from lemmata.core import Count, Positive, RunConfig, RunContext, RunOutput, Some, precision
from lemmata.papers.ic_recall.run.algorithm_1 import OneLargeStep
from lemmata.papers.ic_recall.run.one_large_step import (
    Table,
    by_size,
    check_worlds,
    fresh_sequences,
    kinds,
    low_temperature,
    short_schedule,
    subgroup_world,
)
from lemmata.papers.ic_recall.run.problems import FineTuning
from lemmata.papers.ic_recall.task import dataset, mismatched_patterns
from lemmata.train import stack

# Primes that are 7 mod 12: the subgroup of index 3 has even order (every sequence confusing), that of index 6 odd
# order (none), and in both the same share of sequences is mismatched.
SIZES = (7, 31, 127, 8191, 1_000_003, 2**31 - 1, 1_000_000_000_039, 2**61 - 1)
ALL, CONFUSING, CLEAR = 1, 3, 6
SHORTER = OneLargeStep(c1=40.0, c2=1000.0, stage2=0.5)  # 0.99 needs less of stage 2 than 0.999


@dataclass(frozen=True, kw_only=True)
class SequencesNeeded(RunConfig):
    """For each world, number of sequences and seed: the accuracy that Algorithm 1 reaches."""

    kind = "ic-recall/sequences-needed"

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
        parts = [self._one_world(n, index) for index in self.indices]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _one_world(self, n: int, index: int) -> Table:
        """Every data set of one world together. With all slopes each sequence is like any other: one will do."""
        world, temperature = subgroup_world(n, index), low_temperature(self.constant, n)
        cells = [(num, seed) for num in (self.sequences if index != ALL else (1,)) for seed in self.seeds]
        test = fresh_sequences(world, self.test_sequences, kinds(index))
        train = [dataset(world, num, 2, seed, "train", kinds(index)) for num, seed in cells]
        task = stack([FineTuning(data, temperature, test) for data in train])
        rows, _ = short_schedule(task, n, tuple(seed for _, seed in cells), self.schedule, records=1)
        mismatched = (np.asarray(test.counts)[:, mismatched_patterns(2)] > 0).any(axis=1)
        same = {
            "n": float(n),
            "index": index,
            "facts": float(world.num_relations) * n,
            "temperature": temperature,
            "mismatched": float(np.asarray(test.weights)[mismatched].sum()),
        }
        return {name: np.full(len(cells), value) for name, value in same.items()} | {
            "sequences": np.array([num for num, _ in cells]),
            "seed": np.array([seed for _, seed in cells]),
            "after_stage1": rows["final_worst"][:, 1],
            "final_worst": rows["final_worst"][:, -1],
            "first_mean": rows["first_mean"][:, -1],
        }
