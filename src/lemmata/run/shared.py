"""One run in several processes: who trains which replica is said by locks beside its checkpoints."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lemmata.core import Checkpoint
from lemmata.run.checkpoints import StoredContext
from lemmata.run.lease import fcntl, lock

SHARED_FROM = 3  # workers: fewer are busy with runs of their own until the end
A_MOMENT = 0.02  # seconds
LOCK = ".lock"


class Enough(Exception):
    """The run is complete: whoever still helped with it can stop."""


@dataclass(frozen=True)
class SharedRun:
    """The context of a run that others may help with. A process that dies lets go of its locks, whatever kills it."""

    context: StoredContext
    is_complete: Callable[[], bool]

    def progress(self, stage: str, done: int, total: int) -> None:
        if self.is_complete():
            raise Enough
        self.context.progress(stage, done, total)

    def save(self, stage: str, checkpoint: Checkpoint) -> None:
        self.context.save(stage, checkpoint)

    def load(self, stage: str) -> Checkpoint | None:
        return self.context.load(stage)

    @contextlib.contextmanager
    def claim(self, stage: str) -> Iterator[bool]:
        path = self.context.folder / f"{stage}{LOCK}"
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
        try:
            yield fcntl is None or lock(descriptor)  # without locks every process trains all; the first to end is kept
        finally:
            os.close(descriptor)

    def wait(self) -> None:
        if self.is_complete():
            raise Enough
        time.sleep(A_MOMENT)


def replicas_of(folder: Path) -> int:
    """How many replicas of its stages a run has put up for others so far."""
    return sum(1 for _ in folder.glob(f"*{LOCK}"))
