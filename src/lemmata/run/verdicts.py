"""The last verdict on each claim at each scale, kept with the runs it was read from: a stale one is never shown."""

import json
import os
from collections.abc import Iterable
from typing import Any

from lemmata.core import Claim, Judgement
from lemmata.run.store import Store


def keep_verdict(store: Store, judgement: Judgement, *, scale: str, runs: Iterable[str], seconds: float) -> None:
    folder = store.root / "verdicts"
    folder.mkdir(parents=True, exist_ok=True)
    row = {**judgement.row(), "scale": scale, "runs": sorted(runs), "seconds": seconds}
    path = folder / _name(judgement.claim.id, scale)
    temporary = path.with_suffix(f".tmp-{os.getpid()}")
    temporary.write_text(json.dumps(row, indent=1))
    temporary.rename(path)


EVIDENCE = ("status", "predicted", "measured", "margin", "control_status", "detail", "corrected", "seconds")


def last_verdict(store: Store, claim: Claim, *, scale: str, runs: Iterable[str]) -> dict[str, Any]:
    """The evidence read from exactly these runs under the claim's present words and rule; empty if there is none."""
    wanted = sorted(runs)
    try:
        row = json.loads((store.root / "verdicts" / _name(claim.id, scale)).read_text())
    except (OSError, ValueError):
        return {}
    same = row["runs"] == wanted and row["rule"] == claim.check.describe() and row["statement"] == claim.statement
    if not same or not all(digest in store for digest in wanted):
        return {}
    return {name: row[name] for name in EVIDENCE if name in row}


def _name(claim_id: str, scale: str) -> str:
    return f"{claim_id.replace('/', '__')}@{scale}.json"
