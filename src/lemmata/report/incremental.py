"""A report that is written while its experiments are being computed: what is there, and what is still to come."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lemmata.core import Artefact
from lemmata.core.registry import Selection
from lemmata.record import Records
from lemmata.report.figure import SavedArtefact
from lemmata.report.page import Report, page, pages, save_entry, write_report
from lemmata.report.page_entry import Entry, Found

PAUSE = 3.0  # seconds between two versions of the page
SHARE = 0.05  # of the time, at most, goes into writing them
Findings = Callable[[Records, Sequence[Selection]], Mapping[str, Sequence[Found]]]


class IncrementalReport:
    """Each drawing is saved once, when its experiment is added; a new version of the page only reads the files."""

    def __init__(
        self, begun: Report, order: Sequence[Selection], out: Path, found: Findings, *, single_file: bool = False
    ) -> None:
        """`begun`: all is to come, in the page's order; `order`: as it is computed. `found`: what the verdicts that are
        there say, while others are to come."""
        self._begun, self._order, self._out, self._found = begun, order, out, found
        self._entries: dict[str, Entry] = {}
        self._saved: dict[str, SavedArtefact] = {}
        self._make = page if single_file else pages
        self._due = 0.0

    def add(self, entry: Entry) -> None:
        """Save its drawing; write the page if the last version is old enough."""
        id = entry.result.experiment.id
        self._saved[id] = save_entry(entry, self._out)
        self._entries[id] = replace(entry, artefact=Artefact(None, {}, entry.artefact.caption))  # frees the figure
        if time.monotonic() >= self._due:
            self.write()

    def write(self) -> Path:
        began = time.monotonic()
        planned = (one.experiment.id for one in self._begun.coming)
        entries = [self._entries[id] for id in planned if id in self._entries]
        coming = [one for one in self._order if one.experiment.id not in self._entries]
        found = self._found({one.id: one for entry in entries for one in entry.records}, coming)
        report = replace(self._begun, entries=entries, coming=coming, found=found)
        path = write_report(self._make(report, self._out, self._saved), self._out)
        now = time.monotonic()
        self._due = now + max(PAUSE, (now - began) / SHARE)
        return path
