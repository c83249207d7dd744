"""`lemmata docs`: a paper's README tables from its code and from the verdicts of its last whole run, which it keeps."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

import lemmata
from lemmata.commands.look import claim_rows
from lemmata.core import (
    NOT_RUN,
    REPLICATIONS,
    Paper,
    Scale,
    UserError,
    claim_digest,
    coverage,
    documented_confirmations,
    paper_ids,
    papers,
    select,
)
from lemmata.report.controls import controls_page, controls_section
from lemmata.report.coverage import coverage_page, coverage_section
from lemmata.report.errata import errata_markdown
from lemmata.report.files import write_whole
from lemmata.report.markdown import claims_table, ledger_section, paper_line, replaced
from lemmata.report.replications import replications_page, replications_section
from lemmata.report.values import brief
from lemmata.run import Store, last_confirmation

VERDICTS = "verdicts.json"
DOCS = Path(lemmata.__file__).parents[2] / "docs"
KEPT = ("status", "margin", "seconds", "remark", "control", "reads")


def kept_verdicts(paper: Paper) -> dict[str, Any]:
    """The verdicts of the last whole run that was documented, and what its computing cost."""
    path = paper.folder / VERDICTS
    return json.loads(path.read_text()) if path.is_file() else {"scale": "laptop", "seconds": 0, "claims": {}}


def documented(paper: Paper) -> list[dict[str, Any]]:
    """A row a claim: what the code says, and the verdict the paper's folder keeps.

    The same on every machine: a claim that needs an extra stands as the folder keeps it, and as `not run` where it
    keeps nothing, whether or not the extra is installed here.
    """
    kept = kept_verdicts(paper)
    rows = claim_rows([paper.id], Scale(kept["scale"]), None)
    fresh = _fresh(paper, kept)
    for row in rows:
        row |= {"file": str(Path(row["file"]).relative_to(paper.folder))} | fresh.get(row["id"], {})
        if row["extra"] and not row["status"]:
            row |= {"status": NOT_RUN, "detail": f"needs `pip install 'lemmata[{row['extra']}]'`"}
    return rows


def _fresh(paper: Paper, kept: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The kept verdicts by claim id, without those of another rule; verdicts that need an extra carry its digest."""
    digests = _digests(paper)
    return {id: row for id, row in kept["claims"].items() if "digest" not in row or row["digest"] == digests.get(id)}


def _digests(paper: Paper) -> dict[str, str]:
    """Of the claims that need an extra, by id: such verdicts outlive runs on machines that cannot judge them again."""
    return {
        claim.id: claim_digest(selection.experiment, claim)
        for selection in select([paper.id])
        for claim in selection.claims
        if selection.experiment.extra
    }


def page_of(paper: Paper) -> str:
    """The paper's README with its generated parts as they should be."""
    path, rows = paper.folder / "README.md", documented(paper)
    if not path.is_file():
        raise UserError(f"paper {paper.id!r} has no README.md in {paper.folder}")
    text = path.read_text()
    for name, made in {"claims": claims_table, "errata": errata_markdown, "ledger": ledger_section}.items():
        text = replaced(text, name, made(rows))
    return text


def coverage_text() -> str:
    """How much of each paper is judged: `docs/coverage.md`."""
    return coverage_page([coverage_section(paper, coverage(paper), documented(paper)) for paper in papers().values()])


def controls_text() -> str:
    """Which parts of each claim fail on its control: `docs/controls.md`."""
    return controls_page([controls_section(paper, documented(paper)) for paper in papers().values()])


def replications_text() -> str:
    """What fresh randomness says of each claim: `docs/replications.md`."""
    return replications_page([_replications(paper) for paper in papers().values()])


def _replications(paper: Paper) -> str:
    """Of the claims as they stand: a confirmation of another rule, or of other runs, says nothing of this one."""
    kept = documented_confirmations(paper)
    found = {
        selection.experiment.id: {
            claim.id: kept[claim.id]
            for claim in selection.claims
            if claim.id in kept and kept[claim.id].digest == claim_digest(selection.experiment, claim)
        }
        for selection in select([paper.id])
    }
    return replications_section(paper, found)


def line_of(paper: Paper) -> str:
    """The paper's line in a table of papers."""
    return paper_line(paper, documented(paper), kept_verdicts(paper)["seconds"])


PAGES = {"coverage.md": coverage_text, "controls.md": controls_text, "replications.md": replications_text}


def docs(ids: Sequence[str], scale: Scale, store: Store, *, check: bool, as_json: bool, console: Console) -> int:
    """Keep the store's verdicts with each paper and write its tables; with `check`, only say what is out of date."""
    stale, texts = [], {}
    for paper in (papers()[id] for id in paper_ids(ids)):
        if not check:
            _keep_verdicts(paper, scale, store, None if as_json else console)
            _keep_confirmations(paper, scale, store)
        texts[paper.folder / "README.md"] = page_of(paper)
    if DOCS.is_dir() and not ids:  # a checkout; an installed package has no such folder
        texts |= {DOCS / name: text() for name, text in PAGES.items()}
    for path, text in texts.items():
        if not path.is_file() or path.read_text() != text:
            stale.append(str(path))
            if not check:
                write_whole(path, text.encode())
    if as_json:
        print(json.dumps({"out_of_date" if check else "written": stale}, indent=1))
        return int(check and bool(stale))
    console.print(
        "\n".join(f"{'out of date' if check else 'written'}: {path}" for path in stale) or "Everything is up to date."
    )
    return int(check and bool(stale))


def _keep_verdicts(paper: Paper, scale: Scale, store: Store, console: Console | None) -> None:
    """Claims that need an extra may be unjudged here: of those the verdicts kept before stay."""
    rows = claim_rows([paper.id], scale, store)
    lacking = [row["id"] for row in rows if row["status"] is None and not row["extra"]]
    if lacking and console:
        console.print(f"{paper.id}: {len(lacking)} claims are not judged in {store.root}; the kept verdicts stay.")
    if lacking:
        return
    before, digests = kept_verdicts(paper), _digests(paper)
    stay = _fresh(paper, before) if before["scale"] == scale.name else {}
    # A run that two experiments share is computed once; those of an extra are no part of what a plain install costs.
    computed = {run for row in rows if not row["extra"] for run in row["runs"]}
    claims = {}
    for row in rows:
        if row["status"] not in (None, NOT_RUN):
            claims[row["id"]] = {name: row.get(name) for name in KEPT} | _measured(row)
            claims[row["id"]] |= {"digest": digests[row["id"]]} if row["extra"] else {}
        elif row["id"] in stay:
            claims[row["id"]] = stay[row["id"]]
    seconds = round(sum(float(store.record(run)["seconds"]) for run in computed))
    _write(paper.folder / VERDICTS, {"scale": scale.name, "seconds": seconds, "claims": claims})


def _measured(row: dict[str, Any]) -> dict[str, Any]:
    """What was measured in each part, in short; of a claim of several parts alone."""
    measured = row.get("measured")
    if "" in row["parts"] or not isinstance(measured, dict) or set(measured) != set(row["parts"]):
        return {}
    return {"measured": {name: brief(value) for name, value in measured.items()}}


def _keep_confirmations(paper: Paper, scale: Scale, store: Store) -> None:
    """Those of the store beside those kept before; what is of another rule, or of a claim that is gone, is dropped."""
    before, kept = documented_confirmations(paper), {}
    for selection in select([paper.id]):
        for claim in selection.claims:
            digest = claim_digest(selection.experiment, claim)
            found = last_confirmation(store, claim.id, scale=scale.name, digest=digest) or before.get(claim.id)
            if found and found.digest == digest:
                kept[claim.id] = dataclasses.asdict(found)
    if kept or before:
        _write(paper.folder / REPLICATIONS, kept)


def _write(path: Path, data: Any) -> None:
    write_whole(path, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())
