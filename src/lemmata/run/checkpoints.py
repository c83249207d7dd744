"""Checkpoints of a run under way: a killed run continues where it was, and ends with the same bits."""

import contextlib
import hashlib
import shutil
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from lemmata.core import Checkpoint
from lemmata.run.io_errors import writing
from lemmata.run.store import contiguous

STEP, HASH = "__step__", "sha256"
SOON = 0.1  # seconds: what took no longer is computed again in less time than it takes to keep it
Watcher = Callable[[str, int, int], None]  # stage, done, total


@dataclass(frozen=True)
class StoredContext:
    """The context of a run whose checkpoints are kept in a folder until the run is done."""

    folder: Path
    watch: Watcher
    began: float = field(default_factory=time.monotonic)

    def progress(self, stage: str, done: int, total: int) -> None:
        self.watch(stage, done, total)

    def save(self, stage: str, checkpoint: Checkpoint) -> None:
        if time.monotonic() - self.began < SOON:
            return
        temporary = self.folder / f".{stage}-{uuid.uuid4().hex}"
        with writing(self.folder.parent.parent):
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                arrays = {**contiguous(checkpoint.arrays), STEP: np.asarray([checkpoint.step])}
                save_file(arrays, temporary, metadata={HASH: self._hash(stage, arrays)})
                temporary.rename(self._path(stage))  # a torn one does not have its hash
            except BaseException as error:
                with contextlib.suppress(OSError):
                    temporary.unlink(missing_ok=True)
                # A worker that was taken for dead may have finished the run, and needs its checkpoints no more.
                if not isinstance(error, OSError | SafetensorError) or self.folder.exists():
                    raise

    def load(self, stage: str) -> Checkpoint | None:
        """None where there is none, or one that is damaged or another run's: the stage begins again."""
        if not self._path(stage).is_file():
            return None
        try:
            with safe_open(self._path(stage), framework="numpy") as file:
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
                expected = (file.metadata() or {})[HASH]
            if self._hash(stage, arrays) != expected:
                return None
            return Checkpoint(int(arrays.pop(STEP)[0]), arrays)
        except (SafetensorError, KeyError, OSError, ValueError):
            return None

    def _hash(self, stage: str, arrays: Mapping[str, np.ndarray]) -> str:
        """Of every bit that is resumed from, and of whose stage it is."""
        found = hashlib.sha256(f"{self.folder.name}/{stage}".encode())
        for name, array in sorted(arrays.items()):
            found.update(f"|{name}|{array.dtype}|{array.shape}|".encode())
            found.update(np.ascontiguousarray(array).data)
        return found.hexdigest()

    def discard(self) -> None:
        if self.folder.exists():
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, stage: str) -> Path:
        return self.folder / f"{stage}.safetensors"
