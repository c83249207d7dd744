"""A report that is written while its experiments are being computed: what is there, and what is still to come."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lemmata.core import Artefact, Scale
from lemmata.core.registry import Selection
from lemmata.record import NotRun
from lemmata.report.figure import SavedArtefact
from lemmata.report.page import Report, page, pages, save_entry, write_report
from lemmata.report.page_entry import Entry, Found

PAUSE = 3.0  # seconds between two versions of the page
SHARE = 0.05  # of the time, at most, goes into writing them


class GrowingReport:
    """Each drawing is saved once, when its experiment is added; a new version of the page only reads the files."""

    def __init__(
        self,
        planned: Sequence[Selection],
        order: Sequence[Selection],
        out: Path,
        *,
        scale: Scale,
        not_run: Sequence[NotRun],
        found: Callable[[Sequence[Selection]], Mapping[str, Sequence[Found]]],
        single_file: bool = False,
        computes: str = "",
    ) -> None:
        """`planned`: in the page's order; `order`: as they are computed.

        `found`: what can be said while these experiments are to come; `computes`: the command for them, where they are
        not: nobody is computing.
        """
        self._planned, self._order, self._not_run = planned, order, not_run
        self._out, self._scale, self._found = out, scale, found
        self._entries: dict[str, Entry] = {}
        self._saved: dict[str, SavedArtefact] = {}
        self._make = page if single_file else pages
        self._due = 0.0
        self._computes = computes

    def add(self, entry: Entry) -> None:
        """Save its drawing; write the page if the last version is old enough."""
        id = entry.result.experiment.id
        self._saved[id] = save_entry(entry, self._out)
        self._entries[id] = replace(entry, artefact=Artefact(None, {}, entry.artefact.caption))  # frees the figure
        if time.monotonic() >= self._due:
            self.write()

    def write(self) -> Path:
        began = time.monotonic()
        ids = [selection.experiment.id for selection in self._planned]
        entries = [self._entries[id] for id in ids if id in self._entries]
        coming = [one for one in self._order if one.experiment.id not in self._entries]
        report = Report(
            entries=entries,
            scale=self._scale,
            not_run=self._not_run,
            found=self._found(coming),
            coming=coming,
            computes=self._computes,
        )
        path = write_report(self._make(report, self._out, self._saved), self._out)
        now = time.monotonic()
        self._due = now + max(PAUSE, (now - began) / SHARE)
        return path
