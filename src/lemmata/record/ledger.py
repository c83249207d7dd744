"""The ledger of a paper's rules: when each was written, what had been seen by then, and why it was changed.

`ledger.json` in the paper's folder is a list of lines, oldest first. A line's digests are of the claim's statement,
parts and runs, and of its code: a claim whose digests are not those of its last line was changed in silence.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from lemmata.core.claim import Claim
from lemmata.core.config import digest
from lemmata.core.experiment import Experiment
from lemmata.core.registry import Paper, papers, select
from lemmata.core.scale import Scale
from lemmata.record.code_digest import code_digest, runs_at, stable

LEDGER = "ledger.json"
Kind = Literal["reworded", "moved", "changed"]  # words alone; code that gives the same verdicts; the rule


@dataclass(frozen=True, kw_only=True)
class Line:
    claim: str
    digest: str
    date: str
    seen: str  # what had been seen of these settings when the rule was written; begins with "nothing" where that is so
    why: str  # why it was written, or changed
    code: str = ""  # the digest of its code; lines from before it was kept have none
    at_paper: str = ""  # both digests at the paper's size
    kind: Kind = "changed"  # another kind keeps badge, verdicts and replications

    @property
    def saw_nothing(self) -> bool:
        return self.seen.lower().startswith("nothing")


@dataclass(frozen=True)
class CurrentRule:
    """A claim's rule as it stands, and whose verdicts are still of it."""

    digest: str
    code: str
    accepted: frozenset[tuple[str, str]]  # digests, of statement and code, of what was only reworded or moved since
    line: Line | None = None  # the last that changed it; none where the ledger does not know it as it stands

    def accepts(self, digest: str, code: str = "") -> bool:
        """Whether what was found under these digests was found under this rule."""
        return (digest, code) in self.accepted


def ledger(paper: Paper) -> list[Line]:
    """The paper's lines, oldest first."""
    path = paper.folder / LEDGER
    return list(_lines(path, path.stat().st_mtime_ns)) if path.is_file() else []


@cache
def _lines(path: Path, _: int) -> tuple[Line, ...]:
    return tuple(Line(**line) for line in json.loads(path.read_text()))


def claim_digest(experiment: Experiment, claim: Claim, scale: str | None = None) -> str:
    """Of the statement, the parts (names, rules, targets that are values) and the runs at the scales that count. With
    scale "paper", of its runs at the paper's size alone: what a laptop runs changes nothing of a verdict there."""
    parts = {
        name: {"rule": part.rule.describe(), "target": stable(part.rule.target), "corrected": stable(part.corrected)}
        for name, part in claim.named_parts().items()
    }
    whose = [ours] if (ours := claim.protocol.at(Scale("paper" if scale == "paper" else "laptop"))) else []
    return digest(json.dumps([claim.statement, parts, runs_at(experiment.runs, scale), *whose], sort_keys=True))


def current_rule(experiment: Experiment, claim: Claim, scale: str | None = None) -> CurrentRule:
    """Of a verdict at this scale; without one, of the ledger's lines."""
    now = _at(experiment, claim, None)
    here = _at(experiment, claim, "paper") if scale == "paper" else now
    lines = [line for line in ledger(papers()[experiment.id.split("/")[0]]) if line.claim == claim.id]
    if not lines:  # a paper that keeps no ledger; of before code had a digest its verdicts are of the rule in words
        return CurrentRule(*here, frozenset({here, (here[0], "")}))
    if lines[-1].digest != now[0] or lines[-1].code not in ("", now[1]):
        return CurrentRule(*here, frozenset({here}))
    lines = of_one_rule(lines)
    accepted = [(line.digest, line.code) for line in lines]
    if scale == "paper":
        accepted = [(words, code) for line in lines for words, _, code in [line.at_paper.partition(":")]]
        accepted += [] if lines[-1].code else [(here[0], "")]
    return CurrentRule(*here, frozenset({here, *accepted}), lines[0])


def of_one_rule(lines: Sequence[Line]) -> list[Line]:
    """A claim's lines from the last that changed its rule."""
    first = max((place for place, line in enumerate(lines) if line.kind == "changed"), default=0)
    return list(lines[first:])


def _at(experiment: Experiment, claim: Claim, scale: str | None) -> tuple[str, str]:
    return claim_digest(experiment, claim, scale), code_digest(experiment, claim, scale)


def current_rules(ids: Sequence[str], scale: str | None = None) -> dict[str, CurrentRule]:
    """Of the claims as they stand, by id."""
    return {
        claim.id: current_rule(selection.experiment, claim, scale)
        for selection in select(ids)
        for claim in selection.claims
    }


def line_of(experiment: Experiment, claim: Claim, **about: Any) -> Line:
    """A line of the claim as it stands."""
    (digest, code), at_paper = _at(experiment, claim, None), ":".join(_at(experiment, claim, "paper"))
    return Line(claim=claim.id, digest=digest, code=code, at_paper=at_paper, **about)
