"""The commands that compute: reproduce, check, run."""

import contextlib
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

from lemmata.commands.cheapest_first import cheapest_first
from lemmata.commands.claim_records import provenance
from lemmata.commands.findings import Findings
from lemmata.commands.options import (
    OUT,
    Changes,
    Engine,
    ExperimentId,
    Ids,
    Jobs,
    Json,
    ReplicatedScale,
    SeededScale,
    SingleFile,
    print_json,
)
from lemmata.commands.plan import print_plan
from lemmata.commands.progress import ProgressReporter
from lemmata.core import Scale, UserError, require
from lemmata.core.cli_hints import command_of
from lemmata.core.errors import InvalidField
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import Selection, select_one
from lemmata.record import ExperimentResult, NotRun, Record, Records, read_baseline
from lemmata.record.record_of import KEPT
from lemmata.report.figure import draw
from lemmata.report.incremental import IncrementalReport
from lemmata.report.page import Report, write_page
from lemmata.report.page_entry import Entry, Found
from lemmata.report.terminal import not_run_lines, verdict_counts
from lemmata.report.verdicts import Verdicts
from lemmata.run import Store, change, evaluate, evaluate_each, named_one_by_one, outside_too, possible


def reproduce(
    ids: Ids,
    scale: ReplicatedScale,
    store: Store,
    out: Annotated[Path, tyro.conf.arg(help=OUT)] = Path("report"),
    jobs: Jobs = None,
    *,
    console: Console,
    as_json: Json = False,
    engine: Engine = "local",
    single_file: SingleFile = False,
    dry_run: Annotated[
        bool, tyro.conf.arg(help="Say what would be computed and how long it takes; compute nothing.")
    ] = False,
) -> int:
    """Run what is missing, judge, draw and write the report.

    The cheapest experiments are computed first. The page is there from the first second, and grows.

    Example: lemmata reproduce ic-recall/fig-3 association/thm-2 --scale laptop
    """
    selections, not_run = possible(ids, scale, store)
    if dry_run:
        print_plan(selections, scale, store, jobs_of(jobs), as_json=as_json, console=console)
        return 0
    ensure_folder(out)
    store.ensure_writable()
    order = cheapest_first(selections, scale, store)
    findings = Findings([*{one.paper.id: one.paper for one in (*selections, *not_run)}.values()])

    def found(records: Records, coming: Sequence[Selection]) -> dict[str, list[Found]]:
        return findings.checked(records, {claim.id for one in coming for claim in one.claims})

    begun = Report(scale=scale, not_run=not_run, coming=selections)
    report = IncrementalReport(begun, order, out, found, single_file=single_file)
    page = report.write()
    if not as_json:
        console.print(f"page: {page} (it grows as experiments are judged, the cheapest first)", soft_wrap=True)
    done: dict[str, ExperimentResult] = {}
    with (
        ProgressReporter() as reporter,
        contextlib.closing(
            evaluate_each(order, scale, store, jobs=jobs_of(jobs), engine=engine, reporter=reporter, in_order=True)
        ) as judged,
    ):
        for item in judged:
            done[item.experiment.id] = item
            report.add(entry_of(item, scale, store, {}))
    page = report.write()
    result = [done[one.experiment.id] for one in selections]
    if as_json:
        _print_json(_records([*result, *not_run]))
    else:
        _print_verdicts(result, console, not_run)
        console.print(f"page: {page}", soft_wrap=True)
    return _failed(result)


def check(
    ids: Ids,
    scale: ReplicatedScale,
    store: Store,
    jobs: Jobs = None,
    *,
    console: Console,
    as_json: Json = False,
    engine: Engine = "local",
) -> int:
    """Run what is missing and judge; exits 1 if a claim fails.

    Nothing is drawn; an erratum is not a failure. Experiments that cannot be run here (an extra is not installed,
    weights are not there) are listed apart as `not run` and change no exit code. One that is named itself, or by a
    claim of it, is refused in one line, with exit code 2.

    Example: lemmata check ic-recall --scale laptop --json
    """
    selections, not_run = possible(ids, scale, store)
    result = evaluated(selections, scale, store, jobs, engine=engine, own_runs=named_one_by_one(ids))
    if as_json:
        _print_json(_records([*result, *not_run]))
    else:
        _print_verdicts(result, console, not_run)
    fails = any(judgement.status == "fails" for item in result for judgement in item.judgements)
    return int(fails or _failed(result))


def run_changed(
    experiment_id: ExperimentId,
    scale: SeededScale,
    store: Store,
    assignments: Changes = (),
    out: Annotated[Path, tyro.conf.arg(help=OUT)] = Path("report-run"),
    jobs: Jobs = None,
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """One experiment under changed assumptions (--set KEY=VALUE).

    Its runs are stored, judged and drawn. A key changes every run that has it. What it changed is said first and stands
    at the head of the result; a claim that rests on no changed run is not judged, and says what it rests on.

    Example: lemmata run ic-recall/fig-2 --set temperature=0.1 world.n=11
    """
    selection = select_one(experiment_id, "run")
    changes: dict[str, str] = {}
    for key, value in (_split_assignment(text) for group in assignments for text in group):
        if key in changes:
            raise UserError(f"--set {key} is given twice: {changes[key]!r} and {value!r}")
        changes[key] = value
    try:
        made = change(selection.experiment, scale, changes) if changes else None
    except InvalidField as refusal:  # with what the claims say of such values elsewhere
        raise UserError(f"{refusal}{outside_too(selection, scale, changes)}") from None
    if made and not as_json:
        console.print("\n".join(made.words()), markup=False)
        console.print("\n".join(made.resting(expected_reads(selection, made.after))), markup=False)
    ensure_folder(out)
    result = evaluated([selection], scale, store, jobs, changes=changes)
    page = write_page(Report(entries=[entry_of(item, scale, store, changes) for item in result], scale=scale), out)
    if as_json:
        _print_json([*_records(result), *(one for item in result for one in item.left_out_records())])
    else:
        again = {item.experiment.id: command_of(item.experiment.id, scale, changes) for item in result if changes}
        _print_verdicts(result, console, again=again)
        console.print(f"page: {page}")
    return _failed(result)


def expected_reads(selection: Selection, runs: Iterable[str]) -> dict[str, list[str] | None]:
    """Which of these runs each claim will read, by what its documented verdict was read from; None if nobody knows.

    A run stands for its group: another scale may have other members."""

    def here(names: Sequence[str] | None) -> list[str] | None:
        groups = {name.split("/")[0] for name in names or ()}
        return None if names is None else [name for name in runs if name.split("/")[0] in groups]

    known = read_baseline(selection.paper).claims
    return {one.id: here(known[one.id].reads or None if one.id in known else None) for one in selection.claims}


def evaluated(
    selections: Sequence[Selection], scale: Scale, store: Store, jobs: int | None, **how: Any
) -> list[ExperimentResult]:
    """What is asked for, judged, and what is missing computed before our eyes."""
    with ProgressReporter() as reporter:
        return evaluate(selections, scale, store, reporter=reporter, jobs=jobs_of(jobs), **how)


def _failed(result: Sequence[ExperimentResult]) -> int:
    """1 if a run could not be computed: its claims are undecided, and the command has not done its work."""
    return int(any(item.runs.failed for item in result))


def jobs_of(jobs: int | None) -> int:
    """As many worker processes as were asked for, else one a core."""
    require(jobs is None or jobs >= 1, "--jobs", jobs, "at least 1")
    return jobs or min(os.cpu_count() or 1, 8)


def ensure_folder(out: Path) -> None:
    """Fail before computing if the page could not be written; leave nothing behind either way."""
    parent = out
    while not parent.exists():
        parent = parent.parent
    try:
        tempfile.TemporaryDirectory(dir=parent).cleanup()
    except OSError as error:
        raise UserError(f"--out {str(out)!r} cannot be written: {error.strerror}") from None


def entry_of(item: ExperimentResult, scale: Scale, store: Store, changes: dict[str, str]) -> Entry:
    """An experiment on the page; its verdicts with their provenance, where they are the paper's."""
    provenances = {
        one.id: provenance(item.selection, one, scale.name, store) for one in item.selection.claims if not changes
    }
    records = tuple(replace(one, provenance=provenances.get(one.id)) for one in item.records(limit=KEPT))
    return Entry(item, draw(item), command_of(item.experiment.id, scale, changes), records)


def _print_verdicts(
    result: Sequence[ExperimentResult],
    console: Console,
    not_run: Sequence[NotRun] = (),
    again: Mapping[str, str] | None = None,
) -> None:
    """`again`: by experiment, the command that gives its numbers under the same changes."""
    found = (record for item in result for record in item.records(limit=KEPT))
    records = [replace(one, again=(again or {}).get(one.experiment, "")) for one in found]
    for item in result:
        if item.head:
            console.print("\nUnder changed assumptions, not the paper's:", style="bold yellow")
            console.print("\n".join(item.head), style="yellow", markup=False)
    console.print(Verdicts(records))
    console.print(f"[bold]{pluralize(len(records), 'claim')}:[/]", verdict_counts(records))
    for item in result:
        for one in item.judgements if item.head else ():
            if one.status == "undecided":
                console.print(f"undecided: {one.claim.id}: {one.detail}", markup=False)
        for claim, why in item.left_out:
            console.print(f"not judged: {claim.id}: {why}", markup=False)
    print_origins(result, console)
    for line in not_run_lines(_records(not_run)):
        console.print(line)


def print_origins(result: Sequence[ExperimentResult], console: Console) -> None:
    for item in result:
        if item.elsewhere:
            console.print(f"{item.experiment.id}: {item.elsewhere}", markup=False, soft_wrap=True)


def _records(result: Sequence[ExperimentResult | NotRun]) -> list[Record]:
    return [record for item in result for record in item.records()]


def _print_json(records: Sequence[Record]) -> None:
    print_json([one.to_json() for one in records])


def _split_assignment(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise UserError(f"--set {text!r} is not possible: write key=value")
    return key, value
