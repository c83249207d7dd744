"""Drawings of stored runs, drawn when they are first asked for and kept in `<store>/figures/`."""

import contextlib
import json
import threading
from pathlib import Path

from lemmata.core import Runs, Scale, UserError
from lemmata.core.cli_hints import command_of
from lemmata.core.pluralize import pluralize
from lemmata.record import ExperimentResult
from lemmata.report.figure import draw, save_artefact
from lemmata.report.files import write_whole
from lemmata.report.hover import points
from lemmata.report.page_entry import footer_of
from lemmata.report.print import pdf_bytes, usual_width
from lemmata.run import DamagedRun, Store, missing
from lemmata.serve.question import Question

FOLDER = "figures"
KINDS = {"png": "image/png", "svg": "image/svg+xml", "csv": "text/csv; charset=utf-8"}
KINDS |= {"points": "application/json", "pdf": "application/pdf"}
_drawing = threading.Lock()  # matplotlib draws one figure at a time


def stored_runs(question: Question, store: Store) -> Runs:
    """The experiment's runs as they are stored; refused where one is not there: looking computes nothing."""
    scale, runs = Scale(question.scale), question.configs
    if absent := missing(list(runs.values()), store):
        raise UserError(
            f"{len(absent)} of its {pluralize(len(runs), 'run is', 'runs are')} not computed yet at scale {scale.name}"
        )
    try:
        return Runs({name: store.load(config) for name, config in runs.items()}, scale)
    except DamagedRun as damaged:
        raise UserError(f"a run of {question.experiment} is damaged: {damaged}") from None


def can_draw(question: Question, store: Store) -> bool:
    """Whether the runs are stored, and what they need is here."""
    with contextlib.suppress(UserError):
        return not missing(list(question.configs.values()), store)
    return False


def drawing(question: Question, store: Store, kind: str) -> Path:
    """The file of an experiment's drawing."""
    if kind not in KINDS:
        raise UserError(f"a drawing is {', '.join(KINDS)}, not {kind[:20]!r}")
    folder = store.root / FOLDER / question.scale
    path = folder / f"{question.experiment}.{kind}"
    with _drawing:
        runs = stored_runs(question, store)
        newest = max((path.stat().st_mtime for path in _records(runs, store)), default=0.0)
        if not path.is_file() or path.stat().st_mtime < newest:
            _draw(question, runs, folder, kind)
    if not path.is_file():
        raise UserError(f"{question.experiment} draws no {kind}")
    return path


def _records(runs: Runs, store: Store) -> list[Path]:
    return [store.folder(run.config.digest) / "record.json" for run in runs.by_name.values()]


def _draw(question: Question, runs: Runs, folder: Path, kind: str) -> None:
    item = ExperimentResult(question.selection, runs, ())
    made = footer_of(item, command_of(question.experiment, Scale(question.scale), question.changes))
    artefact = draw(item)
    if kind == "pdf" and artefact.figure is not None:
        pdf = pdf_bytes(artefact.figure, made, usual_width(artefact.figure))
        write_whole(folder / f"{question.experiment}.pdf", pdf)
        return
    save_artefact(artefact, folder, question.experiment, made)
    if artefact.figure is not None:
        text = json.dumps(points(artefact.figure, made), separators=(",", ":"))
        write_whole(folder / f"{question.experiment}.points", text.encode())
