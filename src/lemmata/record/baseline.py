"""The verdicts that a paper's folder keeps, and that travel with the package: what was found where it was documented.

`verdicts.json` holds a row a claim at the documented scale, and under "paper" what is recorded at the paper's own. Each
row carries the digests of the claim as it was judged (`record/ledger.py`): under another rule, or of other runs, it
says nothing.
"""

import json
from collections.abc import Mapping
from typing import Any

from lemmata.core.registry import Paper

VERDICTS = "verdicts.json"
STALE = "no reference under the present rule"


def read_baseline(paper: Paper) -> dict[str, Any]:
    """The verdicts of the last whole run that was documented, and what its computing cost."""
    path = paper.folder / VERDICTS
    return json.loads(path.read_text()) if path.is_file() else {"scale": "laptop", "seconds": 0, "claims": {}}


def baselines(paper: Paper, scale: str) -> dict[str, dict[str, Any]]:
    """The rows kept for a scale by claim id, fresh or stale."""
    kept = read_baseline(paper)
    return kept["claims"] if scale == kept["scale"] else kept.get("paper", {}) if scale == "paper" else {}


def origin(row: Mapping[str, Any], scale: str) -> str:
    """Where a kept verdict comes from, in words."""
    version = f"lemmata {row['version']}" if row.get("version") else None
    return ", ".join(part for part in (version, f"{scale} scale", row.get("date"), row.get("device")) if part)
