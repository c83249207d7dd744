"""From what was asked for to verdicts: collect the runs of every chosen experiment, obtain them, judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lemmata.core import (
    Judgement,
    Results,
    RunConfig,
    Scale,
    Selection,
    UserError,
    has_path,
    judge,
    override,
    paths,
    unknown,
)
from lemmata.run.execute import Reporter, obtain
from lemmata.run.store import Store
from lemmata.run.verdicts import keep_verdict


@dataclass(frozen=True)
class Examined:
    """An experiment's runs and the verdicts read from them."""

    selection: Selection
    results: Results
    judgements: tuple[Judgement, ...]
    run_ids: tuple[str, ...]
    seconds: float


def examine(
    selections: Sequence[Selection],
    scale: Scale,
    store: Store,
    *,
    jobs: int = 1,
    reporter: Reporter | None = None,
    changes: Mapping[str, str] | None = None,
) -> list[Examined]:
    """Judge every selected claim; runs shared between experiments are computed once."""
    grids = [changed(selection.experiment.grid(scale), changes or {}) for selection in selections]
    stored = obtain((config for grid in grids for config in grid), store, jobs=jobs, reporter=reporter)
    found = []
    for selection, grid in zip(selections, grids, strict=True):
        ids = tuple(dict.fromkeys(config.digest for config in grid))
        results = Results(tuple(stored[digest] for digest in ids), scale)
        seconds = sum(float(run.record["seconds"]) for run in results)
        judgements = tuple(judge(claim, results) for claim in selection.claims)
        if not changes:
            for judgement in judgements:
                keep_verdict(store, judgement, scale=scale.name, runs=ids, seconds=seconds)
        found.append(Examined(selection, results, judgements, ids, seconds))
    return found


def changed(grid: Sequence[RunConfig], changes: Mapping[str, str]) -> tuple[RunConfig, ...]:
    """The grid with dotted keys set on every run that has them; equal runs are kept once."""
    for key in changes:
        if not any(has_path(config, key) for config in grid):
            raise unknown("key", key, {path for config in grid for path in paths(config)})
    new = [override(config, {k: v for k, v in changes.items() if has_path(config, k)}) for config in grid]
    if not new:
        raise UserError("this experiment has no runs at this scale")
    return tuple({config.digest: config for config in new}.values())
