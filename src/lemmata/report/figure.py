"""A drawing on disk: PNG and SVG, the CSV beneath it, and a JSON file with the command that made them.

The same artefact gives the same bytes each time: no dates, fixed element ids in the SVG. The CSV is plain RFC 4180
(a comment line would break readers), so its footer stands in the JSON file beside it.
"""

import csv
import io
import json
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from lemmata.core import Artefact
from lemmata.record import ExperimentResult
from lemmata.report.files import digest_of, package_digest, write_whole
from lemmata.report.page_entry import Footer
from lemmata.report.style import GREY, styled
from lemmata.report.ticks import with_plain_powers

DPI = 150
PADDING = 0.08  # inches around it
WRITTEN: dict[str, dict[str, Any]] = {"png": {"pil_kwargs": {"compress_level": 3}}, "svg": {}}  # twice as fast as 6
FOOTER_POINTS = 5.5
FOOTER_CHARACTER = 0.62  # mean width of a character of DejaVu Sans, in font sizes


@dataclass(frozen=True)
class SavedArtefact:
    """Where the files of a drawing are; None for what it does not have."""

    png: Path | None
    svg: Path | None
    csv: Path | None
    json: Path


def draw(result: ExperimentResult) -> Artefact:
    """The experiment's drawing, every title and legend of it in the project's style."""
    with styled():
        return result.draw()


def save_artefact(artefact: Artefact, folder: Path | str, name: str, footer: Footer) -> SavedArtefact:
    """Write `folder/name.{png,svg,csv,json}`; `name` may hold slashes, as in an experiment's id.

    Drawing is the slow part, so files that this code drew from these runs before, and that nobody touched, stay.
    """
    folder = Path(folder)
    table = csv_bytes(artefact.table) if artefact.table else None
    facts = asdict(footer) | {"caption": artefact.caption, "code": package_digest()}
    kinds = [*(("png", "svg") if artefact.figure is not None else ()), *(("csv",) if table is not None else ())]
    targets = {kind: folder / f"{name}.{kind}" for kind in kinds}
    about = folder / f"{name}.json"
    if not _drawn_before(about, targets, facts, table):
        contents = figure_bytes(artefact.figure, footer) if artefact.figure is not None else {}
        if table is not None:
            contents["csv"] = table
        for kind, content in contents.items():
            write_whole(targets[kind], content)
        facts["files"] = {kind: digest_of(content) for kind, content in contents.items()}
        write_whole(about, (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode())
    return SavedArtefact(targets.get("png"), targets.get("svg"), targets.get("csv"), about)


def _drawn_before(about: Path, targets: Mapping[str, Path], facts: Mapping[str, Any], table: bytes | None) -> bool:
    try:
        known = json.loads(about.read_text())
        files = known.pop("files")
        same = known == json.loads(json.dumps(facts)) and files.keys() == targets.keys()
        same = same and all(digest_of(path.read_bytes()) == files[kind] for kind, path in targets.items())
        return same and (table is None or files["csv"] == digest_of(table))
    except (OSError, ValueError, KeyError, AttributeError):
        return False


def figure_bytes(figure: Figure, footer: Footer) -> dict[str, bytes]:
    """The figure as PNG and SVG, with a small footer that says how it was drawn, and the same in the metadata."""
    line = footer.line()
    maker = f"lemmata {footer.version}"
    metadata = {
        "png": {"Software": maker, "Description": line},
        "svg": {"Creator": maker, "Description": line, "Date": None},
    }
    contents = {}
    with footed(figure, footer) as box:
        for kind, facts in metadata.items():
            output = io.BytesIO()
            figure.savefig(output, format=kind, dpi=DPI, bbox_inches=box, metadata=facts, **WRITTEN[kind])
            contents[kind] = output.getvalue()
    return contents


@contextmanager
def footed(figure: Figure, footer: Footer) -> Iterator[Bbox]:
    """Laid out, with the footer beneath, as it is saved; gives the box around everything, in inches.

    What `bbox_inches="tight"` and a layout engine do at every saving is done once: each would draw the figure again.
    """
    width, height = (72 * inches for inches in figure.get_size_inches())
    most = max(20, int(width / (FOOTER_POINTS * FOOTER_CHARACTER)))
    wrapped = textwrap.fill(footer.line(), most, break_long_words=False)
    with styled():
        with_plain_powers(figure)
        # Constrained layout must not see the footer, the outer box must: lay out first, then add it.
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)
            figure.set_layout_engine(None)
        drawn = figure.text(0.005, -6 / height, wrapped, fontsize=FOOTER_POINTS, color=GREY, ha="left", va="top")
        yield figure.get_tightbbox().padded(PADDING)
        drawn.remove()


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
