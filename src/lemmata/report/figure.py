"""A drawing on disk: PNG and SVG, the CSV beneath it, and a JSON file with the command that made them.

The same artefact gives the same bytes each time: no dates, fixed element ids in the SVG. The CSV is plain RFC 4180
(a comment line would break readers), so its provenance stands in the JSON file beside it.
"""

import csv
import io
import json
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lemmata.core import Artefact, Experiment, Results
from lemmata.report.entry import Provenance
from lemmata.report.files import write_whole
from lemmata.report.style import GREY, styled

DPI = 150
FOOTER_POINTS = 5.5
FOOTER_CHARACTER = 0.62  # mean width of a character of DejaVu Sans, in font sizes


@dataclass(frozen=True)
class SavedArtefact:
    """Where the files of a drawing are; None for what it does not have."""

    png: Path | None
    svg: Path | None
    csv: Path | None
    json: Path


def draw(experiment: Experiment, results: Results) -> Artefact:
    """The experiment's drawing, every title and legend of it in the project's style."""
    with styled():
        return experiment.render(results)


def save_artefact(artefact: Artefact, folder: Path, name: str, provenance: Provenance) -> SavedArtefact:
    """Write `folder/name.{png,svg,csv,json}`; `name` may hold slashes, as in an experiment's id."""

    def target(suffix: str) -> Path:
        return folder / f"{name}.{suffix}"

    png = svg = table = None
    if artefact.figure is not None:
        png = write_whole(target("png"), figure_bytes(artefact.figure, "png", provenance))
        svg = write_whole(target("svg"), figure_bytes(artefact.figure, "svg", provenance))
    if artefact.table:
        table = write_whole(target("csv"), csv_bytes(artefact.table))
    facts = asdict(provenance) | {"caption": artefact.caption}
    about = write_whole(target("json"), (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode())
    return SavedArtefact(png, svg, table, about)


def figure_bytes(figure: Figure, kind: str, provenance: Provenance) -> bytes:
    """The figure with a small footer that says how it was drawn, and the same in the file's metadata."""
    line = provenance.line()
    maker = f"lemmata {provenance.version}"
    metadata = (
        {"Software": maker, "Description": line}
        if kind == "png"
        else {"Creator": maker, "Description": line, "Date": None}
    )
    width, height = (72 * inches for inches in figure.get_size_inches())
    wrapped = textwrap.fill(line, max(20, int(width / (FOOTER_POINTS * FOOTER_CHARACTER))), break_long_words=False)
    output = io.BytesIO()
    with styled():
        footer = figure.text(0.005, -6 / height, wrapped, fontsize=FOOTER_POINTS, color=GREY, ha="left", va="top")
        footer.set_in_layout(False)
        try:
            # Constrained layout must not see the footer, the outer box must: lay out first, then let it count.
            figure.draw_without_rendering()
            footer.set_in_layout(True)
            figure.savefig(output, format=kind, dpi=DPI, bbox_inches="tight", pad_inches=0.08, metadata=metadata)
        finally:
            footer.remove()
    return output.getvalue()


def csv_bytes(table: Mapping[str, Any]) -> bytes:
    """Equal-length columns as RFC 4180: floats with every digit that matters, missing values empty."""
    columns = {str(name): list(np.asarray(c) if hasattr(c, "dtype") else c) for name, c in table.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of a table have one length; these have {lengths}")
    output = io.StringIO(newline="")
    writer = csv.writer(output)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in zip(*columns.values(), strict=True))
    return output.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if np.ndim(value):
        raise ValueError(f"a table's cells are single values, not arrays of shape {np.shape(value)}")
    return str(value)  # of a float: the shortest text that reads back as the same number, in its own precision
