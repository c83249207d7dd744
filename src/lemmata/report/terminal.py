"""What all listings of the command line share: the console, verdicts and counts as coloured text.

Rows are plain dicts (`Judgement.row()` and what the command line adds to it): "experiment", "paper", "seconds",
"scale". A key that is missing shows as a dash, so a claim that was never judged can be listed too.
"""

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN, NotRun
from lemmata.report.values import COUNTED, MARKS, verdict_word

COLOURS = {"holds": "green", "erratum": "magenta", "undecided": "bright_black", "fails": "bold red", NOT_RUN: "dim"}
PIPED_WIDTH = 160  # a file or a pipe has no width of its own; this keeps ids and numbers on one line

Row = Mapping[str, Any]


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Whoever read the output has seen enough: `main` ends, and not as if a claim had failed."""
        raise BrokenPipeError


def make_console(file: Any = None, *, stderr: bool = False) -> Console:
    """A console that also serves pipes and plain encodings: colour only on a terminal, no character ever raises."""
    stream: Any = file or (sys.stderr if stderr else sys.stdout)
    console = _Console(file=stream, highlight=False, soft_wrap=False)
    encoding = (getattr(stream, "encoding", None) or "utf-8").lower()
    if not encoding.startswith("utf") and hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    if not console.is_terminal:
        console.width = max(PIPED_WIDTH, shutil.get_terminal_size().columns)
    return console


def status_text(status: str | None, reference: str | None = None, proved: str | None = None) -> Text:
    """`reference`: where the verdict comes from, if it was not computed here; `proved`: on which set, if it is."""
    if not status:
        return Text("–", style="dim")
    text = Text(f"{MARKS.get(status, '·')} {verdict_word(status, proved)}", style=COLOURS.get(status, ""))
    return text.append(" (reference)", style="dim") if reference and status != NOT_RUN else text


def control_text(status: str | None) -> Text:
    """A control must fail: green when it does."""
    return Text(status or "–", style={"fails": "green", "holds": "bold red"}.get(status or "", "dim"))


def counts_text(counts: Mapping[str, int], separator: str = "  ") -> Text:
    """Verdicts of several claims, as in `12 holds  2 erratum`."""
    parts = [Text(f"{MARKS[s]} {counts[s]} {s}", style=COLOURS[s]) for s in COUNTED if counts.get(s)]
    return Text(separator).join(parts) if parts else Text("–", style="dim")


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
        count = f"{pluralize(len(ids), 'claim')} of {', '.join(dict.fromkeys(ids))}"
        yield Text(f"{MARKS[NOT_RUN]} not run: {count}: {reason}")
