"""Rows of cells as wide as the terminal: a table where it fits, else a block a row, so that no column is squeezed."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

GAP = 3  # between columns
READABLE = 24  # a column of text may be folded to this, and no further


@dataclass(frozen=True)
class Listing:
    """`whole`: columns that are never folded in a table, such as ids; numbers never are."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    whole: tuple[str, ...] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        least = [self._least(i) for i in range(len(self.columns))]
        if sum(least) + GAP * len(least) <= options.max_width:
            yield self._table(least)
        else:
            yield from self._blocks(options.max_width)

    def _least(self, i: int) -> int:
        widest = max((_width(row[i]) for row in self.rows), default=0)
        folded = widest if self._is_whole(i) else min(widest, READABLE)
        return max(folded, len(self.columns[i]))

    def _is_whole(self, i: int) -> bool:
        return self.columns[i] in self.whole or self._is_numeric(i)

    def _is_numeric(self, i: int) -> bool:
        cells = [row[i] for row in self.rows if row[i] is not None]
        return bool(cells) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells)

    def _table(self, least: list[int]) -> Table:
        table = plain_table()
        for i, column in enumerate(self.columns):
            side = "right" if self._is_numeric(i) else "left"
            table.add_column(Text(column), justify=side, overflow="fold", min_width=least[i], no_wrap=self._is_whole(i))
        for row in self.rows:
            table.add_row(*map(cell_text, row))
        return table

    def _blocks(self, width: int) -> Iterator[Any]:
        """A block a row: a line a column, its name first; what is long goes on below, indented."""
        named = min(max(map(len, self.columns), default=0), width // 3)
        for row in self.rows:
            yield Text("─" * min(width, 40), style="dim")
            for column, cell in zip(self.columns, row, strict=True):
                block = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
                block.add_column(style="dim", width=named, overflow="fold")
                block.add_column(overflow="fold")
                block.add_row(Text(column), cell_text(cell))
                yield Padding(block, 0)


def rows_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], whole: Sequence[str] = ()) -> Listing:
    """Any rows, as a query gives them: numbers to the right, nothing rounded away."""
    return Listing(tuple(map(str, columns)), tuple(tuple(row) for row in rows), tuple(whole))


def plain_table(*, header: bool = True) -> Table:
    return Table(
        box=box.SIMPLE_HEAD if header else None,
        show_header=header,
        pad_edge=False,
        header_style="dim",
        padding=(0, 2, 0, 0),
    )


def cell_text(cell: Any) -> Text:
    """Text as it is: square brackets in a formula are not markup."""
    if isinstance(cell, Text):
        return cell
    return Text("–", style="dim") if cell is None else Text(_words(cell))


def _words(value: Any) -> str:
    if isinstance(value, str | int | float):
        return str(value)
    return json.dumps(value, default=str, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def _width(cell: Any) -> int:
    return max((Text(line).cell_len for line in cell_text(cell).plain.splitlines()), default=0)
