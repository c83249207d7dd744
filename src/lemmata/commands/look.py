"""The commands that look: list and show."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from lemmata.core import Claim, Scale, Selection, file_of, papers, select
from lemmata.report.terminal import claim_panel, papers_table, verdict_table
from lemmata.run import Store, last_verdict


def list_claims(ids: Sequence[str], scale: Scale, store_path: Path, *, as_json: bool, console: Console) -> int:
    """Every claim with its last verdict at this scale."""
    rows = _rows(ids, scale, Store(store_path))
    if as_json:
        print(json.dumps(rows, indent=1))
        return 0
    console.print(papers_table([papers()[id] for id in dict.fromkeys(row["paper"] for row in rows)], rows))
    console.print(verdict_table(rows))
    if any(row["status"] is None for row in rows):
        console.print(f"[dim]A dash: not judged yet at scale {scale.name}. `lemmata check ID` judges it.[/]")
    return 0


def show(wanted: str, scale: Scale, store_path: Path, *, as_json: bool, console: Console) -> int:
    """All that is known of a claim, or of every claim of an experiment or paper."""
    rows = _rows([wanted], scale, Store(store_path))
    named = [row for row in rows if row["id"] == wanted]
    rows = named or rows
    if as_json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        console.print(claim_panel(row))
    return 0


def _rows(ids: Sequence[str], scale: Scale, store: Store) -> list[dict[str, Any]]:
    rows = []
    for selection in select(ids):
        runs = sorted({config.digest for config in selection.experiment.runs(scale).values()})
        rows += [_row(selection, claim, scale, store, runs) for claim in selection.claims]
    return rows


def _row(selection: Selection, claim: Claim, scale: Scale, store: Store, runs: list[str]) -> dict[str, Any]:
    unknown = dict.fromkeys(("status", "predicted", "measured", "margin", "control_status", "seconds"))
    about = {
        "detail": "",
        "remark": claim.remark if isinstance(claim.remark, str) else "",
        "experiment": selection.experiment.id,
        "title": selection.experiment.title,
        "paper": selection.paper.id,
        "scale": scale.name,
        "runs": runs,
        "command": f"lemmata check {claim.id} --scale {scale.name}",
        "file": str(file_of(selection.experiment.id)),
    }
    return unknown | claim.facts() | about | last_verdict(store, claim, scale=scale.name, runs=runs)
