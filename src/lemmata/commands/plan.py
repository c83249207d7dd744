"""`lemmata reproduce --dry-run`: what would be computed, and how long that takes, before anything is."""

import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console

from lemmata.commands.options import print_json
from lemmata.core import Scale
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import Selection
from lemmata.run import Store, cost_of, missing, run_costs

REPLICAS_SHARED_FROM = 3  # workers: then the seeds of the longest run are trained side by side


@dataclass(frozen=True)
class Plan:
    """The runs of one paper that are missing. Costs are those of kept verdicts and of this store, with compiling."""

    paper: str
    runs: int
    stored: int
    unknown: int  # runs of whose shape no cost is known: a plan cannot count them
    core_seconds: float
    longest: float  # the longest run, in seconds of one core
    longest_kind: str
    longest_seed: float  # and that run's one seed


def plan_of(paper: str, selections: Sequence[Selection], scale: Scale, store: Store) -> Plan:
    wanted = {run.digest: run for one in selections for run in one.experiment.runs(scale).values()}
    lacking, costs = missing(wanted.values(), store), run_costs(store)
    known = [(cost, run) for run in lacking if math.isfinite(cost := cost_of(run, costs))]
    longest, run = max(known, key=lambda one: one[0], default=(0.0, None))
    seeds = len(getattr(run, "seeds", ())) or 1
    return Plan(
        paper,
        len(lacking),
        len(wanted) - len(lacking),
        len(lacking) - len(known),
        sum(cost for cost, _ in known),
        longest,
        run.kind if run else "",
        longest / seeds,
    )


def print_plan(
    selections: Sequence[Selection], scale: Scale, store: Store, jobs: int, *, as_json: bool, console: Console
) -> None:
    by_paper = {one.paper.id: [other for other in selections if other.paper.id == one.paper.id] for one in selections}
    plans = [plan_of(paper, mine, scale, store) for paper, mine in by_paper.items()]
    shared = jobs >= REPLICAS_SHARED_FROM
    critical = max((one.longest_seed if shared else one.longest for one in plans), default=0.0)
    total = sum(one.core_seconds for one in plans)
    expected, unknown = max(total / jobs, critical), sum(one.unknown for one in plans)
    if as_json:
        facts = {"core_seconds": total, "critical_path": critical, "jobs": jobs, "expected_seconds": expected}
        print_json(facts | {"unknown": unknown, "papers": [asdict(one) for one in plans]})
        return
    for one in plans:
        of = f", longest {one.longest_kind} {_time(one.longest)}" if one.longest else ""
        stored = f" ({one.stored} stored)" if one.stored else ""
        console.print(f"{one.paper}: {pluralize(one.runs, 'run')}{stored}, {_time(one.core_seconds)} of one core{of}")
    how = "its seeds side by side" if shared else "in one worker"
    console.print(f"critical path: {_time(critical)} (the longest run, {how})")
    cores = os.cpu_count() or 1
    few = f"; this machine has {pluralize(cores, 'core')}" if cores < jobs else ""
    console.print(f"expected with {pluralize(jobs, 'worker')}: {_time(expected)}{few}")
    if scale.name == "paper":
        console.print("double precision runs on the cores, the rest on a GPU where there is one")
    if unknown:
        console.print(f"{pluralize(unknown, 'run')} of unknown cost not counted: nothing like them was computed before")


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} min"
