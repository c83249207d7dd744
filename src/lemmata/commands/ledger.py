"""`lemmata ledger`: the history of claims' rules, and new lines for those that changed."""

import dataclasses
import json
from collections.abc import Sequence

from rich.console import Console

from lemmata.core import LEDGER, Line, Paper, UserError, claim_digest, ledger, papers, select
from lemmata.report.files import write_whole
from lemmata.report.listing import rows_table
from lemmata.run.store import now


def history(ids: Sequence[str], *, as_json: bool, console: Console) -> int:
    """Every line of the claims' ledgers; a claim that its last line does not describe is named. 1 if there is one."""
    digests = _digests(ids)
    lines = [line for paper in _papers(digests) for line in ledger(paper) if line.claim in digests]
    changed = _changed(digests)
    if as_json:
        rows = [dataclasses.asdict(line) for line in lines]
        print(json.dumps({"lines": rows, "changed": changed}, indent=1))
        return int(bool(changed))
    cells = [(line.claim, line.date[:10], line.digest[:8], line.seen, line.why) for line in lines]
    if cells:
        console.print(
            rows_table(
                ["claim", "date", "digest", "seen when it was written", "why"], cells, ["claim", "date", "digest"]
            )
        )
    for id in changed:
        console.print(f"[red]not in the ledger as it stands:[/] {id}")
    if changed:
        console.print('`lemmata ledger --write --why "..." --seen "..."` adds a line for each.')
    return int(bool(changed))


def write(ids: Sequence[str], why: str, seen: str, *, as_json: bool, console: Console) -> int:
    """A line for each claim whose rule, statement or runs are not those of its last line."""
    asked = {
        "--why": (why, "why the rule was written or changed"),
        "--seen": (seen, 'what had been seen of its settings by then; "nothing" if nothing'),
    }
    for option, (text, meaning) in asked.items():
        if not text.strip():
            raise UserError(f"ledger --write needs {option}: {meaning}")
    digests = _digests(ids)
    changed = _changed(digests)
    for paper in _papers(digests):
        mine = [id for id in changed if id.split("/")[0] == paper.id]
        new = [Line(claim=id, digest=digests[id], date=now(), seen=seen, why=why) for id in mine]
        if new:
            append(paper, new)
    if as_json:
        print(json.dumps({"written": changed}, indent=1))
        return 0
    lines = "\n".join(f"written: {id}" for id in changed)
    console.print(lines or "Every claim is in its ledger as it stands.")
    return 0


def append(paper: Paper, lines: Sequence[Line]) -> None:
    rows = [dataclasses.asdict(line) for line in (*ledger(paper), *lines)]
    write_whole(paper.folder / LEDGER, (json.dumps(rows, indent=1, ensure_ascii=False) + "\n").encode())


def _digests(ids: Sequence[str]) -> dict[str, str]:
    return {
        claim.id: claim_digest(selection.experiment, claim) for selection in select(ids) for claim in selection.claims
    }


def _papers(digests: dict[str, str]) -> list[Paper]:
    return [papers()[id] for id in dict.fromkeys(claim.split("/")[0] for claim in digests)]


def _changed(digests: dict[str, str]) -> list[str]:
    """Claims whose last line is not of them as they stand, or that have none."""
    last = {line.claim: line.digest for paper in _papers(digests) for line in ledger(paper)}
    return [id for id, digest in digests.items() if last.get(id) != digest]
