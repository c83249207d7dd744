"""Stored result -> figure, table, page. Nothing here computes a result.

Papers import `lemmata.report.plots` to draw; only the command line needs the names below, so they load when asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lemmata.report.entry import Provenance, ReportedExperiment, describe_seeds, seeds_of
    from lemmata.report.figure import SavedArtefact, csv_bytes, draw, save_artefact
    from lemmata.report.page import write_page
    from lemmata.report.terminal import (
        claim_panel,
        claims_table,
        make_console,
        papers_table,
        rows_table,
        runs_table,
        verdict_counts,
        verdict_table,
    )

_HOMES = {
    "Provenance": "entry",
    "ReportedExperiment": "entry",
    "describe_seeds": "entry",
    "seeds_of": "entry",
    "SavedArtefact": "figure",
    "csv_bytes": "figure",
    "draw": "figure",
    "save_artefact": "figure",
    "write_page": "page",
    "claim_panel": "terminal",
    "claims_table": "terminal",
    "make_console": "terminal",
    "papers_table": "terminal",
    "rows_table": "terminal",
    "runs_table": "terminal",
    "verdict_counts": "terminal",
    "verdict_table": "terminal",
}

__all__ = [
    "Provenance",
    "ReportedExperiment",
    "SavedArtefact",
    "claim_panel",
    "claims_table",
    "csv_bytes",
    "describe_seeds",
    "draw",
    "make_console",
    "papers_table",
    "rows_table",
    "runs_table",
    "save_artefact",
    "seeds_of",
    "verdict_counts",
    "verdict_table",
    "write_page",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
