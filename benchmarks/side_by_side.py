"""What the benchmarks share: a row of two times, the median of repetitions, and the table or JSON they end in."""

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    what: str
    size: str
    ours_ms: float
    other: str
    other_ms: float
    required: float  # how many times faster we must be; 0 where nothing is required

    @property
    def speedup(self) -> float:
        return self.other_ms / self.ours_ms

    @property
    def met(self) -> bool:
        return self.speedup >= self.required


def median_ms(run: Callable[[], object], repeats: int) -> float:
    run()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(times)


def show(rows: Sequence[Row], title: str, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps([{**asdict(row), "speedup": row.speedup, "met": row.met} for row in rows], indent=2))
        return
    table = Table("what", "size", "ours", "against", "theirs", "times faster", "required", "met", title=title)
    for row in rows:
        numbers = (f"{row.ours_ms:.2f}", row.other, f"{row.other_ms:.2f}", f"{row.speedup:.2f}", f"{row.required:g}")
        table.add_row(row.what, row.size, *numbers, "yes" if row.met else "no")
    Console(width=150).print(table)
