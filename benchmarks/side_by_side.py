"""What the benchmarks share: a row of two times, the median of repetitions, and the table or JSON they end in."""

import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from matrix_work import SQUARE, measure_our_rate, measure_torch_rate, our_rate, torch_rate
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
    operations: float = 0.0  # of our matrix products; 0 where there are none
    other_operations: float = 0.0
    threads: int = 2  # of the other side; ours has all cores that the process was given
    alone_ms: float | None = None  # our matrix products and nothing else
    limit_ms: float | None = None  # these and all else that no rewriting could leave out
    other_is_ours: bool = False

    @property
    def speedup(self) -> float:
        return self.other_ms / self.ours_ms

    @property
    def met(self) -> bool:
        return self.speedup >= self.required

    @property
    def share(self) -> float | None:
        """Of the machine's matrix rate: the operations of our products over all of our time."""
        return self.operations / (1e-3 * self.ours_ms) / our_rate() if self.operations else None

    @property
    def other_share(self) -> float | None:
        if not self.other_operations:
            return None
        rate = our_rate() if self.other_is_ours else torch_rate(self.threads)
        return self.other_operations / (1e-3 * self.other_ms) / rate


def median_ms(run: Callable[[], object], repeats: int) -> float:
    return in_turns({"": run}, repeats, each=repeats)[""]


def in_turns(sides: Mapping[str, Callable[[], object]], repeats: int, each: int = 3) -> dict[str, float]:
    """The median milliseconds of every side. Sides take turns of a few runs, so that whatever else the machine does
    hits all of them; the first run of a turn is not counted, since the other side's threads may still be spinning."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    measure_our_rate()
    measure_torch_rate(threads=2)
    for run in sides.values():
        run()
    for _ in range(max(1, -(-repeats // each))):
        for name, run in sides.items():
            if len(sides) > 1:
                run()
            for _ in range(min(each, repeats)):
                began = time.perf_counter()
                run()
                times[name].append(1e3 * (time.perf_counter() - began))
    return {name: statistics.median(values) for name, values in times.items()}


def show(rows: Sequence[Row], title: str, *, as_json: bool) -> None:
    threads = sorted({row.threads for row in rows if row.other_operations and not row.other_is_ours})
    if as_json:
        print(json.dumps([_as_json(row) for row in rows], indent=2))
        return
    heads = ("what", "size", "ours", "share", "products alone", "limit", "against", "theirs", "share")
    table = Table(*heads, "times faster", "required", "met", title=title)
    for row in rows:
        floors = ("" if ms is None else f"{ms:.2f} ({ms / row.ours_ms:.0%})" for ms in (row.alone_ms, row.limit_ms))
        ours = (f"{row.ours_ms:.2f}", _share(row.share), *floors)
        theirs = (row.other, f"{row.other_ms:.2f}", _share(row.other_share))
        against = (f"{row.speedup:.2f}", f"{row.required:g}", "yes" if row.met else "no")
        table.add_row(row.what, row.size, *ours, *theirs, *against)
    Console(width=170).print(table)
    rates = [f"jax {our_rate() / 1e9:.0f}"]
    rates += [f"PyTorch with {number} thread{'s' * (number > 1)} {torch_rate(number) / 1e9:.0f}" for number in threads]
    print(f"share: of the rate of a float32 product of {SQUARE} x {SQUARE}, GFLOP/s: {', '.join(rates)}.")


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.2f}"


def _as_json(row: Row) -> dict:
    rates = {"rate": our_rate(), "other_rate": our_rate() if row.other_is_ours else torch_rate(row.threads)}
    found = {"speedup": row.speedup, "met": row.met, "share": row.share, "other_share": row.other_share}
    return {**asdict(row), **found, **rates}
