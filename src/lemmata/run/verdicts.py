"""The last verdict on each claim at each scale, kept with the runs it was read from: a stale one is never shown."""

import json
import os
from collections.abc import Iterable
from typing import Any

from lemmata.core import Judgement
from lemmata.run.store import Store


def keep_verdict(store: Store, judgement: Judgement, *, scale: str, runs: Iterable[str], seconds: float) -> None:
    folder = store.root / "verdicts"
    folder.mkdir(parents=True, exist_ok=True)
    row = {**judgement.row(), "scale": scale, "runs": sorted(runs), "seconds": seconds}
    path = folder / _name(judgement.claim.id, scale)
    temporary = path.with_suffix(f".tmp-{os.getpid()}")
    temporary.write_text(json.dumps(row, indent=1))
    temporary.rename(path)


def last_verdict(store: Store, claim_id: str, *, scale: str, runs: Iterable[str]) -> dict[str, Any] | None:
    """The verdict read from exactly these runs, if there is one and they are all still there."""
    wanted = sorted(runs)
    path = store.root / "verdicts" / _name(claim_id, scale)
    try:
        row = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return row if row.get("runs") == wanted and all(digest in store for digest in wanted) else None


def _name(claim_id: str, scale: str) -> str:
    return f"{claim_id.replace('/', '__')}@{scale}.json"
