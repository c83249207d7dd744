"""The verdicts that a paper's folder keeps, and that travel with the package: what was found where it was documented.

`verdicts.json` holds a verdict a claim at the documented scale, and under "paper" what is recorded at the paper's own.
Each carries the digests of the claim as it was judged (`record/ledger.py`): under another rule, or of other runs, it
says nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from lemmata.core.claim import Claim
from lemmata.core.experiment import Experiment
from lemmata.core.registry import Paper, papers
from lemmata.core.scale import Scale, ScaleName
from lemmata.record.ledger import CurrentRule, current_rule
from lemmata.record.record import Record

VERDICTS = "verdicts.json"
STALE = "no reference under the present rule"


@dataclass(frozen=True)
class Baseline:
    """The verdicts of the last whole run that was documented, by claim id, fresh or stale; what its computing cost."""

    scale: ScaleName = "laptop"
    seconds: float = 0
    claims: Mapping[str, Record] = field(default_factory=dict)
    paper: Mapping[str, Record] = field(default_factory=dict)  # at the paper's own scale, which is run in pieces
    costs: Mapping[str, float] = field(default_factory=dict)  # seconds a seed, by the key of a run's shape

    def at(self, scale: str) -> Mapping[str, Record]:
        return self.claims if scale == self.scale else self.paper if scale == "paper" else {}

    def to_text(self) -> str:
        """As JSON, a line a claim, so that what moved can be seen in a diff."""
        lines = [f' "scale": {json.dumps(self.scale)}', f' "seconds": {json.dumps(self.seconds)}']
        for name, records in {"claims": self.claims, "paper": self.paper}.items():
            rows = (
                f"  {json.dumps(id)}: {json.dumps(one.found_json(), ensure_ascii=False)}" for id, one in records.items()
            )
            lines += [f' "{name}": {{\n' + ",\n".join(rows) + "\n }"] if records or name == "claims" else []
        lines += [f' "costs": {json.dumps(dict(sorted(self.costs.items())))}'] if self.costs else []
        return "{\n" + ",\n".join(lines) + "\n}\n"


def read_baseline(paper: Paper) -> Baseline:
    path = paper.folder / VERDICTS
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else Baseline()


@lru_cache(maxsize=32)
def _read(path: Path, written: int) -> Baseline:
    data = json.loads(path.read_text())
    claims, large = (
        {id: Record.from_json({"id": id, "scale": scale} | one) for id, one in data.get(name, {}).items()}
        for name, scale in (("claims", data["scale"]), ("paper", "paper"))
    )
    return Baseline(data["scale"], data["seconds"], claims, large, data.get("costs", {}))


def baselines(paper: Paper, scale: str) -> Mapping[str, Record]:
    """What is kept for a scale by claim id, fresh or stale."""
    return read_baseline(paper).at(scale)


def is_fresh(record: Record, rule: CurrentRule | None) -> bool:
    """Whether a kept verdict is of the claim as it stands. (One from before digests were kept is taken at its word.)"""
    return not record.digest or (rule is not None and rule.accepts(record.digest, record.code))


def fresh(records: Mapping[str, Record], rules: Mapping[str, CurrentRule]) -> dict[str, Record]:
    """The kept verdicts by claim id, without those of another rule."""
    return {id: one for id, one in records.items() if is_fresh(one, rules.get(id))}


def has_baseline(experiment: Experiment, claim: Claim, scale: Scale) -> bool:
    """Whether the paper's folder keeps a verdict on the claim as it stands, at this scale."""
    kept = baselines(papers()[experiment.id.split("/")[0]], scale.name).get(claim.id)
    return kept is not None and is_fresh(kept, current_rule(experiment, claim, scale.name))


def origin(record: Record) -> str:
    """Where a kept verdict comes from, in words."""
    version = f"lemmata {record.version}" if record.version else ""
    return ", ".join(part for part in (version, f"{record.scale} scale", record.date, record.device) if part)
