"""The commands that compute: reproduce, check, run."""

import json
import os
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

import jax
from rich.console import Console

from lemmata.commands.progress import ProgressReporter
from lemmata.core import Scale, Selection, UserError, papers, plain, require, select
from lemmata.report import ReportedExperiment, draw, seeds_of, verdict_table, write_page
from lemmata.run import Examined, Store, examine


def reproduce(ids: Sequence[str], scale: Scale, out: Path, store_path: Path, jobs: int | None, console: Console) -> int:
    """Run what is missing, judge, draw, write the page."""
    selections = select(ids)
    _ensure_folder(out)
    examined = _examine(selections, scale, Store(store_path), jobs)
    page = _publish(examined, scale, out, {})
    console.print(verdict_table(_rows(examined, scale)))
    console.print(f"[bold]{_summary(examined)}[/]  page: {page}")
    return 0


def check(
    ids: Sequence[str], scale: Scale, store_path: Path, jobs: int | None, *, as_json: bool, console: Console
) -> int:
    """Run what is missing and judge; 1 if a claim fails."""
    examined = _examine(select(ids), scale, Store(store_path), jobs)
    rows = _rows(examined, scale)
    if as_json:
        print(json.dumps(rows, indent=1))
    else:
        console.print(verdict_table(rows))
        console.print(f"[bold]{_summary(examined)}[/]")
    return int(any(row["status"] == "fails" for row in rows))


def run_changed(
    experiment_id: str,
    assignments: Sequence[str],
    scale: Scale,
    out: Path,
    store_path: Path,
    jobs: int | None,
    console: Console,
) -> int:
    """One experiment with changed assumptions."""
    selections = select([experiment_id])
    if len(selections) != 1:
        raise UserError(f"{experiment_id!r} names {len(selections)} experiments; `run` takes one")
    changes = dict(_split_assignment(text) for text in assignments)
    _ensure_folder(out)
    examined = _examine(selections, scale, Store(store_path), jobs, changes)
    page = _publish(examined, scale, out, changes)
    console.print(verdict_table(_rows(examined, scale)))
    console.print(f"[bold]{_summary(examined)}[/]  page: {page}")
    return 0


def _examine(
    selections: Sequence[Selection],
    scale: Scale,
    store: Store,
    jobs: int | None,
    changes: dict[str, str] | None = None,
) -> list[Examined]:
    require(jobs is None or jobs >= 1, "--jobs", jobs, "at least 1")
    with ProgressReporter() as reporter:
        return examine(selections, scale, store, jobs=jobs or _default_jobs(), reporter=reporter, changes=changes)


def _default_jobs() -> int:
    return min(os.cpu_count() or 1, 8) if jax.default_backend() == "cpu" else 1


def _ensure_folder(out: Path) -> None:
    """Fail before computing if the page could not be written; leave nothing behind either way."""
    parent = out
    while not parent.exists():
        parent = parent.parent
    try:
        tempfile.TemporaryDirectory(dir=parent).cleanup()
    except OSError as error:
        raise UserError(f"--out {str(out)!r} cannot be written: {error.strerror}") from None


def _publish(examined: Sequence[Examined], scale: Scale, out: Path, changes: dict[str, str]) -> Path:
    """Draw every experiment and write the page."""
    reported = []
    for item in examined:
        experiment = item.selection.experiment
        reported.append(
            ReportedExperiment(
                paper=papers()[experiment.id.split("/")[0]],
                experiment=experiment,
                judgements=item.judgements,
                artefact=draw(experiment, item.results),
                run_ids=item.run_ids,
                seconds=item.seconds,
                command=_command(experiment.id, scale, changes),
                seeds=seeds_of(run.config for run in item.results),
            )
        )
    return write_page(reported, out, scale=scale, store_info={})


def _command(experiment_id: str, scale: Scale, changes: dict[str, str]) -> str:
    verb = "run" if changes else "reproduce"
    words = ["lemmata", verb, experiment_id, "--scale", scale.name]
    words += ["--seeds", str(scale.num_seeds)] if scale.num_seeds else []
    words += ["--set", *(f"{key}={value}" for key, value in changes.items())] if changes else []
    return shlex.join(words)


def _rows(examined: Sequence[Examined], scale: Scale) -> list[dict]:
    return [
        {
            **judgement.row(),
            "experiment": item.selection.experiment.id,
            "paper": item.selection.experiment.id.split("/")[0],
            "scale": scale.name,
            "seconds": plain(item.seconds),
            "runs": list(item.run_ids),
        }
        for item in examined
        for judgement in item.judgements
    ]


def _summary(examined: Sequence[Examined]) -> str:
    statuses = [judgement.status for item in examined for judgement in item.judgements]
    counts = [f"{statuses.count(s)} {s}" for s in ("holds", "erratum", "undecided", "fails") if s in statuses]
    return f"{len(statuses)} claims: {', '.join(counts)}."


def _split_assignment(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise UserError(f"--set {text!r} is not possible: write key=value")
    return key, value
