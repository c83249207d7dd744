"""Runs being computed, as bars on a terminal or as lines in a log."""

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from lemmata.report.values import duration
from lemmata.run import Reporter

MANY = 50  # runs: then a line each would hide what matters, and the mean of those done tells of the rest


class ProgressReporter(Reporter):
    """One bar for all runs and one for each run under way; it draws on standard error, so output can be piped."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}
        self._total: TaskID | None = None
        self._done, self._planned = 0, 0
        self.failures, self._others = 0, 0
        self._began = self._spoke = time.monotonic()

    def __enter__(self) -> "ProgressReporter":
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def plan(self, total: int) -> None:
        self._planned, self._done, self._began = total, 0, time.monotonic()
        self._total = self._bars.add_task("[bold]runs", total=total)

    def progress(self, digest: str, kind: str, stage: str, done: int, total: int) -> None:
        if digest not in self._tasks:
            self._tasks[digest] = self._bars.add_task(f"  {kind}", total=total)
        label = f"  {kind} [dim]{digest[:8]}[/] {stage}"
        self._bars.update(self._tasks[digest], description=label, completed=done, total=total)
        if not self._console.is_terminal and time.monotonic() - self._spoke > 10:
            self._spoke = time.monotonic()
            print(f"  {kind} {digest[:8]} {stage} {done}/{total}", file=sys.stderr, flush=True)

    def finished(self, digest: str, kind: str, seconds: float) -> None:
        self._count(digest)
        silent = self._planned > MANY and time.monotonic() - self._spoke < 1 and self._done < self._planned
        if not self._console.is_terminal and not silent:
            self._spoke = time.monotonic()
            text = f"[{self._done}/{self._planned}] {kind} {digest[:8]} {seconds:.1f} s{self._left()}"
            print(text, file=sys.stderr, flush=True)

    def damaged(self, digest: str, reason: str) -> None:
        self._console.print(f"run {digest}: {reason}; it is computed again", style="yellow", soft_wrap=True)

    def resumed(self, digest: str, kind: str, why: str) -> None:
        self._say(f"run {kind} {digest[:8]}: {why}; it continues from its checkpoint")

    def failed(self, digest: str, kind: str, reason: str) -> None:
        self.failures += 1
        self._count(digest)
        self._say(f"run {kind} {digest[:8]} failed: {reason}")

    def elsewhere(self, digest: str, kind: str) -> None:
        self._others += 1
        if self._others == 1:  # once is enough to say why nothing seems to happen
            self._say(f"run {kind} {digest[:8]} is being computed by another process; its result is waited for")

    def stopped(self, digest: str, kind: str, how: str) -> None:
        self._say(f"run {kind} {digest[:8]}: {how}")

    def _count(self, digest: str) -> None:
        self._done += 1
        task = self._tasks.pop(digest, None)
        if task is not None:
            self._bars.remove_task(task)
        if self._total is not None:
            self._bars.update(self._total, advance=1, description=f"[bold]runs[/]{self._left()}")

    def _left(self) -> str:
        """How long the rest takes if its runs are like those before."""
        rest = self._planned - self._done
        if self._planned <= MANY or rest <= 0:
            return ""
        return f", {duration((time.monotonic() - self._began) / self._done * rest)} left"

    def _say(self, text: str) -> None:
        self._console.print(text, style="yellow", soft_wrap=True, markup=False, highlight=False)
