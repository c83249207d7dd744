"""A sweep as one table and one figure: the verdict on each claim over the values that were tried."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from rich.table import Table
from rich.text import Text

from lemmata.core.pluralize import pluralize
from lemmata.record import Record
from lemmata.record.cell import Judged
from lemmata.report.plots import new_figure
from lemmata.report.statuses import LOOKS, STATUSES
from lemmata.report.style import GREY, styled
from lemmata.report.table_layout import Listing, rows_table
from lemmata.report.terminal import status_text, verdict_counts
from lemmata.report.values import brief, margin

FILLS = {status: LOOKS[status].hue for status in STATUSES} | {"undecided": "#D1D5DB", "refused": "#FFFFFF"}
MARKED = 400  # cells: more are too small for marks
PANELS, COLUMNS = 12, 4  # claims that are drawn, beside one another
WIDE, LONG = 6, 60  # claims that fit as columns, cells that fit as lines
REASONS = 8  # that are printed
FEW = 3  # numbers that stand beside a verdict


def claims_in(cells: Sequence[Judged]) -> list[str]:
    return list(dict.fromkeys(claim for cell in cells for claim in cell.records))


def sweep_columns(cells: Sequence[Judged]) -> dict[str, list[Any]]:
    """The whole sweep as the columns of a table: the values, then each claim's verdict and margin, and what was
    predicted and measured in the element of each part that decides."""
    columns: dict[str, list[Any]] = {key: [one.cell.values[key] for one in cells] for key in cells[0].cell.values}
    for claim in claims_in(cells):
        records = [one.records.get(claim) for one in cells]
        columns[claim] = [one.status(claim) for one in cells]
        columns[f"{claim} margin"] = [record and record.margin for record in records]
        deciding = [
            {part.part: part.elements[0] for part in record.evidence if part.elements} if record else {}
            for record in records
        ]
        for part in dict.fromkeys(name for parts in deciding for name in parts):
            named = f"{claim}: {part}" if part else claim
            found = [parts.get(part) for parts in deciding]
            columns[f"{named} predicted"] = [one and _number(one.predicted) for one in found]
            columns[f"{named} measured"] = [one and _number(one.measured) for one in found]
    return columns


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float | str) else None


def reasons(cells: Sequence[Judged]) -> list[str]:
    """Why cells are undecided, each reason once with the first cell that has it; the last line counts the others."""
    first: dict[tuple[str, str], str] = {}
    for cell in cells:
        for claim, one in cell.records.items():
            if one.status == "undecided" and one.detail:
                values = ", ".join(f"{key} = {value}" for key, value in cell.cell.values.items())
                first.setdefault((claim, one.detail), f"undecided: {claim} at {values}: {one.detail}")
    lines = list(first.values())
    more = len(lines) - REASONS
    return lines[:REASONS] + ([f"{pluralize(more, 'more reason')}: --json"] if more > 0 else [])


def sweep_table(cells: Sequence[Judged]) -> Table | Listing:
    """One line a cell where they are few, else one line a claim."""
    claims, keys = claims_in(cells), list(cells[0].cell.values)
    if len(cells) > LONG or len(claims) > WIDE:
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        table.add_column("claim", no_wrap=True)
        table.add_column(f"in {pluralize(len(cells), 'cell')}")
        for claim in claims:
            table.add_row(Text(claim), verdict_counts([one.records[claim] for one in cells if claim in one.records]))
        return table
    found = [(*(one.cell.values[key] for key in keys), *(_verdict(one, claim) for claim in claims)) for one in cells]
    return rows_table([*keys, *claims], found, keys)


def _verdict(cell: Judged, claim: str) -> Text:
    if cell.cell.refused:
        return Text("refused", style="dim")
    record = cell.records.get(claim)
    number = "" if record is None or record.margin is None else f" {margin(record.margin)}"
    return Text.assemble(status_text(cell.status(claim)), f" {_numbers(record)}" if record else "", (number, "dim"))


def _numbers(record: Record) -> str:
    """What was measured, part by part where there are few."""
    found = [one.elements[0].measured for one in record.evidence if one.elements]
    return ", ".join(brief(one, 3) for one in found) if len(found) <= FEW else ""


def sweep_figure(cells: Sequence[Judged], axes: Mapping[str, Sequence[str]]) -> Figure | None:
    """A panel a claim, over one or two lists of values; None where there are more lists, or no verdict."""
    long = {key: list(values) for key, values in axes.items() if len(values) > 1}
    claims = claims_in(cells)[:PANELS]
    if not 1 <= len(long) <= 2 or not claims:
        return None
    (across, x), (down, y) = [*reversed(long.items()), ("", [""])][:2]
    columns = min(COLUMNS, len(claims))
    lines = -(-len(claims) // columns)
    size = {"width": columns * (1.6 + min(0.3 * len(x), 4)), "height": 0.6 + lines * (1.1 + min(0.3 * len(y), 4))}
    figure, panels = new_figure(lines, columns, squeeze=False, **size)
    with styled():
        for panel in panels.flat[len(claims) :]:
            panel.set_visible(False)
        for claim, panel in zip(claims, panels.flat, strict=False):
            found = {(one.cell.values.get(down, ""), one.cell.values[across]): one.status(claim) for one in cells}
            _panel(panel, [[found[b, a] for a in x] for b in y])
            panel.set_title(claim, fontsize=8)
            panel.set_xticks(range(len(x)), x, rotation=90 if max(map(len, x)) * len(x) > 24 else 0)
            panel.set_yticks(range(len(y)), y)
            panel.set_xlabel(across)
            panel.set_ylabel(down)
        seen = {one.status(claim) for one in cells for claim in claims}
        patches = [
            Patch(facecolor=colour, edgecolor=GREY, label=name) for name, colour in FILLS.items() if name in seen
        ]
        figure.legend(handles=patches, loc="outside upper left", ncols=len(patches))
    return figure


def _panel(panel: Axes, statuses: Sequence[Sequence[str]]) -> None:
    names = list(FILLS)
    codes = np.array([[names.index(status) for status in line] for line in statuses])
    colours = ListedColormap(list(FILLS.values()))
    sides = [np.arange(count + 1) - 0.5 for count in reversed(codes.shape)]
    panel.pcolormesh(*sides, codes, cmap=colours, vmin=-0.5, vmax=len(names) - 0.5, edgecolors="white", linewidth=0.8)
    panel.invert_yaxis()
    panel.grid(False)
    if codes.size <= MARKED:
        for (i, j), code in np.ndenumerate(codes):
            panel.text(
                j,
                i,
                LOOKS[names[code]].mark if names[code] in LOOKS else "",
                ha="center",
                va="center",
                fontsize=8,
                color="#222222",
            )
