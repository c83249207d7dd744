"""`lemmata list`: papers, experiments and claims with their last verdicts."""

import math
from collections.abc import Sequence
from typing import Annotated, Literal

import tyro
from rich.console import Console

from lemmata.commands.claim_records import claim_records
from lemmata.commands.options import AtScale, Ids, Json, print_json
from lemmata.commands.with_baseline import baseline_lines, with_baselines
from lemmata.core.cli_hints import command
from lemmata.core.registry import papers
from lemmata.record import Provenance, Record
from lemmata.report.statuses import failing_words
from lemmata.report.table_layout import Listing, rows_table
from lemmata.report.tables import ClaimList, papers_table
from lemmata.report.terminal import not_run_lines
from lemmata.run import Store


def list_claims(
    ids: Ids,
    scale: AtScale,
    store: Store,
    *,
    console: Console,
    unstable: Annotated[
        bool, tyro.conf.arg(help="Only claims whose verdict moved under fresh randomness (`lemmata confirm`).")
    ] = False,
    by: Annotated[
        Literal["paper", "resolution"],
        tyro.conf.arg(help="resolution: what holds, the claim that would notice least of a wrong statement first."),
    ] = "paper",
    as_json: Json = False,
) -> int:
    """Papers, experiments and claims, with their last verdicts.

    Example: lemmata list knowledge --unstable
    Example: lemmata list --by resolution
    """
    records = with_baselines(claim_records(ids, scale, store), scale)
    if unstable:
        records = [one for one in records if one.provenance and one.provenance.is_unstable]
    if by == "resolution":
        records = sorted((one for one in records if one.weakest), key=_unnoticed, reverse=True)
    if as_json:
        return print_json([one.to_json() for one in records])
    if by == "resolution":
        cells = [(one.id, one.status, one.resolution) for one in records]
        console.print(rows_table(["claim", "verdict", "resolution"], cells, ["claim", "verdict"]))
        return 0
    if unstable:
        again = command("confirm", *ids, scale=scale.name)
        console.print(_moved(records) if records else f"No verdict is known to have moved; `{again}` asks again.")
        return 0
    console.print(papers_table([papers()[id] for id in dict.fromkeys(one.paper for one in records)], records))
    if words := failing_words(records):
        console.print(words)
    console.print(ClaimList(records))
    if any(one.status is None for one in records):
        judges = command("check", "ID", scale=scale.name)
        console.print(f"A dash: not judged yet at scale {scale.name}. `{judges}` judges it.", style="dim", markup=False)
    if stale := [one.id for one in records if one.stale]:
        judges = command("check", "ID", scale=scale.name)
        words = f"Stale, because the rule has changed: {', '.join(stale)}. `{judges}` judges it again."
        console.print(words, style="dim", markup=False)
    for line in not_run_lines(records):
        console.print(line)
    for line in baseline_lines(records, scale):
        console.print(line, style="dim", markup=False)
    return 0


def _unnoticed(record: Record) -> float:
    part = record.weakest
    return math.inf if part is None or part.unnoticed is None else part.unnoticed


def _moved(records: Sequence[Record]) -> Listing:
    cells = []
    for one in records:
        known = one.provenance or Provenance()
        verdicts = ", ".join(f"{number}: {status}" for number, status in known.replications.items())
        cells.append((one.id, one.status, known.replicated, verdicts))
    return rows_table(["claim", "reference", "fresh randomness", "replications"], cells)
