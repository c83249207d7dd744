"""`lemmata ledger`: the history of claims' rules, and new lines for those that changed."""

import dataclasses
import json
from collections.abc import Sequence

from rich.console import Console

from lemmata.core import Paper, UserError
from lemmata.core.cli_hints import command
from lemmata.core.registry import papers
from lemmata.record import LEDGER, Line, claim_digests, ledger
from lemmata.report.files import write_whole
from lemmata.report.table_layout import rows_table
from lemmata.run import Store, seen_of
from lemmata.run.store import now


def history(ids: Sequence[str], *, as_json: bool, console: Console) -> int:
    """Every line of the claims' ledgers; a claim that its last line does not describe is named. 1 if there is one."""
    digests = claim_digests(ids)
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
        adds = command("ledger", "--write", "--why", "...", "--seen", "...")
        console.print(f"`{adds}` adds a line for each.", markup=False)
    return int(bool(changed))


def write(ids: Sequence[str], why: str, seen: str, store: Store, *, as_json: bool, console: Console) -> int:
    """A line for each claim whose rule, statement or runs are not those of its last line. "Nothing" was seen of none
    that the store has judged."""
    asked = {
        "--why": (why, "why the rule was written or changed"),
        "--seen": (seen, 'what had been seen of its settings by then; "nothing" if nothing'),
    }
    for option, (text, meaning) in asked.items():
        if not text.strip():
            raise UserError(f"ledger --write needs {option}: {meaning}")
    digests = claim_digests(ids)
    changed = _changed(digests)
    lines = {id: Line(claim=id, digest=digests[id], date=now(), seen=seen, why=why) for id in changed}
    for line in lines.values():
        if line.saw_nothing and (judged := seen_of(store, line.claim)):
            raise UserError(
                f"--seen {seen!r} is not possible: {line.claim} is judged in {str(store.root)!r} "
                f"({', '.join(judged)}); say what had been seen of it when the rule was written"
            )
    for paper in _papers(digests):
        if new := [line for id, line in lines.items() if id.split("/")[0] == paper.id]:
            append(paper, new)
    if as_json:
        print(json.dumps({"written": changed}, indent=1))
        return 0
    console.print("\n".join(f"written: {id}" for id in changed) or "Every claim is in its ledger as it stands.")
    return 0


def append(paper: Paper, lines: Sequence[Line]) -> None:
    rows = [dataclasses.asdict(line) for line in (*ledger(paper), *lines)]
    write_whole(paper.folder / LEDGER, (json.dumps(rows, indent=1, ensure_ascii=False) + "\n").encode())


def _papers(digests: dict[str, str]) -> list[Paper]:
    return [papers()[id] for id in dict.fromkeys(claim.split("/")[0] for claim in digests)]


def _changed(digests: dict[str, str]) -> list[str]:
    """Claims whose last line is not of them as they stand, or that have none."""
    last = {line.claim: line.digest for paper in _papers(digests) for line in ledger(paper)}
    return [id for id, digest in digests.items() if last.get(id) != digest]
