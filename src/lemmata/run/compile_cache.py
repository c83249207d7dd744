"""Compiled programs are kept: compiling was measured at a third to a half of a laptop's time, and a replication,
another seed or another worker asks for the same programs again.

They are machine code that nobody verifies, so they stand in the user's own cache folder, one a machine, and never
travel with a store.
"""

import contextlib
import os
import platform
import warnings
from pathlib import Path

import jax

PLACE = "LEMMATA_CACHE"  # of the environment: another folder than the user's own for caches
LARGEST = 2**30  # bytes of programs that are kept; all of the papers' at laptop scale are some tens of MB


def cache_folder() -> Path:
    """Where this user keeps programs of this machine."""
    given = os.environ.get(PLACE) or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lemmata"
    return Path(given) / f"programs-{platform.node() or 'machine'}"


def use_compile_cache() -> None:
    """Of this process, from now on; a folder that somebody else has chosen stays, one that is not ours alone is not
    used."""
    if jax.config.values["jax_compilation_cache_dir"] is None and _is_ours(folder := cache_folder()):
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)  # small ones are most
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    # A program that cannot be kept is compiled again; what else cannot be kept says so itself.
    warnings.filterwarnings("ignore", message="Error (reading|writing) persistent compilation cache entry")


def _is_ours(folder: Path) -> bool:
    """Whether nobody else can have written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        about = folder.stat()
    except OSError:
        return False
    return not hasattr(os, "getuid") or (about.st_uid == os.getuid() and not about.st_mode & 0o022)


def trim_compile_cache(largest: int | None = None, *, delete: bool = True) -> list[Path]:
    """Those that were used longest ago and go, so that the rest fits. (Files that are gone meanwhile need nothing.)"""
    found: list[tuple[float, int, Path]] = []
    for path in cache_folder().glob("*"):
        with contextlib.suppress(OSError):
            about = path.stat()
            found.append((max(about.st_atime, about.st_mtime), about.st_size, path))
    size, going = sum(size for _, size, _ in found), []
    for _, bytes_, path in sorted(found):
        if size <= (LARGEST if largest is None else largest):
            break
        size -= bytes_
        going.append(path)
        if delete:
            with contextlib.suppress(OSError):
                path.unlink()
    return going
