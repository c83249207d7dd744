"""Verdicts, claims and listings as rich renderables, for the command line.

Rows are plain dicts (`Judgement.row()` and what the command line adds to it): "experiment", "paper", "seconds",
"scale". A key that is missing shows as a dash, so a claim that was never judged can be listed too.
"""

import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lemmata.core import NOT_RUN, Confirmation, NotRun, Paper
from lemmata.report.errata import DETAILS
from lemmata.report.values import COUNTED, MARKS, brief, duration, is_one_value, margin, on_the_control, rule, shorten

COLOURS = {"holds": "green", "erratum": "magenta", "undecided": "bright_black", "fails": "bold red", NOT_RUN: "dim"}
PIPED_WIDTH = 160  # a file or a pipe has no width of its own; this keeps ids and numbers on one line

_ORIGIN = (("experiment", "experiment"), ("file", "file"), ("scale", "scale"), ("command", "command"))

Row = Mapping[str, Any]


def make_console(file: Any = None, *, stderr: bool = False) -> Console:
    """A console that also serves pipes and plain encodings: colour only on a terminal, no character ever raises."""
    stream: Any = file or (sys.stderr if stderr else sys.stdout)
    console = Console(file=stream, highlight=False, soft_wrap=False)
    encoding = (getattr(stream, "encoding", None) or "utf-8").lower()
    if not encoding.startswith("utf") and hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    if not console.is_terminal:
        console.width = max(PIPED_WIDTH, shutil.get_terminal_size().columns)
    return console


def status_text(status: str | None, reference: str | None = None) -> Text:
    """`reference`: where the verdict comes from, if it was not computed here."""
    if not status:
        return Text("–", style="dim")
    text = Text(f"{MARKS.get(status, '·')} {status}", style=COLOURS.get(status, ""))
    return text.append(" (reference)", style="dim") if reference and status != NOT_RUN else text


def control_text(status: str | None) -> Text:
    """A control must fail: green when it does."""
    return Text(status or "–", style={"fails": "green", "holds": "bold red"}.get(status or "", "dim"))


def counts_text(counts: Mapping[str, int], separator: str = "  ") -> Text:
    """Verdicts of several claims, as in `12 holds  2 erratum`."""
    parts = [Text(f"{MARKS[s]} {counts[s]} {s}", style=COLOURS[s]) for s in COUNTED if counts.get(s)]
    return Text(separator).join(parts) if parts else Text("–", style="dim")


def verdict_table(rows: Sequence[Row]) -> Table:
    """One line a claim; the number that matters and why it is believed."""
    table = _table()
    table.add_column("verdict", no_wrap=True)
    table.add_column("claim", no_wrap=True, overflow="ellipsis")
    table.add_column("margin", justify="right", no_wrap=True)
    table.add_column("control", no_wrap=True, overflow="ellipsis")
    table.add_column("cost", justify="right", no_wrap=True)
    table.add_column("in the paper", style="dim")  # alone may wrap, so it is the one to give way
    for row in rows:
        table.add_row(
            status_text(row.get("status"), row.get("reference")),
            _text(row.get("id")),
            margin(row.get("margin")),
            control_text(row.get("control_status")),
            duration(row.get("seconds")),
            _text(row.get("locus")),
        )
    return table


def verdict_counts(rows: Iterable[Row], separator: str = "  ") -> Text:
    """How many of the rows have each verdict: the line beneath a verdict table."""
    statuses = [row.get("status") for row in rows]
    return counts_text({status: statuses.count(status) for status in COUNTED}, separator)


def not_run_lines(not_run: Iterable[NotRun]) -> Iterator[Text]:
    """Experiments that cannot be run here: a line a reason."""
    return not_run_words((one.experiment.id, one.reason) for one in not_run for _ in one.selection.claims)


def not_run_words(claims: Iterable[tuple[str, str]]) -> Iterator[Text]:
    """A line a reason, from a claim's experiment and its reason each."""
    by_reason: dict[str, list[str]] = {}
    for experiment, reason in claims:
        by_reason.setdefault(reason, []).append(experiment)
    for reason, ids in by_reason.items():
        count = f"{len(ids)} claim{'' if len(ids) == 1 else 's'} of {', '.join(dict.fromkeys(ids))}"
        yield Text(f"{MARKS[NOT_RUN]} not run: {count}: {reason}")


def claim_panel(row: Row) -> RenderableType:
    """Everything known of one claim, for `lemmata show`."""
    verdict = status_text(row.get("status"), row.get("reference"))
    title = Text.assemble((str(row.get("id", "")), "bold"), "  ", verdict)
    parts: list[RenderableType] = [title, Text(str(row.get("locus", "")), style="dim"), Text("")]
    parts += [Text(str(row.get("statement", ""))), Text("")]
    facts = _table(header=False)
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(ratio=1, overflow="fold")
    if "printed_formula" in row:
        facts.add_row("printed", Text(str(row["printed_formula"]), style="red"))
        facts.add_row("corrected", Text(str(row["corrected_formula"]), style="green"))
        for key, word in {**DETAILS, "latex": "in LaTeX"}.items():
            if row.get(key):
                facts.add_row(word, _text(row[key]))
    by_part = _parts_table(row) if row.get("control") and "" not in row["parts"] else None
    if by_part is None:
        facts.add_row("rule", Text(rule(str(row.get("rule", "–")))))
    if row.get("status") and row["status"] != NOT_RUN:
        corrected = "corrected" in row
        facts.add_row("printed form gives" if corrected else "predicted", _evidence(row.get("predicted")))
        if corrected:
            facts.add_row("corrected form gives", _evidence(row["corrected"]))
        if by_part is None:
            facts.add_row("measured", _evidence(row["measured"]))
        facts.add_row("margin", margin(row.get("margin")))
        facts.add_row("control", control_text(row.get("control_status")))
    if row.get("reference"):
        facts.add_row("reference", _text(row["reference"]))
    for name, text in _standing(row):
        facts.add_row(name, Text(text))
    for key, name in (("detail", "detail"), ("remark", "remark"), *_ORIGIN):
        if row.get(key):
            facts.add_row(name, _text(row[key]))
    if row.get("seconds") is not None:
        facts.add_row("cost of its runs", duration(row["seconds"]))
    if row.get("runs"):
        facts.add_row("runs", Text(" ".join(str(digest)[:12] for digest in row["runs"])))
    parts += [facts] if by_part is None else [by_part, facts]
    return Padding(Group(*parts), (1, 0, 1, 1))


def _parts_table(row: Row) -> Table:
    """A line a part: what was measured, its rule, and what the rule says of the wrong subject."""
    table = _table()
    for name in ("part", "measured", "rule", "on the control"):
        table.add_column(name, overflow="fold")
    measured, control = row.get("measured"), row.get("control") or {}
    for name, part in row["parts"].items():
        value = measured.get(name, measured) if isinstance(measured, Mapping) else measured
        status = control.get(name)
        outcome = Text(on_the_control(status, part["carries"]), style=control_text(status).style)
        table.add_row(Text(name), Text(brief(value, 6)), Text(rule(part["rule"])), outcome)
    return table


def _standing(row: Row) -> Iterator[tuple[str, str]]:
    """How old the rule is, and what fresh randomness says."""
    if row.get("badge"):
        yield "rule is", f"{row['badge']}, of {str(row['rule_date'])[:10]}; seen by then: {row['seen']}"
    if row.get("replicated"):
        verdicts = ", ".join(f"{number}: {status}" for number, status in row["replications"].items())
        yield "fresh randomness", f"{row['replicated']}{', confirmed' if row['confirmed'] else ''} ({verdicts})"


def confirmation_table(found: Mapping[str, Confirmation], numbers: Iterable[int]) -> Table:
    """One line a claim: its verdict under replication 0 and under each other, and what moved."""
    table = _table()
    table.add_column("claim", no_wrap=True, overflow="ellipsis")
    table.add_column("reference", no_wrap=True)
    for number in numbers:
        table.add_column(str(number), no_wrap=True, justify="center")
    table.add_column("together", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("what moved")
    for id, one in found.items():
        moved = [f"{number}: {v['status']} (margin {margin(v['margin'])})" for number, v in one.moved.items()]
        marks = (Text(MARKS[status], style=COLOURS[status]) for status in one.statuses)
        agreed = Text(one.words(), style="yellow" if one.moved else "green")
        table.add_row(
            Text(id), status_text(one.reference), *marks, status_text(one.together), agreed, Text(", ".join(moved))
        )
    return table


def papers_table(papers: Iterable[Paper], rows: Sequence[Row] = ()) -> Table:
    """Papers, and how the claims in `rows` stand."""
    table = _table()
    table.add_column("paper", no_wrap=True)
    table.add_column("title", ratio=1)
    table.add_column("claims", justify="right", no_wrap=True)
    table.add_column("verdicts", no_wrap=True)
    for paper in papers:
        mine = [row for row in rows if row.get("paper") == paper.id]
        about = Text.assemble(paper.title, "\n", (paper.sentence, "dim"))
        table.add_row(Text(paper.id, style="bold"), about, str(len(mine)), verdict_counts(mine, "\n"))
    return table


def runs_table(records: Sequence[Row]) -> Table:
    """Stored runs, from their records."""
    table = _table()
    table.add_column("run", no_wrap=True)
    table.add_column("kind", no_wrap=True, overflow="ellipsis")
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("cost", justify="right", no_wrap=True)
    table.add_column("device", no_wrap=True, overflow="ellipsis")
    table.add_column("config", style="dim")
    for record in records:
        config = record.get("config")
        table.add_row(
            _text(str(record.get("digest", ""))[:12]),
            _text(record.get("kind")),
            brief(record.get("rows")),
            duration(record.get("seconds")),
            _text(record.get("device")),
            Text(shorten(brief(config), 120) if isinstance(config, Mapping) else ""),
        )
    return table


def rows_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """Any rows, as a query gives them: numbers to the right, nothing rounded away."""
    rows = [tuple(row) for row in rows]
    table = _table()
    for i, column in enumerate(columns):
        cells = [row[i] for row in rows if row[i] is not None]
        numeric = bool(cells) and all(isinstance(c, int | float) and not isinstance(c, bool) for c in cells)
        table.add_column(Text(str(column)), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text("–", style="dim") if cell is None else Text(_cell(cell)) for cell in row))
    return table


def _table(*, header: bool = True) -> Table:
    return Table(
        box=box.SIMPLE_HEAD if header else None,
        show_header=header,
        pad_edge=False,
        header_style="dim",
        padding=(0, 2, 0, 0),
    )


def _text(value: Any) -> Text:
    """Text as it is: square brackets in a formula are not markup."""
    return Text("–" if value is None else str(value))


def _evidence(value: Any) -> Text:
    """One line for a single value, one line a part for several."""
    if isinstance(value, Mapping) and not is_one_value(value):
        return Text("\n").join(Text.assemble((f"{name}: ", "dim"), brief(item, 6)) for name, item in value.items())
    return Text(brief(value, 6))


def _cell(value: Any) -> str:
    if isinstance(value, str | int | float):
        return str(value)
    return json.dumps(value, default=str, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
