"""Where models, hashes and spectra are kept, and how: whole, or not at all."""

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lemmata.core import UserError

VARIABLE = "LEMMATA_LM_CACHE"


def cache_folder() -> Path:
    """`$LEMMATA_LM_CACHE`, or a folder of ours in the user's cache directory."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "lemmata" / "lm"


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A folder to fill under a temporary name; it gets its own name when the block ends, and is gone if it fails."""
    with refusing_disk(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        trial = target.parent / f".{target.name}.{os.getpid()}"
        shutil.rmtree(trial, ignore_errors=True)
        try:
            trial.mkdir()
            yield trial
            if not target.is_dir():  # another process may have finished the same folder
                trial.rename(target)
        finally:
            shutil.rmtree(trial, ignore_errors=True)


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """The same for one file; it keeps the ending of its name, which some writers look at."""
    with refusing_disk(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        trial = target.with_name(f".{os.getpid()}.{target.name}")
        try:
            yield trial
            trial.replace(target)
        finally:
            trial.unlink(missing_ok=True)


def need_room(folder: Path, size: int, what: str) -> None:
    """Refuse before a long work that could not be kept."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    if not (place.is_dir() and os.access(place, os.W_OK)):
        raise UserError(f"{what} cannot be written: no permission to write in {place}, or not a folder")
    free = shutil.disk_usage(place).free
    if free < size:
        raise UserError(f"no room on disk: {what} needs {readable(size)} in {folder}, {readable(free)} are free")


def readable(size: int) -> str:
    """A number of bytes as people write it."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


@contextmanager
def refusing_disk(target: Path) -> Iterator[None]:
    """Turn what a disk can say into one line."""
    try:
        yield
    except Exception as error:
        if reason := disk_reason(error):
            raise UserError(f"{target} cannot be written: {reason}") from None
        raise


def disk_reason(error: BaseException) -> str | None:
    """Why the disk refused, or None if it was something else. Writers in Rust give the words, not the number."""
    number = error.errno if isinstance(error, OSError) else None
    text = str(error).lower()
    if number in (errno.ENOSPC, errno.EDQUOT) or "no space left" in text or "os error 28" in text:
        return f"no room on disk (${VARIABLE} names another place for what is kept)"
    if number in (errno.EACCES, errno.EPERM, errno.EROFS) or "permission denied" in text:
        return "no permission to write there"
    return None
