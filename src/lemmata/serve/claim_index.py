"""What is known of every claim, read once, and again when the store's verdicts change."""

import threading
from collections.abc import Sequence
from typing import Any

from lemmata.commands.list import claim_rows
from lemmata.commands.with_baseline import with_baselines
from lemmata.core import Scale, UserError, unknown
from lemmata.core.registry import full_id
from lemmata.core.scale import ScaleName
from lemmata.run import Store
from lemmata.serve.question import known_length

WATCHED = ("verdicts", "confirmations")


class Known:
    """The rows of one scale. While newer ones are being read, the older are shown."""

    def __init__(self, store: Store, scale: ScaleName) -> None:
        self.store = store
        self.scale: ScaleName = scale
        self._lock = threading.Lock()
        self._rows: list[dict[str, Any]] = []
        self._seen: tuple[int, ...] | None = None

    def rows(self) -> Sequence[dict[str, Any]]:
        self.wait()
        return self._rows

    def stands(self) -> tuple[int, ...] | None:
        """Of which state of the store the rows are; None: none are read. Newer ones are read in the background."""
        if self._seen is not None and self._seen != self._stamp() and self._lock.acquire(blocking=False):
            threading.Thread(target=self._read_again, daemon=True).start()
        return self._seen

    def wait(self) -> tuple[int, ...]:
        """The same, when there is one: the first reader waits."""
        if (stands := self.stands()) is not None:
            return stands
        with self._lock:
            if self._seen is None:
                self._read()
        assert self._seen is not None
        return self._seen

    def row(self, wanted: str) -> dict[str, Any]:
        """Of one claim."""
        id = full_id(known_length(wanted))
        for row in self.rows():
            if row["id"] == id:
                return row
        raise unknown("claim", id, [row["id"] for row in self.rows()])

    def of(self, name: str, id: str) -> list[dict[str, Any]]:
        """The rows of a paper or of an experiment: `name` says which of the two."""
        found = [row for row in self.rows() if row[name] == id]
        if not found:
            raise UserError(f"{name} {id!r} has no claims")
        return found

    def _read_again(self) -> None:
        try:
            self._read()
        finally:
            self._lock.release()

    def _read(self) -> None:
        stamp, scale = self._stamp(), Scale(self.scale)
        self._rows = with_baselines(claim_rows([], scale, self.store), scale)
        self._seen = stamp

    def _stamp(self) -> tuple[int, ...]:
        places = [self.store.root / name for name in WATCHED]
        return tuple(place.stat().st_mtime_ns if place.is_dir() else 0 for place in places)
