"""Where published data are read from: a folder that the user names, or `$LEMMATA_LM_DATA`."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lemmata.core import UserError

VARIABLE = "LEMMATA_LM_DATA"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A published set of data."""

    title: str
    project: str  # the repository that publishes it
    licence: str
    files: tuple[str, ...]  # names it is looked for under, the publisher's own among them


def find(source: Source, folder: Path | str | None = None) -> Path:
    """The user's copy of a source."""
    place = folder or os.environ.get(VARIABLE)
    whence = f"{source.title} ({source.project}, {source.licence})"
    names = " or ".join(source.files)
    if not place:
        raise UserError(f"{whence} is needed: put {names} into a folder and name it, or set ${VARIABLE}")
    for name in source.files:
        path = Path(place).expanduser() / name
        if path.exists():
            return path
    raise UserError(f"no {names} in {str(place)!r}: {whence} is published under that name")


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read as JSON: {error}") from None


def read_lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a file with one JSON object a line, each with where it stands."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    for number, line in enumerate(text.split("\n"), start=1):  # not splitlines: texts hold other line separators
        if line.strip():
            where = f"{path}:{number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                raise UserError(f"{where} is not JSON: {error}") from None
            if not isinstance(row, dict):
                raise UserError(f"{where} is not a JSON object")
            yield where, row


def text_field(row: Any, key: str, where: str) -> str:
    """A field that must be there and be text."""
    value = row.get(key) if isinstance(row, Mapping) else None
    if not isinstance(value, str) or not value:
        raise UserError(f"{where} has no text {key!r}")
    return value
