"""Compiled programs are kept beside the runs: compiling was measured at a third to a half of a laptop's time, and a
replication, another seed or another worker asks for the same programs again."""

from pathlib import Path

import jax

FOLDER = ".programs"
SHORT = 0.1  # seconds: what compiles faster is not worth a file


def keep_programs(root: Path) -> None:
    """Of this process, from now on, under a store's root; a folder that somebody else has chosen stays."""
    if jax.config.values["jax_compilation_cache_dir"] is None:
        jax.config.update("jax_compilation_cache_dir", str(root / FOLDER))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", SHORT)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
