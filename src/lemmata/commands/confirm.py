"""`lemmata confirm`: the same claims under fresh randomness."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rich.console import Console

from lemmata.commands.compute import jobs_of
from lemmata.commands.json_output import print_json
from lemmata.commands.progress import ProgressReporter
from lemmata.core import Scale, require
from lemmata.core.engine import EngineName
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import Selection
from lemmata.core.verdict import Status
from lemmata.record import Replications, read_baseline
from lemmata.report.tables import replication_table, undecided_again
from lemmata.report.terminal import not_run_lines
from lemmata.run import Store, confirm, named_one_by_one, possible


def confirm_claims(
    ids: Sequence[str],
    scale: Scale,
    replications: int,
    first: int,
    store: Store,
    jobs: int | None,
    *,
    engine: EngineName = "local",
    as_json: bool,
    console: Console,
) -> int:
    """Judge under each replication; 1 if a claim fails in one of them, or a run could not be computed."""
    require(replications >= 1, "--replications", replications, "at least 1")
    require(first >= 1, "--first", first, "at least 1 (replication 0 is the reference: `lemmata check`)")
    numbers = range(first, first + replications)
    selections, not_run = possible(ids, scale, store)
    with ProgressReporter() as reporter:
        found = confirm(
            selections,
            scale,
            numbers,
            store,
            known=_documented(selections, scale),
            jobs=jobs_of(jobs),
            engine=engine,
            reporter=reporter,
            own_runs=named_one_by_one(ids),
        )
    if as_json:
        print_json([_message(id, one) for id, one in found.items()])
    else:
        console.print(replication_table(found, numbers))
        moved = [one for one in found.values() if one.moved]
        count = f"{len(found) - len(moved)} of {pluralize(len(found), 'claim')} replicated in all of {len(numbers)}"
        count += undecided_again(found.values())
        console.print(f"[bold]{count};[/] {len(moved)} moved." if moved else f"[bold]{count}.[/]")
        for line in not_run_lines(record for one in not_run for record in one.records()):
            console.print(line)
    return int(bool(reporter.failures) or any("fails" in one.statuses for one in found.values()))


def _documented(selections: Sequence[Selection], scale: Scale) -> dict[str, Status]:
    """Reference verdicts that the papers' folders keep at this scale."""
    kept = (read_baseline(paper) for paper in {one.paper.id: one.paper for one in selections}.values())
    found = (record for one in kept if one.scale == scale.name for record in one.claims.values())
    return {one.id: cast(Status, one.status) for one in found}


def _message(id: str, one: Replications) -> Mapping[str, Any]:
    said = one.to_json()
    return {
        "id": id,
        "scale": one.scale,
        "reference": one.reference,
        "replications": said["verdicts"],
        "together": one.together,
        "replicated": one.words(),
        "moved": {number: said["verdicts"][number] for number in one.moved},
        "date": one.date,
        "seconds": one.seconds,
    }
