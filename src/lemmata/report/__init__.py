"""Stored result -> figure, table, page. Nothing here computes a result.

Papers import `lemmata.report.plots` to draw; only the command line needs the names below, so they load when asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lemmata.report.entry import Provenance, ReportedExperiment, describe_seeds, seeds_of
    from lemmata.report.figure import SavedArtefact, csv_bytes, draw, save_artefact
    from lemmata.report.page import write_page

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
}

__all__ = [
    "Provenance",
    "ReportedExperiment",
    "SavedArtefact",
    "csv_bytes",
    "describe_seeds",
    "draw",
    "save_artefact",
    "seeds_of",
    "write_page",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
