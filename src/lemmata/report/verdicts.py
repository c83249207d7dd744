"""Verdicts with the numbers that decide them: what `check`, `run` and `reproduce` print."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lemmata.core.cli_hints import command
from lemmata.record import Record
from lemmata.report.evidence_rows import NEAREST, Line, left_over, lines
from lemmata.report.statuses import protocol_word
from lemmata.report.table_layout import plain_table
from lemmata.report.terminal import control_text, verdict_text
from lemmata.report.values import duration, margin_or_proof

FEW = 6  # so many claims are shown closely; of more, each part's deciding number alone
WIDE = 120  # columns of a terminal on which predicted and measured stand side by side


@dataclass(frozen=True)
class Verdicts:
    """One line a claim, and beneath it a line a number: where it stands, predicted, measured, margin."""

    records: Sequence[Record]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        if options.max_width >= WIDE:
            yield self._table()
        else:
            for record in self.records:
                yield from self._block(record)
        if self.nearest == 1 and any(left_over(record, 1) for record in self.records):
            yield Text(f"Of each part the number that decides; {self._more()}.", style="dim")

    @property
    def nearest(self) -> int:
        return NEAREST if len(self.records) <= FEW else 1

    def _more(self) -> str:
        """Where the others are: under changed assumptions not with the claim, whose own verdict is the paper's."""
        again = next((record.again for record in self.records if record.again), "")
        scale = next((record.scale for record in self.records if record.scale), "laptop")
        return f"all of them: {again} --json" if again else f"`{command('show', 'ID', scale=scale)}` shows more"

    def _table(self) -> Table:
        table = plain_table()
        table.add_column("verdict", no_wrap=True)
        table.add_column(
            "claim", overflow="fold", min_width=max((len(record.id) for record in self.records), default=0)
        )
        table.add_column("predicted", overflow="fold")
        table.add_column("measured", overflow="fold")
        table.add_column("margin", justify="right", no_wrap=True)
        table.add_column("control", no_wrap=True)
        table.add_column("protocol", no_wrap=True)
        table.add_column("cost", justify="right", no_wrap=True)
        for record in self.records:
            found = list(lines(record, self.nearest))
            alone = found[0] if len(found) == 1 and not found[0].label else None
            table.add_row(
                verdict_text(record),
                Text(record.id, style="bold"),
                Text(alone.predicted if alone else ""),
                Text(alone.measured if alone else ""),
                margin_or_proof(record),
                control_text(record.control_status),
                protocol_word(record),
                duration(record.seconds),
            )
            for line in [] if alone else found:
                table.add_row("", _labelled(line), Text(line.predicted), Text(line.measured), line.margin, "", "", "")
            for note in self._notes(record):
                table.add_row("", note, "", "", "", "", "")
        return table

    def _block(self, record: Record) -> Iterator[Any]:
        """For narrow terminals: the same, below one another."""
        yield Text.assemble(verdict_text(record), "  ", (record.id, "bold"))
        control = Text.assemble("control ", control_text(record.control_status))
        protocol = Text(f"protocol {protocol_word(record)}")
        facts = [Text(f"margin {margin_or_proof(record)}"), control, protocol, Text(duration(record.seconds))]
        yield Padding(Text(", ").join(facts), (0, 0, 0, 4), style="dim")
        for line in lines(record, self.nearest):
            label = f"{line.label}: " if line.label else ""
            both = "\n" in line.predicted  # the printed form and the right one, which say so themselves
            predicted = ("" if both else "predicted ") + line.predicted.replace("\n", ", ")
            words = f"{label}{predicted}; measured {line.measured}"
            yield Padding(Text(words, overflow="fold"), (0, 0, 0, 4))
        for note in self._notes(record):
            yield Padding(note, (0, 0, 0, 2))

    def _notes(self, record: Record) -> list[Padding]:
        more = left_over(record, self.nearest) if self.nearest > 1 else ""
        return [Padding(Text(more, style="dim"), (0, 0, 0, 2))] if more else []


def _labelled(line: Line) -> Padding:
    return Padding(Text(line.label, style="" if line.status == "holds" else "bold"), (0, 0, 0, 2))
