"""The last verdict on each claim at each scale, kept with the runs it was read from: a stale one is never shown."""

import json
from collections.abc import Iterable
from typing import Any

from lemmata.core import Claim
from lemmata.record import CurrentRule
from lemmata.run.store import Store, keep_json

FOLDER = "verdicts"
EVIDENCE = (
    "status",
    "predicted",
    "measured",
    "margin",
    "control_status",
    "control",
    "detail",
    "corrected",
    "remark",
    "seconds",
    "reads",
    "runs",
    "evidence",
    "proved",
)


def keep_verdict(store: Store, row: dict[str, Any]) -> None:
    keep_json(store.root / FOLDER / claim_file(row["id"], row["scale"]), row)


def last_verdict(store: Store, claim: Claim, rule: CurrentRule, *, scale: str, runs: Iterable[str]) -> dict[str, Any]:
    """The evidence read from these runs, or from those of them that it needs, under the claim's present rule; `stale`
    alone if it is of another rule; empty if there is none."""
    wanted, row = set(runs), _kept(store, claim.id, scale)
    if not row or not set(row["runs"]) <= wanted or not all(digest in store for digest in row["runs"]):
        return {}
    if not rule.accepts(row.get("digest", ""), row.get("code", "")):
        return {"stale": True}
    return {name: row[name] for name in EVIDENCE if name in row}


def status_under_any_rule(store: Store, claim_id: str, scale: str) -> str | None:
    """The verdict that is kept, fresh or stale; None if there is none."""
    return _kept(store, claim_id, scale).get("status")


def _kept(store: Store, claim_id: str, scale: str) -> dict[str, Any]:
    try:
        return json.loads((store.root / FOLDER / claim_file(claim_id, scale)).read_text())
    except (OSError, ValueError):
        return {}


def stored_verdicts(store: Store) -> list[dict[str, Any]]:
    """Every verdict the store keeps, fresh or stale."""
    return [json.loads(path.read_text()) for path in sorted((store.root / FOLDER).glob("*.json"))]


def claim_file(claim_id: str, scale: str) -> str:
    """A claim at a scale as a file's name."""
    return f"{claim_id.replace('/', '__')}@{scale}.json"
