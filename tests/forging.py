"""A store as somebody forges it: hashes that belong to what was changed."""

import json
from pathlib import Path
from typing import Any

from lemmata.run.store import _hash_file
from lemmata.run.stored_record import hash_record


def signed(folder: Path, record: dict[str, Any]) -> None:
    """A record with the hash that belongs to it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "record.json").write_text(json.dumps(record | {"record_hash": hash_record(record)}))


def signed_files(folder: Path, record: dict[str, Any]) -> None:
    """The same, of the numbers that are in the folder now."""
    signed(folder, record | {"files": {name: _hash_file(folder / name) for name in record["files"]}})
