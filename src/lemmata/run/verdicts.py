"""The last verdict on each claim at each scale, kept with the runs it was read from: a stale one is never shown."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from lemmata.core import Claim
from lemmata.record import CurrentRule, Record
from lemmata.run.store import Store, keep_json

FOLDER = "verdicts"


def keep_verdict(store: Store, record: Record) -> None:
    """Where the store may only be read, nothing is kept: a complete one can be judged all the same."""
    if not store.root.exists() or os.access(store.root, os.W_OK):
        keep_json(_path(store, record.id, record.scale), record.to_json())


def last_verdict(store: Store, claim: Claim, rule: CurrentRule, *, scale: str, runs: Iterable[str]) -> Record | None:
    """What was read from these runs, or from those of them that it needs, under the claim's present rule; `stale` alone
    if it is of another rule; None if there is nothing."""
    wanted, kept = set(runs), _kept(store, claim.id, scale)
    if kept is None or not set(kept.runs) <= wanted or not all(digest in store for digest in kept.runs):
        return None
    return kept if rule.accepts(kept.digest, kept.code) else Record(id=claim.id, stale="its rule has changed")


def status_under_any_rule(store: Store, claim_id: str, scale: str) -> str | None:
    """The verdict that is kept, fresh or stale; None if there is none."""
    kept = _kept(store, claim_id, scale)
    return kept and kept.status


def _kept(store: Store, claim_id: str, scale: str) -> Record | None:
    try:
        return _read(_path(store, claim_id, scale))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def stored_verdicts(store: Store) -> list[Record]:
    """Every verdict the store keeps, fresh or stale."""
    return [_read(path) for path in sorted((store.root / FOLDER).glob("*.json"))]


def _read(path: Path) -> Record:
    return Record.from_json(json.loads(path.read_text()))


def _path(store: Store, claim_id: str, scale: str) -> Path:
    return store.root / FOLDER / claim_file(claim_id, scale)


def claim_file(claim_id: str, scale: str) -> str:
    """A claim at a scale as a file's name."""
    return f"{claim_id.replace('/', '__')}@{scale}.json"
