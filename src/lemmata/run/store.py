"""The store: one folder a run, named by its config's digest. A folder is complete or it is not there.

`<store>/<digest>/` holds `metrics.parquet`, `arrays.safetensors` and, written last, `record.json` with the hashes of
both. It is made under a temporary name and renamed, and a finished folder is never replaced by another.
"""

import contextlib
import datetime
import hashlib
import json
import shutil
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from lemmata.core import Recorded, RunConfig, RunOutput, RunResult, UserError, require, unknown
from lemmata.core.config import decode, encode
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import run_type
from lemmata.run.durable import settle
from lemmata.run.io_errors import Unwritable, writing
from lemmata.run.lease import DAMAGED, FOLDER as LEASES, is_leased
from lemmata.run.stored_record import ARRAYS, METRICS, RECORD, DamagedRun, hash_record, read_record

TRIED = 3  # times that a run is written: whoever takes us for dead clears what we had begun


@dataclass(frozen=True)
class Store:
    root: Path  # a string is taken for one

    def __post_init__(self) -> None:
        require(isinstance(self.root, str | Path), "store", self.root, "a path")
        object.__setattr__(self, "root", Path(self.root))

    def ensure_writable(self) -> None:
        """Fail before anything is computed if nothing could be kept."""
        with writing(self.root, then=""):
            self.root.mkdir(parents=True, exist_ok=True)
            trial = self.root / f".trial-{uuid.uuid4().hex}"
            trial.touch()
            trial.unlink()

    def folder(self, digest: str) -> Path:
        return self.root / digest

    def digests(self) -> list[str]:
        if not self.root.is_dir():
            return []
        return sorted(
            path.parent.name for path in self.root.glob(f"*/{RECORD}") if not path.parent.name.startswith(".")
        )

    def __contains__(self, digest: str) -> bool:
        return (self.folder(digest) / RECORD).is_file()

    def find(self, prefix: str) -> str:
        """The one digest that begins with `prefix`."""
        found = [digest for digest in self.digests() if digest.startswith(prefix)]
        if len(found) != 1:
            if found:
                raise UserError(
                    f"run {prefix!r} is ambiguous: it begins {pluralize(len(found), 'run')}, {', '.join(found[:4])}"
                )
            raise unknown("run", prefix, self.digests())
        return found[0]

    def record(self, digest: str) -> dict[str, Any]:
        """A run's record: its own hash checked, and that it is of the run that the folder names."""
        return read_record(self.folder(digest))

    def verify(self, digest: str) -> dict[str, Any]:
        """Re-hash every file of a run; return its record or raise `DamagedRun`."""
        folder = self.folder(digest)
        record = read_record(folder)
        for name, expected in record["files"].items():
            try:
                found = _hash_file(f"{folder}/{name}")
            except OSError:
                raise DamagedRun(f"{name} is missing") from None
            if found != expected:
                raise DamagedRun(f"{name} does not match its hash")
        return record

    def load(self, config: RunConfig) -> RunResult:
        """A stored run as it was computed, every file verified."""
        record = self.verify(config.digest)
        return self._read(config, record)

    def load_digest(self, digest: str) -> RunResult:
        record = self.verify(digest)
        config = decode(run_type(record["kind"]), record["config"])
        return self._read(config, record)

    def _read(self, config: Any, record: dict[str, Any]) -> RunResult:
        folder = self.folder(record["digest"])
        try:
            with pq.ParquetFile(folder / METRICS) as file:  # `read_table` costs twice that for datasets of many files
                table = file.read()
            metrics = Recorded({name: table.column(name).to_numpy() for name in table.column_names})
            return RunResult(config, metrics, Recorded(load_file(folder / ARRAYS)), record)
        except (pa.ArrowException, SafetensorError, OSError, ValueError) as error:  # hashes agree: it was written so
            raise DamagedRun(f"its numbers cannot be read ({type(error).__name__})") from None

    def write(self, config: RunConfig, output: RunOutput, about: Mapping[str, Any]) -> None:
        """Keep a run: all of it or, if this is interrupted, nothing."""
        for tries_left in reversed(range(TRIED)):
            temporary = self._aside(config.digest)
            try:
                with writing(self.root):
                    temporary.mkdir(parents=True)
                    self._write_files(temporary, config, output, about)
                    self._settle(temporary, config.digest)
                return
            except Unwritable:
                if temporary.exists() or not tries_left:
                    raise
            finally:
                shutil.rmtree(temporary, ignore_errors=True)

    def _write_files(self, folder: Path, config: RunConfig, output: RunOutput, about: Mapping[str, Any]) -> None:
        table = pa.table({name: np.asarray(column, order="C") for name, column in output.metrics.items()})
        pq.write_table(table, folder / METRICS)
        save_file(contiguous(output.arrays), folder / ARRAYS)
        record = {
            "digest": config.digest,
            "kind": config.kind,
            "version": config.version,
            "config": encode(config),
            "rows": table.num_rows,
            "dtypes": {
                name: str(np.asarray(value).dtype) for name, value in (*output.metrics.items(), *output.arrays.items())
            },
            "files": {name: _hash_file(folder / name) for name in (METRICS, ARRAYS)},
            "computed": now(),
            **about,
        }
        if read := config.input_hashes():
            record["input_hashes"] = list(read)
        text = json.dumps({**record, "record_hash": hash_record(record)}, indent=1, sort_keys=True)
        (folder / RECORD).write_text(text + "\n")

    def adopt(self, folder: Path, digest: str) -> None:
        """A checked copy of somebody's run, on the same disk, becomes ours."""
        with writing(self.root):
            self._settle(folder, digest)

    def _settle(self, temporary: Path, digest: str) -> None:
        """Give a complete folder its name. A folder that has it already stays unless it is damaged."""
        for _ in range(TRIED):  # another process may settle the same run in between
            try:
                settle(temporary, self.folder(digest))
                return
            except OSError:
                if not self.folder(digest).exists():
                    raise
            try:
                self.verify(digest)
                return  # another process finished the same run first: its numbers are the same
            except DamagedRun:
                self.set_aside(digest)
        raise OSError(f"{digest} cannot be put in place")

    def _aside(self, digest: str) -> Path:
        """A name that no process on any host has."""
        return self.root / f".tmp-{digest}-{uuid.uuid4().hex}"

    def remove(self, digest: str) -> None:
        """Take a run away at once: nobody sees a part of it."""
        self.clear(self.folder(digest), digest)

    def clear(self, folder: Path, digest: str) -> None:
        """Of a run that is stored or half-written; whoever still writes there finds nothing, not a part."""
        aside = self._aside(digest)
        with contextlib.suppress(FileNotFoundError):
            folder.rename(aside)
        delete(aside)

    def set_aside(self, digest: str) -> None:
        """Take a damaged run out of the way, and keep it for whoever wants to see what happened."""
        kept = self.root / DAMAGED / f"{digest}-{uuid.uuid4().hex}"
        kept.parent.mkdir(exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            self.folder(digest).rename(kept)

    def halves(self) -> dict[str, list[Path]]:
        """Folders that are being written, or that a killed process left half-written, by digest."""
        found: dict[str, list[Path]] = {}
        for path in self.root.glob(".tmp-*"):
            found.setdefault(path.name.split("-")[1], []).append(path)
        return found

    def leftovers(self) -> Iterator[Path]:
        """What interrupted processes left: half-written folders, checkpoints, leases of what nobody computes; and
        what was damaged."""
        yield from self.root.glob(f"{DAMAGED}/*")
        yield from self.root.glob(".programs")  # of versions that kept programs beside the runs
        for digest, folders in self.halves().items():
            if not is_leased(self.root, digest):
                yield from folders
        for path in self.root.glob(".partial/*"):
            if not is_leased(self.root, path.name):
                yield path
        for path in self.root.glob(f"{LEASES}/*"):
            if not is_leased(self.root, path.name):
                yield path


def keep_json(path: Path, data: Any) -> None:
    """Write data beside the runs: all of it or nothing."""
    temporary = path.with_suffix(f".tmp-{uuid.uuid4().hex}")
    with writing(path.parent.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_text(json.dumps(data, indent=1))
            settle(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def delete(path: Path) -> None:
    """A file, a folder, or a link (what it points to stays)."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def now() -> str:
    """This moment as it is written down: to the second, in UTC, so that texts sort as times do."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def contiguous(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays as safetensors takes them. (`np.ascontiguousarray` would give a scalar a dimension.)"""
    return {name: np.array(array, order="C") for name, array in arrays.items()}


def _hash_file(path: Path | str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
