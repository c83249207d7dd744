"""Algorithm 1's short schedule in worlds of drawn slopes, where some sequences are confusing or mismatched and some are
not: Assumption 4.3 with both shares as dials."""

from dataclasses import dataclass
from math import log
from typing import Annotated, Literal

from lemmata.core import Bound, Count, Positive, RunConfig, RunContext, RunOutput, Share, Some, precision, require
from lemmata.papers.ic_recall.run.algorithm_1 import OneLargeStep
from lemmata.papers.ic_recall.run.short_schedule import MEASURED, SHORT, short_schedule
from lemmata.papers.ic_recall.task import RandomSlopes, dataset, dataset_of_kinds

KINDS = 32


@dataclass(frozen=True, kw_only=True)
class RandomSlopesRun(RunConfig):
    """One world a seed and share of confusing sequences; tested on every kind of sequence the world has (of a large
    world: that a sample has)."""

    kind = "ic-recall/random-slopes"

    n: int = 127
    confusing: Some[Share] = (0.5,)
    mismatched: Annotated[float, Bound(above=0, most=1)] = 0.5
    sequences: Count = 1024
    seeds: Some[int] = (0,)
    constant: Positive = 1 / 400  # C_1
    schedule: OneLargeStep = SHORT
    stage2: Literal["pushed", "symmetric"] = "pushed"
    records: Count = 24

    def cross_check(self) -> None:
        for share in self.confusing:
            self._world(share)
        require(self.constant < log(self.n), "constant", self.constant, f"below log n = {log(self.n):.3g}")

    def execute(self, context: RunContext) -> RunOutput:
        cells = [(share, seed) for share in self.confusing for seed in self.seeds]
        worlds = [self._world(share).draw(seed) for share, seed in cells]
        reports = [world.report(2) for world in worlds]
        shares, seeds = zip(*cells, strict=True)
        with precision("float64"):
            trained = short_schedule(
                self.schedule,
                self.constant / log(self.n),
                self.n,
                [dataset(w, self.sequences, 2, s, "train", KINDS) for w, s in zip(worlds, seeds, strict=True)],
                [dataset_of_kinds(*world.kinds(2)[:2], KINDS) for world in worlds],
                seeds,
                records=self.records,
                perturbed=self.stage2 == "pushed",
            )
        same = {
            "confusing": shares,
            "seed": seeds,
            "is_confusing": [report.confusing for report in reports],
            "is_mismatched": [report.mismatched for report in reports],
            "kinds": [len(world.kinds(2)[0]) for world in worlds],
        }
        return RunOutput(trained.rows.table(names=MEASURED, **same), {"attention": trained.rows["attention"]})

    def _world(self, confusing: float) -> RandomSlopes:
        return RandomSlopes(n=self.n, confusing=confusing, mismatched=self.mismatched)
