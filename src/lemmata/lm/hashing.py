"""sha256 of weight files; a file that has not changed is not read again."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from lemmata.lm.place import cache_folder, whole_file


def hash_files(files: Sequence[Path]) -> str:
    """One file: its own sha256, as publishers print it. Several: the sha256 of their names and hashes, sorted."""
    hashes = {file.name: hash_file(file) for file in files}
    if len(hashes) == 1:
        return next(iter(hashes.values()))
    lines = "".join(f"{name} {digest}\n" for name, digest in sorted(hashes.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def hash_file(file: Path) -> str:
    """The sha256 of a file, remembered by its path, size and time of change."""
    status = file.stat()
    identity = f"{file.resolve()}\n{status.st_size}\n{status.st_mtime_ns}"
    note = cache_folder() / "hashes" / hashlib.sha256(identity.encode()).hexdigest()
    try:
        known = note.read_text()
        if len(known) == 64:
            return known
    except OSError:
        pass
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    with whole_file(note) as trial:
        trial.write_text(digest)
    return digest
