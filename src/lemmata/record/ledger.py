"""The ledger of a paper's rules: when each was written, what had been seen by then, and why it was changed.

`ledger.json` in the paper's folder is a list of lines, oldest first. A line's digest is of the claim's statement, its
parts and its runs: a claim whose digest is not that of its last line was changed in silence.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from lemmata.core.claim import NOTHING, Claim
from lemmata.core.config import digest, encode
from lemmata.core.experiment import Experiment
from lemmata.core.registry import Paper, papers, select
from lemmata.core.run import RunConfig
from lemmata.core.scale import Scale, ScaleName
from lemmata.core.to_json import to_json
from lemmata.record.baseline import baselines, is_fresh

LEDGER = "ledger.json"
COUNTED: tuple[ScaleName, ...] = ("laptop", "paper")  # the scales whose runs a rule is about


@dataclass(frozen=True, kw_only=True)
class Line:
    claim: str
    digest: str
    date: str
    seen: str  # what had been seen of these settings when the rule was written; begins with "nothing" where that is so
    why: str  # why it was written, or changed

    @property
    def saw_nothing(self) -> bool:
        return self.seen.lower().startswith("nothing")


def ledger(paper: Paper) -> list[Line]:
    """The paper's lines, oldest first."""
    path = paper.folder / LEDGER
    return [Line(**line) for line in json.loads(path.read_text())] if path.is_file() else []


def claim_digest(experiment: Experiment, claim: Claim, scale: str | None = None) -> str:
    """Of the statement, the parts (names, rules, targets that are values) and the runs at the scales that count. With
    scale "paper", of its runs at the paper's size alone: what a laptop runs changes nothing of a verdict there."""
    parts = {
        name: {"rule": part.rule.describe(), "target": _stable(part.rule.target), "corrected": _stable(part.corrected)}
        for name, part in claim.named_parts().items()
    }
    at_paper = scale == "paper"
    whose = [ours] if (ours := claim.protocol.at(Scale("paper" if at_paper else "laptop"))) else []
    runs = _runs_at(experiment.runs, ("paper",) if at_paper else COUNTED)
    return digest(json.dumps([claim.statement, parts, runs, *whose], sort_keys=True))


def claim_digests(ids: Sequence[str], scale: str | None = None) -> dict[str, str]:
    """Of the claims as they stand, by id."""
    return {
        claim.id: claim_digest(selection.experiment, claim, scale)
        for selection in select(ids)
        for claim in selection.claims
    }


def has_baseline(experiment: Experiment, claim: Claim, scale: Scale) -> bool:
    """Whether the paper's folder keeps a verdict on the claim as it stands, at this scale."""
    kept = baselines(papers()[experiment.id.split("/")[0]], scale.name).get(claim.id)
    return kept is not None and is_fresh(kept, claim_digest(experiment, claim, scale.name))


@cache  # an experiment's claims share its runs
def _runs_at(runs: Callable[[Scale], Mapping[str, RunConfig]], scales: tuple[ScaleName, ...]) -> dict[str, Any]:
    return {
        scale: {name: [config.kind, _stable(encode(config))] for name, config in runs(Scale(scale)).items()}
        for scale in scales
    }


def _stable(value: Any) -> Any:
    """As JSON data that is the same on every machine: the last digits of a computed number are the library's."""
    if value is NOTHING or callable(value):
        return None if value is NOTHING else "computed from the runs"
    if isinstance(value, dict):
        return {str(key): _stable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_stable(item) for item in value]
    if isinstance(value, float):
        return f"{value:.9g}"
    return value if value is None or isinstance(value, str | bool | int) else _stable(to_json(value, limit=10**9))
