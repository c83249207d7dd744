"""What a store says of a run is read as typed data: it is the run that its folder names, or it is damaged."""

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from lemmata.core.config import digest

METRICS, ARRAYS, RECORD = "metrics.parquet", "arrays.safetensors", "record.json"
IMPORTED = "imported.json"  # beside the record of a run that was computed elsewhere: from where and when it came
LARGEST = 2**22  # bytes of a record: those of all papers are some kilobytes
LONGEST = 400  # characters of where a run came from
DEEPEST = 32  # of configs within configs
NAME = re.compile(r"[\w.-]+(/[\w.-]+)*", re.ASCII)  # a kind of run: it becomes the name of a view
HASH = re.compile(r"[0-9a-f]{64}")
TYPES: dict[str, type | tuple[type, ...]] = {
    "digest": str,
    "kind": str,
    "version": int,
    "config": dict,
    "rows": int,
    "dtypes": dict,
    "files": dict,
    "computed": str,
}
MAY_HAVE: dict[str, type | tuple[type, ...]] = {
    "input_hashes": list,
    "device": str,
    "code": dict,
    "libraries": dict,
    "seconds": (int, float),
    "core_seconds": (int, float),
    "compile_seconds": (int, float),
}


class DamagedRun(Exception):
    """A stored run that is not what its folder, its record or its hashes say."""


def read_record(folder: Path) -> dict[str, Any]:
    """The record of the run in a folder: its own hash, its fields, and that both name the same run."""
    try:
        with open(f"{folder}/{RECORD}", "rb") as file:  # paths take as long to make as small files to read
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise DamagedRun(f"{RECORD} is larger than {LARGEST} bytes")
        record = json.loads(text.decode())
        expected = record.pop("record_hash")
        deep = text.count(b"{") + text.count(b"[") > DEEPEST and _is_deeper(record, DEEPEST)
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise DamagedRun(f"{RECORD} cannot be read ({type(error).__name__})") from None
    if deep:
        raise DamagedRun(f"{RECORD} is deeper than {DEEPEST} levels")
    if hash_record(record) != expected:
        raise DamagedRun(f"{RECORD} does not match its own hash")
    if wrong := [*_of_another_type(record)]:
        raise DamagedRun(f"{RECORD} has no {wrong[0]!r} of the type that is written there")
    if not NAME.fullmatch(record["kind"]):
        raise DamagedRun(f"{record['kind'][:40]!r} is no kind of run")
    if set(record["files"]) != {METRICS, ARRAYS} or not all(map(_is_hash, record["files"].values())):
        raise DamagedRun(f"{RECORD} names other files than {METRICS} and {ARRAYS}")
    if record["digest"] != folder.name:
        raise DamagedRun(f"it is run {record['digest'][:20]} under another's name")
    if _config_digest(record) != record["digest"]:
        raise DamagedRun("its config is not the one that its digest is of")
    if os.path.exists(f"{folder}/{IMPORTED}"):
        record["imported"] = _imported(folder / IMPORTED)
    return record


def _imported(path: Path) -> dict[str, str]:
    try:
        return {str(name): str(value)[:LONGEST] for name, value in json.loads(path.read_text()).items()}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {"from": "a place that nobody wrote down"}


def hash_record(record: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def _config_digest(record: dict[str, Any]) -> str:
    """As `RunConfig.digest` makes it of the config; paths of a model are not in it, the hashes of its files are."""
    body = json.dumps(record["config"], sort_keys=True, separators=(",", ":"))
    requested = f"{record['kind']}@{record['version']}:{body}"
    return digest("|".join((requested, *map(str, record.get("input_hashes", ())))))


def _of_another_type(record: dict[str, Any]) -> list[str]:
    def fits(value: Any, kind: Any) -> bool:
        return isinstance(value, kind) and not isinstance(value, bool)

    must = [name for name, kind in TYPES.items() if not fits(record.get(name), kind)]
    return must + [name for name, kind in MAY_HAVE.items() if name in record and not fits(record[name], kind)]


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and HASH.fullmatch(value) is not None


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deeper(one, levels - 1) for one in inner)
