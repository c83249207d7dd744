"""Compiled programs are kept beside the runs: compiling was measured at a third to a half of a laptop's time, and a
replication, another seed or another worker asks for the same programs again."""

import contextlib
import warnings
from pathlib import Path

import jax

FOLDER = ".programs"
LARGEST = 2**30  # bytes of programs that are kept; all of the papers' at laptop scale are some tens of MB


def use_compile_cache(root: Path) -> None:
    """Of this process, from now on, under a store's root; a folder that somebody else has chosen stays."""
    if jax.config.values["jax_compilation_cache_dir"] is None:
        jax.config.update("jax_compilation_cache_dir", str(root / FOLDER))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)  # small ones are most
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    # A program that cannot be kept is compiled again; what else cannot be kept says so itself.
    warnings.filterwarnings("ignore", message="Error (reading|writing) persistent compilation cache entry")


def trim_compile_cache(root: Path, largest: int | None = None, *, delete: bool = True) -> list[Path]:
    """Those that were used longest ago and go, so that the rest fits. (Files that are gone meanwhile need nothing.)"""
    found: list[tuple[float, int, Path]] = []
    for path in (root / FOLDER).glob("*"):
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
