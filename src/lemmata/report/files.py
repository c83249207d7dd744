"""Files that are either whole or not there, and how to know one again."""

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path

import lemmata
from lemmata.core import UserError


def write_whole(path: Path, content: bytes) -> Path:
    """Write under a temporary name in the same folder, then rename: a reader never sees half a file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@cache
def package_digest() -> str:
    """Of all the code that could have had a hand in a drawing."""
    root = Path(lemmata.__file__).parent
    sources = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".css"))
    return digest_of(b"".join(str(path.relative_to(root)).encode() + path.read_bytes() for path in sources))
