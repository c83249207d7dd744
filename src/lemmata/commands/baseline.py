"""Verdicts of a store, kept with their paper: what its pages say, and the reference of an installed package."""

import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from lemmata.commands.list import claim_rows
from lemmata.core import Paper, Scale
from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN, VERDICTS, CurrentRule, baselines, current_rules, is_fresh, read_baseline
from lemmata.report.evidence_rows import NEAREST
from lemmata.report.files import write_whole
from lemmata.run import Store
from lemmata.run.store import RECORD

KEPT = ("status", "margin", "seconds", "remark", "control", "reads", "control_status", "predicted", "measured")
WHERE_THERE = ("detail", "corrected", "proved")


def keep_verdicts(paper: Paper, scale: Scale, store: Store, console: Console | None) -> None:
    """At the documented scale all claims or none; at the paper's own, which is run in pieces, those that are judged."""
    rows = claim_rows([paper.id], scale, store)
    before, rules = read_baseline(paper), current_rules([paper.id], scale.name)
    judged = {row["id"]: _kept(row, rules[row["id"]], store) for row in rows if row["status"] not in (None, NOT_RUN)}
    if scale.name == "paper":
        if judged:
            _write_verdicts(paper.folder / VERDICTS, before | {"paper": before.get("paper", {}) | judged})
        return
    lacking = [row["id"] for row in rows if row["status"] is None and not row["extra"]]
    if lacking and console:
        missing = pluralize(len(lacking), "claim is", "claims are")
        console.print(f"{paper.id}: {missing} not judged in {store.root}; the kept verdicts stay.")
    if lacking:
        return
    # Claims that need an extra may be unjudged here: of those the verdicts kept before stay.
    stay = {id: row for id, row in baselines(paper, scale.name).items() if is_fresh(row, rules.get(id))}
    claims = {row["id"]: judged.get(row["id"]) or stay.get(row["id"]) for row in rows}
    # A run that two experiments share is computed once; those of an extra are no part of what a plain install costs.
    computed = {run for row in rows if not row["extra"] for run in row["runs"]}
    kept = {
        "scale": scale.name,
        "seconds": round(sum(float(store.record(run)["seconds"]) for run in computed)),
        "claims": {id: row for id, row in claims.items() if row},
    }
    kept |= {"paper": before["paper"]} if before.get("paper") else {}
    _write_verdicts(paper.folder / VERDICTS, kept)


def _kept(row: dict[str, Any], rule: CurrentRule, store: Store) -> dict[str, Any]:
    kept = {name: row.get(name) for name in KEPT} | {name: row[name] for name in WHERE_THERE if row.get(name)}
    if row.get("evidence"):  # as much of it as is shown
        kept["evidence"] = [part | {"rows": part["rows"][:NEAREST]} for part in row["evidence"]]
    return kept | {"digest": rule.digest, "code": rule.code} | _origin(row["runs"], store)


def _origin(runs: Sequence[str], store: Store) -> dict[str, str]:
    """Which version computed the runs, when the last of them was done, and on what."""
    records = [store.record(run) for run in runs]
    days = [str(record.get("computed") or _written(store, run))[:10] for run, record in zip(runs, records, strict=True)]
    found = {
        "version": ", ".join(sorted({record["code"]["version"] for record in records})),
        "date": max(days, default=""),
        "device": ", ".join(sorted({record["device"] for record in records})),
    }
    return {name: text for name, text in found.items() if text}


def _written(store: Store, run: str) -> str:
    """When a record was written, of those from before records said when they were computed."""
    seconds = (store.folder(run) / RECORD).stat().st_mtime
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()


def _write_verdicts(path: Path, kept: dict[str, Any]) -> None:
    """A line a claim, so that what moved can be seen in a diff."""
    lines = []
    for name, value in kept.items():
        text = json.dumps(value)
        if isinstance(value, dict):
            rows = ",\n".join(f"  {json.dumps(id)}: {json.dumps(row, ensure_ascii=False)}" for id, row in value.items())
            text = f"{{\n{rows}\n }}"
        lines.append(f" {json.dumps(name)}: {text}")
    write_whole(path, ("{\n" + ",\n".join(lines) + "\n}\n").encode())


def write_json(path: Path, data: Any) -> None:
    write_whole(path, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())
