"""Verdicts of a store, kept with their paper: what its pages say, and the reference of an installed package."""

import datetime
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from lemmata.commands.claim_records import claim_records
from lemmata.core import Paper, Scale
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import experiments
from lemmata.record import VERDICTS, Baseline, CurrentRule, Record, baselines, current_rules, fresh, read_baseline
from lemmata.report.evidence_rows import NEAREST
from lemmata.report.files import write_whole
from lemmata.run import Store, cost_of, recorded_cost, shape
from lemmata.run.store import RECORD


def keep_verdicts(paper: Paper, scale: Scale, store: Store, console: Console | None) -> None:
    """At the documented scale all claims or none; at the paper's own, which is run in pieces, those that are judged."""
    records = claim_records([paper.id], scale, store)
    before, rules = read_baseline(paper), current_rules([paper.id], scale.name)
    judged = {one.id: _kept(one, rules[one.id], store) for one in records if one.is_judged}
    if scale.name == "paper":
        if judged:
            costs = _costs(
                paper, scale, before, {run for one in records if one.id in judged for run in one.runs}, store
            )
            _write(paper, replace(before, paper={**before.paper, **judged}, costs=costs))
        return
    # Of what is not judged here (the store is of a part of the paper, or an extra is not there) the kept verdicts stay
    # where they are of the present rule.
    found = fresh(baselines(paper, scale.name), rules) | judged
    lacking = [one.id for one in records if one.id not in found and not one.extra]
    if lacking and console:
        missing = pluralize(len(lacking), "claim is", "claims are")
        console.print(
            f"{paper.id}: {missing} not judged in {store.root}, the first {lacking[0]}; the kept verdicts stay."
        )
    if lacking:
        return
    # A run that two experiments share is computed once; those of an extra are no part of what a plain install costs.
    runs = {
        run.digest: run for one in experiments(paper.id).values() if not one.extra for run in one.runs(scale).values()
    }
    computed = runs.keys() & {run for id in judged for run in judged[id].runs}
    costs = _costs(paper, scale, before, {run for one in judged.values() for run in one.runs}, store)
    expected = (cost_of(run, costs) for digest, run in runs.items() if digest not in computed)
    seconds = round(sum(float(store.record(run)["seconds"]) for run in computed) + sum(filter(math.isfinite, expected)))
    claims = {one.id: found[one.id] for one in records if one.id in found}
    _write(paper, Baseline(scale.name, seconds, claims, before.paper, costs))


def _costs(paper: Paper, scale: Scale, before: Baseline, computed: Iterable[str], store: Store) -> dict[str, float]:
    """What runs of each present shape cost: it says which to begin first, and how long all of them will take."""
    found: dict[str, float] = {}
    for key, cost in map(recorded_cost, map(store.record, computed)):
        found[key] = max(found.get(key, 0.0), float(f"{cost:.3g}"))
    scales = (scale, Scale(before.scale), Scale("paper"))
    present = {shape(run) for one in experiments(paper.id).values() for at in scales for run in one.runs(at).values()}
    return {key: cost for key, cost in {**before.costs, **found}.items() if key in present}


def _write(paper: Paper, kept: Baseline) -> None:
    write_whole(paper.folder / VERDICTS, kept.to_text().encode())


def _kept(record: Record, rule: CurrentRule, store: Store) -> Record:
    """With as much of the evidence as is shown, and its origin."""
    evidence = tuple(replace(part, elements=part.elements[:NEAREST]) for part in record.evidence)
    about = {"digest": rule.digest, "code": rule.code} | _origin(record.runs, store)
    return replace(record, evidence=evidence, **about)


def _origin(runs: Sequence[str], store: Store) -> dict[str, str]:
    """Which version computed the runs, when the last of them was done, and on what."""
    records = [store.record(run) for run in runs]
    days = [str(record.get("computed") or _written(store, run))[:10] for run, record in zip(runs, records, strict=True)]
    return {
        "version": ", ".join(sorted({record["code"]["version"] for record in records})),
        "date": max(days, default=""),
        "device": ", ".join(sorted({record["device"] for record in records})),
    }


def _written(store: Store, run: str) -> str:
    """When a record was written, of those from before records said when they were computed."""
    seconds = (store.folder(run) / RECORD).stat().st_mtime
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()


def write_json(path: Path, data: Any) -> None:
    write_whole(path, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())
