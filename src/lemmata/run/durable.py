"""What was promised to be kept outlives a loss of power: on the disk first, under its name afterwards."""

import os
from pathlib import Path


def settle(temporary: Path, final: Path) -> None:
    """Give a whole file, or a folder of files, its name."""
    for path in (*temporary.iterdir(), temporary) if temporary.is_dir() else (temporary,):
        _sync(path)
    temporary.rename(final)
    _sync(final.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
