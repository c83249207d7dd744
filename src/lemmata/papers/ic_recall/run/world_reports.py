"""Runs that ask a world what it allows: Assumption 2.2, kinds of sequences, the best possible accuracy."""

from dataclasses import dataclass

import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, Some
from lemmata.papers.ic_recall.task import Affine, RandomBijections, TableWorld, WorldConfig, check_pairs

NUMBERS = ("assumption_2_2", "confusing", "mismatched", "ambiguous", "ceiling")
WORDS = ("fractions_how", "ceiling_how")


@dataclass(frozen=True, kw_only=True)
class WorldReports(RunConfig):
    """The report of one world, drawn afresh for each seed."""

    kind = "ic-recall/world-report"

    world: WorldConfig
    k: int = 2
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        check_pairs(self.k, self.world.n)

    def execute(self, context: RunContext) -> RunOutput:
        reports = []
        for done, seed in enumerate(self.seeds):
            reports.append(self.world.draw(seed).report(self.k))
            context.progress("worlds", done + 1, len(self.seeds))
        columns = {name: np.array([float(getattr(report, name)) for report in reports]) for name in NUMBERS}
        words = {name: np.array([getattr(report, name) for report in reports]) for name in WORDS}
        return RunOutput({"seed": np.array(self.seeds), **columns, **words})


@dataclass(frozen=True, kw_only=True)
class LargestWorlds(RunConfig):
    """Is Assumption 2.2 true of n (n - 1) relations, and of no more? Every map x -> ax + b, then one bijection more."""

    kind = "ic-recall/largest-worlds"

    sizes: Some[int] = (3, 5, 7, 11)
    seed: int = 0

    def cross_check(self) -> None:
        for n in self.sizes:
            Affine(n=n)

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        for n in self.sizes:
            table = Affine(n=n).draw().table
            spare = _another_bijection(table)
            one_more = spare is not None and _assumption(np.concatenate([table, spare[None]]))
            random = _assumption(RandomBijections(n=n, relations=len(table)).draw(self.seed).table)
            rows.append((n, len(table), _assumption(table), one_more, random))
        names = ("n", "relations", "full", "one_more", "random")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})


def _assumption(table: np.ndarray) -> bool:
    return TableWorld(table).report(2).assumption_2_2


def _another_bijection(table: np.ndarray) -> np.ndarray | None:
    """A bijection that is not among the rows (None when they are all of them): two values of a row exchanged."""
    known = {row.tobytes() for row in table}
    exchanged = table[:, [1, 0, *range(2, table.shape[1])]]
    return next((row for row in exchanged if row.tobytes() not in known), None)
