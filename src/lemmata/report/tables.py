"""What `list`, `runs list` and `confirm` print: papers, experiments with their claims, stored runs, replications."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lemmata.core import Paper
from lemmata.core.pluralize import pluralize
from lemmata.record import Replications
from lemmata.report.table_layout import Listing, cell_text, plain_table
from lemmata.report.terminal import COLOURS, Row, control_text, status_text, verdict_counts
from lemmata.report.values import MARKS, brief, duration, margin, margin_or_proof, shorten

COLUMNS = ("verdict", "claim", "margin", "control", "cost", "in the paper")
BESIDE = 72  # columns that a table of claims needs beside their ids


@dataclass(frozen=True)
class ClaimList:
    """Experiments, each with its title, and beneath each its claims; on a narrow terminal two lines a claim."""

    rows: Sequence[Row]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        widest = max((len(row["id"]) for row in self.rows), default=0)
        if widest + BESIDE <= options.max_width:
            yield from self._tables()
        else:
            yield from self._lines()

    def _experiments(self) -> Iterator[tuple[Text, list[Row]]]:
        for id, group in groupby(self.rows, key=lambda row: row.get("experiment", "")):
            rows = list(group)
            count = pluralize(len(rows), "claim")
            title = f": {rows[0]['title']}" if rows[0].get("title") else ""
            yield Text.assemble("experiment ", (str(id), "bold"), f"{title} ({count})"), rows

    def _tables(self) -> Iterator[Any]:
        """A table an experiment, all with the same columns; their names stand once, at the top."""
        cells = [[cell_text(cell) for cell in _cells(row)] for row in self.rows]
        widths = [max(len(name), *(line[i].cell_len for line in cells)) for i, name in enumerate(COLUMNS)]
        names = _columns(widths)
        names.add_row(*(Text(name, style="dim") for name in COLUMNS))
        yield Padding(names, (0, 0, 1, 0))
        for head, rows in self._experiments():
            yield head
            table = _columns(widths)
            for row in rows:
                table.add_row(*_cells(row))
            yield Padding(table, (0, 0, 1, 0))

    def _lines(self) -> Iterator[Any]:
        for head, rows in self._experiments():
            yield Text("")
            yield head
            for row in rows:
                status, id, value, control, cost, locus = _cells(row)
                yield Padding(Text.assemble(status, "  ", id), (0, 0, 0, 2))
                facts = Text.assemble("margin ", value, ", control ", control, f", {cost}, ", locus)
                yield Padding(facts, (0, 0, 0, 6), style="dim")


def _columns(widths: Sequence[int]) -> Table:
    table = plain_table(header=False)
    for name, width in zip(COLUMNS[:-1], widths, strict=False):
        table.add_column(name, justify="right" if name in ("margin", "cost") else "left", no_wrap=True, width=width)
    table.add_column(COLUMNS[-1], style="dim", overflow="fold")  # alone may wrap, so it is the one to give way
    return table


def _cells(row: Row) -> tuple[Text, Text, str, Text, str, Text]:
    return (
        status_text(row.get("status"), row.get("reference"), row.get("proved")),
        cell_text(row.get("id")),
        margin_or_proof(row),
        control_text(row.get("control_status")),
        duration(row.get("seconds")),
        cell_text(row.get("locus")),
    )


def papers_table(papers: Iterable[Paper], rows: Sequence[Row] = ()) -> Listing:
    """Papers, and how the claims in `rows` stand."""
    found = []
    for paper in papers:
        mine = [row for row in rows if row.get("paper") == paper.id]
        about = Text.assemble(paper.title, "\n", (paper.sentence, "dim"))
        found.append((Text(paper.id, style="bold"), about, len(mine), verdict_counts(mine, "\n")))
    return Listing(("paper", "title", "claims", "verdicts"), tuple(found), ("paper", "verdicts"))


def runs_table(records: Sequence[Row]) -> Listing:
    """Stored runs, from their records."""
    found = []
    for record in records:
        config = record.get("config")
        found.append(
            (
                str(record.get("digest", ""))[:12],
                record.get("kind"),
                brief(record.get("rows")),
                duration(record.get("seconds")),
                duration(record.get("compile_seconds")),
                record.get("device"),
                Text(shorten(brief(config), 120) if isinstance(config, Mapping) else "", style="dim"),
            )
        )
    columns = ("run", "kind", "rows", "cost", "compiling", "device", "config")
    return Listing(columns, tuple(found), columns[:5])


def replication_table(found: Mapping[str, Replications], numbers: Iterable[int]) -> Listing:
    """One line a claim: its verdict under replication 0 and under each other, and what moved."""
    pluralize = tuple(str(number) for number in numbers)
    rows = []
    for id, one in found.items():
        moved = [f"{number}: {v['status']} (margin {margin(v['margin'])})" for number, v in one.moved.items()]
        marks = (Text(MARKS[status], style=COLOURS[status]) for status in one.statuses)
        agreed = Text(one.words(), style="green" if one.together != "undecided" else "yellow")
        rows.append((id, status_text(one.reference), *marks, status_text(one.together), agreed, ", ".join(moved)))
    columns = ("claim", "reference", *pluralize, "together", "in all", "what moved")
    return Listing(columns, tuple(rows), columns[:-1])
