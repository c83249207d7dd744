"""`lemmata ledger`: the history of claims' rules, and new lines for those that changed."""

import dataclasses
import json
from collections.abc import Iterable, Sequence
from typing import Annotated

import tyro
from rich.console import Console

from lemmata.commands.options import Ids, Json, print_json
from lemmata.core import Paper, Scale, UserError
from lemmata.core.cli_hints import command
from lemmata.core.registry import papers, select
from lemmata.record import LEDGER, Kind, Line, Record, current_rules, ledger, line_of, of_one_rule, read_baseline
from lemmata.report.files import write_whole
from lemmata.report.table_layout import rows_table
from lemmata.run import Store, evaluate, seen_of
from lemmata.run.execute import missing
from lemmata.run.store import now


def rule_history(
    ids: Ids,
    store: Store,
    why: Annotated[str, tyro.conf.arg(help="For --write: why the rule was written or changed.")] = "",
    seen: Annotated[str, tyro.conf.arg(help='For --write: what had been seen of its settings; "nothing" if so.')] = "",
    kind: Annotated[
        Kind, tyro.conf.arg(help="For --write: reworded and moved keep badge, verdicts and replications.")
    ] = "changed",
    *,
    console: Console,
    write: Annotated[bool, tyro.conf.arg(help="Add lines; without it, only print.")] = False,
    as_json: Json = False,
) -> int:
    """The history of claims' rules, and what had been seen.

    When each rule was written, what had been seen by then, why it was changed. Exits 1 if a claim's statement, parts,
    runs or code are not those of its last line.

    With --write, a line is added for every such claim (of those named, or of all). A rule for which --seen begins with
    "nothing" is called registered, any other exploratory; fresh randomness (`lemmata confirm`) can confirm both. Of a
    claim that the store has judged at scale laptop or paper, under whichever rule, something was seen.

    A line of kind "reworded" is for words alone; one of kind "moved" is for code from which the stored runs give the
    same verdicts, number for number. Both are refused where that is not so.

    Example: lemmata ledger lego/fig-1a
    Example: lemmata ledger lego/fig-1a --write --why "the figure's own block" --seen "one seed at 30 epochs"
    """
    if not write:
        return history(ids, as_json=as_json, console=console)
    written = add_lines(ids, why, seen, kind, store)
    if as_json:
        return print_json({"written": written})
    console.print("\n".join(f"written: {id}" for id in written) or "Every claim is in its ledger as it stands.")
    return 0


def history(ids: Sequence[str], *, as_json: bool, console: Console) -> int:
    """Every line of the claims' ledgers; a claim that its last line does not describe is named. 1 if there is one."""
    rules = current_rules(ids)
    lines = [line for paper in _papers(rules) for line in ledger(paper) if line.claim in rules]
    changed = [id for id, rule in rules.items() if rule.line is None]
    if as_json:
        rows = [dataclasses.asdict(line) for line in lines]
        return print_json({"lines": rows, "changed": changed}, int(bool(changed)))
    cells = [(line.claim, line.date[:10], line.kind, line.digest[:8], line.seen, line.why) for line in lines]
    if cells:
        columns = ["claim", "date", "kind", "digest", "seen when it was written", "why"]
        console.print(rows_table(columns, cells, ["claim", "date", "kind", "digest"]))
    for id in changed:
        console.print(f"[red]not in the ledger as it stands:[/] {id}")
    if changed:
        adds = command("ledger", "--write", "--why", "...", "--seen", "...")
        console.print(f"`{adds}` adds a line for each.", markup=False)
    return int(bool(changed))


def add_lines(ids: Sequence[str], why: str, seen: str, kind: Kind, store: Store) -> list[str]:
    """A line for each claim whose rule, statement or runs are not those of its last line; whose they are.

    "Nothing" was seen of none that the store has judged. A line that changes the rule loses badge, verdicts and
    replications; the other kinds are refused where they are not so.
    """
    requested = {"--why": (why, "why the rule was written or changed")}
    if kind == "changed":
        requested["--seen"] = (seen, 'what had been seen of its settings by then; "nothing" if nothing')
    for option, (text, meaning) in requested.items():
        if not text.strip():
            raise UserError(f"ledger --write needs {option}: {meaning}")
    rules = current_rules(ids)
    last = {line.claim: line for paper in _papers(rules) for line in ledger(paper)}
    seen_by_then = {id: seen or (last[id].seen if id in last else "") for id in rules}
    changed = {
        claim.id: line_of(one.experiment, claim, date=now(), seen=seen_by_then[claim.id], why=why, kind=kind)
        for one in select(ids)
        for claim in one.claims
        if rules[claim.id].line is None
    }
    for id, line in changed.items():
        if kind != "changed" and id not in last:
            raise UserError(f"--kind {kind} is not possible: {id} has no line yet")
        if kind == "reworded" and line.code != last[id].code:
            raise UserError(f"--kind reworded is not possible: of {id} more than words has changed")
        if line.saw_nothing and kind == "changed" and (judged := seen_of(store, id)):
            raise UserError(
                f"--seen {seen!r} is not possible: {id} is judged in {str(store.root)!r} "
                f"({', '.join(judged)}); say what had been seen of it when the rule was written"
            )
    if kind == "moved":
        _require_equal_verdicts(list(changed), store)
    for paper in _papers(rules):
        if new := [line for id, line in changed.items() if id.split("/")[0] == paper.id]:
            append(paper, new)
    return list(changed)


SAME = ("status", "predicted", "measured", "margin")


def _require_equal_verdicts(ids: Sequence[str], store: Store) -> None:
    """What the stored runs give is what the paper's folder keeps, number for number."""
    for selection in select(ids) if ids else ():
        kept, mine = read_baseline(selection.paper), [claim for claim in selection.claims if claim.id in ids]
        scale = Scale(kept.scale)
        if absent := missing(selection.experiment.runs(scale).values(), store):
            where = f"{len(absent)} of its runs at scale {scale.name} are not in {str(store.root)!r}"
            raise UserError(f"--kind moved is not possible: of {selection.experiment.id} {where}")
        (result,) = evaluate([dataclasses.replace(selection, claims=tuple(mine))], scale, store)
        for record in result.records():
            before = kept.claims.get(record.id, Record(id=record.id))
            known = of_one_rule([line for line in ledger(selection.paper) if line.claim == record.id])
            if (before.digest, before.code) not in {(line.digest, line.code) for line in known}:
                raise UserError(f"--kind moved is not possible: of {record.id} no verdict under its last line is kept")
            if moved := [name for name in SAME if getattr(record, name) != getattr(before, name)]:
                raise UserError(f"--kind moved is not possible: of {record.id} {', '.join(moved)} moved")


def append(paper: Paper, lines: Sequence[Line]) -> None:
    rows = [_said(line) for line in (*ledger(paper), *lines)]
    write_whole(paper.folder / LEDGER, (json.dumps(rows, indent=1, ensure_ascii=False) + "\n").encode())


def _said(line: Line) -> dict[str, str]:
    """What says nothing is left out."""
    defaults = {field.name: field.default for field in dataclasses.fields(Line)}
    return {name: value for name, value in dataclasses.asdict(line).items() if value != defaults[name]}


def _papers(ids: Iterable[str]) -> list[Paper]:
    return [papers()[id] for id in dict.fromkeys(claim.split("/")[0] for claim in ids)]
