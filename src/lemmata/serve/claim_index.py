"""What is known of every claim, read once, and again when the store's verdicts change."""

import threading
from collections.abc import Sequence

from lemmata.commands.claim_records import claim_records
from lemmata.commands.with_baseline import with_baselines
from lemmata.core import Scale, UserError, unknown
from lemmata.core.registry import full_id
from lemmata.core.scale import ScaleName
from lemmata.record import Record
from lemmata.run import Store
from lemmata.serve.question import known_length

WATCHED = ("verdicts", "confirmations")


class Known:
    """The records of one scale. While newer ones are being read, the older are shown."""

    def __init__(self, store: Store, scale: ScaleName) -> None:
        self.store = store
        self.scale: ScaleName = scale
        self._lock = threading.Lock()
        self._records: list[Record] = []
        self._seen: tuple[int, ...] | None = None

    def records(self) -> Sequence[Record]:
        self.wait()
        return self._records

    def state(self) -> tuple[int, ...] | None:
        """Of which state of the store the records are; None: none are read. Newer ones are read in the background."""
        if self._seen is not None and self._seen != self._stamp() and self._lock.acquire(blocking=False):
            threading.Thread(target=self._read_again, daemon=True).start()
        return self._seen

    def wait(self) -> tuple[int, ...]:
        """The same, when there is one: the first reader waits."""
        if (state := self.state()) is not None:
            return state
        with self._lock:
            if self._seen is None:
                self._read()
        assert self._seen is not None
        return self._seen

    def record(self, wanted: str) -> Record:
        """Of one claim."""
        id = full_id(known_length(wanted))
        for one in self.records():
            if one.id == id:
                return one
        raise unknown("claim", id, [one.id for one in self.records()])

    def of(self, experiment: str) -> list[Record]:
        found = [one for one in self.records() if one.experiment == experiment]
        if not found:
            raise UserError(f"experiment {experiment!r} has no claims")
        return found

    def _read_again(self) -> None:
        try:
            self._read()
        finally:
            self._lock.release()

    def _read(self) -> None:
        stamp, scale = self._stamp(), Scale(self.scale)
        self._records = with_baselines(claim_records([], scale, self.store), scale)
        self._seen = stamp

    def _stamp(self) -> tuple[int, ...]:
        places = [self.store.root / name for name in WATCHED]
        return tuple(place.stat().st_mtime_ns if place.is_dir() else 0 for place in places)
