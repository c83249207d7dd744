"""Checkpoints of a run under way: a killed run continues where it was, and ends with the same bits."""

import contextlib
import shutil
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from lemmata.core import Checkpoint
from lemmata.run.io_errors import writing
from lemmata.run.store import contiguous

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
                save_file({**contiguous(checkpoint.arrays), "__step__": np.asarray([checkpoint.step])}, temporary)
                temporary.rename(self._path(stage))
            except BaseException as error:
                with contextlib.suppress(OSError):
                    temporary.unlink(missing_ok=True)
                # A worker that was taken for dead may have finished the run, and needs its checkpoints no more.
                if not isinstance(error, OSError | SafetensorError) or self.folder.exists():
                    raise

    def load(self, stage: str) -> Checkpoint | None:
        if not self._path(stage).is_file():
            return None
        try:
            arrays = load_file(self._path(stage))
            return Checkpoint(int(arrays.pop("__step__")[0]), arrays)
        except (SafetensorError, KeyError, OSError):  # damaged: start the stage again
            return None

    def discard(self) -> None:
        if self.folder.exists():
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, stage: str) -> Path:
        return self.folder / f"{stage}.safetensors"
