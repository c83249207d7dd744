"""What all listings of the command line share: the console, verdicts and counts as coloured text."""

import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN, Record
from lemmata.report.statuses import LOOKS, look, totals
from lemmata.report.values import verdict_word

PIPED_WIDTH = 160  # a file or a pipe has no width of its own; this keeps ids and numbers on one line


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


def status_style(status: str | None) -> str:
    return f"bold {look(status).hue}" if status == "fails" else look(status).hue


def status_text(status: str | None, words: str = "") -> Text:
    """`words`: in the place of the bare verdict."""
    if not status:
        return Text("–", style="dim")
    return Text(f"{look(status).mark} {words or status}", style=status_style(status))


def verdict_text(record: Record) -> Text:
    """A claim's verdict; whether it is proved, and whether it was not computed here."""
    text = status_text(record.status, verdict_word(record))
    return text.append(" (reference)", style="dim") if record.reference and record.is_judged else text


def control_text(status: str | None, words: str = "") -> Text:
    """A control must fail: green when it does."""
    tones = {"fails": LOOKS["holds"].hue, "holds": f"bold {LOOKS['fails'].hue}"}
    return Text(words or status or "–", style=tones.get(status or "", "dim"))


def verdict_counts(records: Sequence[Record], separator: str = "  ") -> Text:
    """How many claims have each verdict, and how many of them at the paper's own settings: `✓ 12 holds (9 exact)`."""
    parts = []
    for one in totals(records):
        text = Text(f"{look(one.status).mark} {one.count} {one.status}", style=status_style(one.status))
        parts.append(text.append(f" ({one.exact} exact)", style="dim") if one.status != NOT_RUN else text)
    return Text(separator).join(parts) if parts else Text("–", style="dim")


def not_run_lines(records: Iterable[Record]) -> Iterator[Text]:
    """Experiments that cannot be run here: a line a reason."""
    by_reason: dict[str, list[str]] = {}
    for one in records:
        if one.status == NOT_RUN:
            by_reason.setdefault(one.detail, []).append(one.experiment)
    for reason, ids in by_reason.items():
        count = f"{pluralize(len(ids), 'claim')} of {', '.join(dict.fromkeys(ids))}"
        yield Text(f"{look(NOT_RUN).mark} not run: {count}: {reason}")
