"""`lemmata list`, and what is known of every claim: code, last verdict, provenance."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from lemmata.commands.provenance import provenance
from lemmata.commands.with_baseline import baseline_lines, with_baselines
from lemmata.core import Claim, Scale
from lemmata.core.cli_hints import command
from lemmata.core.registry import Selection, file_of, papers, select
from lemmata.record import NOT_RUN, current_rule
from lemmata.record.record_of import claim_facts
from lemmata.report.table_layout import Listing, rows_table
from lemmata.report.tables import ClaimList, papers_table
from lemmata.report.terminal import not_run_words
from lemmata.run import Store, last_verdict, obstacle


def list_claims(
    ids: Sequence[str], scale: Scale, store_path: Path, *, unstable: bool, as_json: bool, console: Console
) -> int:
    """Every claim with its last verdict at this scale; `unstable`: those alone that moved under fresh randomness."""
    rows = with_baselines(claim_rows(ids, scale, Store(store_path)), scale)
    if unstable:
        rows = [row for row in rows if row["unstable"]]
    if as_json:
        print(json.dumps(rows, indent=1))
        return 0
    if unstable:
        again = command("confirm", *ids, scale=scale.name)
        console.print(_moved(rows) if rows else f"No verdict is known to have moved; `{again}` asks again.")
        return 0
    console.print(papers_table([papers()[id] for id in dict.fromkeys(row["paper"] for row in rows)], rows))
    console.print(ClaimList(rows))
    if any(row["status"] is None for row in rows):
        judges = command("check", "ID", scale=scale.name)
        console.print(f"A dash: not judged yet at scale {scale.name}. `{judges}` judges it.", style="dim", markup=False)
    if stale := [row["id"] for row in rows if row.get("stale")]:
        judges = command("check", "ID", scale=scale.name)
        words = f"Stale, because the rule has changed: {', '.join(stale)}. `{judges}` judges it again."
        console.print(words, style="dim", markup=False)
    for line in not_run_words((row["experiment"], row["detail"]) for row in rows if row["status"] == NOT_RUN):
        console.print(line)
    for line in baseline_lines(rows, scale):
        console.print(line, style="dim", markup=False)
    return 0


def _moved(rows: Sequence[dict[str, Any]]) -> Listing:
    cells = []
    for row in rows:
        verdicts = ", ".join(f"{number}: {status}" for number, status in row["replications"].items())
        cells.append((row["id"], row["status"], row["replicated"], verdicts))
    return rows_table(["claim", "reference", "fresh randomness", "replications"], cells)


def claim_rows(ids: Sequence[str], scale: Scale, store: Store | None) -> list[dict[str, Any]]:
    """What is known of every claim, with its last verdict in the store if one is given."""
    rows = []
    for selection in select(ids):
        asked, runs, reason = selection.experiment.runs(scale).values(), [], None
        if store:
            reason = obstacle(selection.experiment, asked, store)
            runs = [] if reason else sorted({config.digest for config in asked})
        rows += [_row(selection, claim, scale, store, runs, reason) for claim in selection.claims]
    return rows


def _row(
    selection: Selection, claim: Claim, scale: Scale, store: Store | None, runs: list[str], reason: str | None
) -> dict[str, Any]:
    """`reason`: why it cannot be run here, if so."""
    unknown = dict.fromkeys(("status", "predicted", "measured", "margin", "control_status", "seconds"))
    about = {
        "detail": "",
        "remark": claim.remark if isinstance(claim.remark, str) else "",
        "experiment": selection.experiment.id,
        "title": selection.experiment.title,
        "paper": selection.paper.id,
        "extra": selection.experiment.extra,
        "scale": scale.name,
        "runs": runs,
        "command": command("check", claim.id, "--scale", scale.name),
        "file": str(file_of(selection.experiment.id)),
    }
    rule = current_rule(selection.experiment, claim)
    verdict = last_verdict(store, claim, rule, scale=scale.name, runs=runs) if runs and store else {}
    if verdict.get("stale"):
        verdict = {"stale": f"its rule has changed; `{about['command']}` judges it again"}
    verdict = {"status": NOT_RUN, "detail": reason} if reason else verdict
    return unknown | claim_facts(claim) | about | verdict | provenance(selection, claim, scale.name, store).row()
