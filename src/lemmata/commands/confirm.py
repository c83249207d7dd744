"""`lemmata confirm`: the same claims under fresh randomness."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

import tyro
from rich.console import Console

from lemmata.commands.compute import jobs_of
from lemmata.commands.options import AtScale, Engine, Ids, Jobs, Json, print_json
from lemmata.commands.progress import ProgressReporter
from lemmata.core import Scale, UserError, require
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import Selection, select
from lemmata.core.verdict import Status
from lemmata.record import Replications, read_baseline
from lemmata.report.tables import replication_table, undecided_again
from lemmata.report.terminal import not_run_lines
from lemmata.run import Store, confirm, named_one_by_one, possible


def confirm_claims(
    ids: Ids,
    scale: AtScale,
    store: Store,
    replications: Annotated[int, tyro.conf.arg(help="How many.")] = 5,
    first: Annotated[int, tyro.conf.arg(help="The number of the first.")] = 1,
    jobs: Jobs = None,
    *,
    console: Console,
    as_json: Json = False,
    engine: Engine = "local",
    headlines: Annotated[bool, tyro.conf.arg(help="Of these the claims that their papers name as headlines.")] = False,
) -> int:
    """The same claims under fresh randomness.

    Every key and every stream of every run is drawn anew under replications 1, 2, ...; each claim is judged in each,
    and all are set beside the reference, replication 0.

    What is stored is not computed again: run the same command again to continue, or with more replications. Where a
    rule was changed after replications had been seen, take numbers that nobody has seen (`--first 6`).
    Exits 1 if a claim fails in one of them. `lemmata check ID --replication 3` shows one of them closely,
    `lemmata list --unstable` the claims that moved.

    Example: lemmata confirm association/fig-18 --replications 5 --scale laptop
    """
    require(replications >= 1, "--replications", replications, "at least 1")
    require(first >= 1, "--first", first, "at least 1 (replication 0 is the reference: `lemmata check`)")
    numbers = range(first, first + replications)
    if headlines:
        chosen = [(one.paper, claim.id) for one in select(ids) for claim in one.claims]
        ids = tuple(id for paper, id in chosen if id.partition("/")[2] in paper.headlines)
        if not ids:
            raise UserError("--headlines: none of these papers names any")
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
