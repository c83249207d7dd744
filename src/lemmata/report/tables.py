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
from lemmata.record import Record, Replications
from lemmata.report.statuses import look, protocol_word
from lemmata.report.table_layout import Listing, cell_text, plain_table
from lemmata.report.terminal import control_text, status_style, status_text, verdict_counts, verdict_text
from lemmata.report.values import brief, duration, margin, margin_or_proof, shorten

COLUMNS = ("verdict", "claim", "margin", "control", "protocol", "cost", "in the paper")
BESIDE = 82  # columns that a table of claims needs beside their ids


@dataclass(frozen=True)
class ClaimList:
    """Experiments, each with its title, and beneath each its claims; on a narrow terminal two lines a claim."""

    records: Sequence[Record]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        widest = max((len(one.id) for one in self.records), default=0)
        if widest + BESIDE <= options.max_width:
            yield from self._tables()
        else:
            yield from self._lines()

    def _experiments(self) -> Iterator[tuple[Text, list[Record]]]:
        for id, group in groupby(self.records, key=lambda one: one.experiment):
            records = list(group)
            title = f": {records[0].title}" if records[0].title else ""
            yield Text.assemble("experiment ", (id, "bold"), f"{title} ({pluralize(len(records), 'claim')})"), records

    def _tables(self) -> Iterator[Any]:
        """A table an experiment, all with the same columns; their names stand once, at the top."""
        cells = [[cell_text(cell) for cell in _cells(one)] for one in self.records]
        widths = [max(len(name), *(line[i].cell_len for line in cells)) for i, name in enumerate(COLUMNS)]
        names = _columns(widths)
        names.add_row(*(Text(name, style="dim") for name in COLUMNS))
        yield Padding(names, (0, 0, 1, 0))
        for head, records in self._experiments():
            yield head
            table = _columns(widths)
            for one in records:
                table.add_row(*_cells(one))
            yield Padding(table, (0, 0, 1, 0))

    def _lines(self) -> Iterator[Any]:
        for head, records in self._experiments():
            yield Text("")
            yield head
            for one in records:
                status, id, value, control, protocol, cost, locus = _cells(one)
                yield Padding(Text.assemble(status, "  ", id), (0, 0, 0, 2))
                facts = Text.assemble(
                    "margin ", value, ", control ", control, f", protocol {protocol}, {cost}, ", locus
                )
                yield Padding(facts, (0, 0, 0, 6), style="dim")


def _columns(widths: Sequence[int]) -> Table:
    table = plain_table(header=False)
    for name, width in zip(COLUMNS[:-1], widths, strict=False):
        table.add_column(name, justify="right" if name in ("margin", "cost") else "left", no_wrap=True, width=width)
    table.add_column(COLUMNS[-1], style="dim", overflow="fold")  # alone may wrap, so it is the one to give way
    return table


def _cells(record: Record) -> tuple[Text, Text, str, Text, str, str, Text]:
    return (
        verdict_text(record),
        cell_text(record.id),
        margin_or_proof(record),
        control_text(record.control_status),
        protocol_word(record) or "–",
        duration(record.seconds),
        cell_text(record.locus),
    )


def papers_table(papers: Iterable[Paper], records: Sequence[Record] = ()) -> Listing:
    """Papers, and how the claims in `records` stand."""
    found = []
    for paper in papers:
        mine = [one for one in records if one.paper == paper.id]
        about = Text.assemble(paper.title, "\n", (paper.sentence, "dim"))
        found.append((Text(paper.id, style="bold"), about, len(mine), verdict_counts(mine, "\n")))
    return Listing(("paper", "title", "claims", "verdicts"), tuple(found), ("paper", "verdicts"))


def runs_table(records: Sequence[Mapping[str, Any]]) -> Listing:
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
    named = tuple(str(number) for number in numbers)
    rows = []
    for id, one in found.items():
        moved = [f"{number}: {v.status} (margin {margin(v.margin)})" for number, v in one.moved.items()]
        marks = (Text(look(status).mark, style=status_style(status)) for status in one.statuses)
        agreed = Text(one.words(), style=status_style("undecided" if one.together == "undecided" else "holds"))
        rows.append((id, status_text(one.reference), *marks, status_text(one.together), agreed, ", ".join(moved)))
    columns = ("claim", "reference", *named, "together", "in all", "what moved")
    return Listing(columns, tuple(rows), columns[:-1])


def undecided_again(found: Iterable[Replications]) -> str:
    """Of claims that stayed what they were: how many stayed undecided, in brackets; empty where none did."""
    count = sum(one.change is None and one.usual == "undecided" for one in found)
    return f" ({count} of them undecided again)" if count else ""
