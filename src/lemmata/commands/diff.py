"""`lemmata diff`: which verdicts and numbers moved since a commit, or between two stores."""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

import lemmata
from lemmata.commands.compute import evaluated, print_origins
from lemmata.commands.options import Ids, Jobs, Json, SeededScale, print_json
from lemmata.core import Scale, UserError
from lemmata.core.pluralize import pluralize
from lemmata.record import Record, Records
from lemmata.report.table_layout import rows_table
from lemmata.run import Store, possible
from lemmata.run.verdicts import stored_verdicts


def compare(before: Records, after: Records) -> list[dict[str, Any]]:
    """What moved, a claim that is new, gone, or has another verdict or another number each."""
    found = []
    for id in sorted({*before, *after}):
        old, new = before.get(id), after.get(id)
        moved = list(_moved(old, new)) if old and new else []
        statuses = [one.status if one else "not there" for one in (old, new)]
        if statuses[0] != statuses[1] or moved:
            found.append({"id": id, "before": statuses[0], "after": statuses[1], "numbers": moved})
    return found


def _moved(old: Record, new: Record) -> Iterator[dict[str, Any]]:
    """Numbers that differ at all, each with where it stands in the evidence."""
    first, second = (
        {
            **dict(_flat(one.predicted, "predicted")),
            **dict(_flat(one.corrected, "corrected")),
            **dict(_flat(one.measured, "measured")),
        }
        for one in (old, new)
    )
    for where in dict.fromkeys((*first, *second)):
        a, b = first.get(where), second.get(where)
        if a != b and not (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)):
            yield {"where": where, "before": a, "after": b}


def _flat(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(item, f"{where} · {key}")
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _flat(item, f"{where}[{i}]")
    else:
        yield where, value


def check_against(against: str) -> None:
    """Refuse what is neither a store's folder nor a commit of this code's repository."""
    if Path(against).is_dir():
        return
    if not (_root() / ".git").exists():
        raise UserError(f"{against!r} is not a store's folder, and an installed package has no commits to compare with")
    known = subprocess.run([*_git(), "rev-parse", "--verify", f"{against}^{{commit}}"], capture_output=True, text=True)
    if known.returncode:
        raise UserError(f"{against!r} is neither a store's folder nor a commit of {str(_root())!r}")


def _root() -> Path:
    return Path(lemmata.__file__).parents[2]


def _git() -> list[str]:
    return ["git", "-C", str(_root())]


def diff_against(
    against: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="COMMIT|STORE", help="A commit, or a store's folder.")
    ],
    ids: Ids,
    scale: SeededScale,
    store: Store,
    jobs: Jobs = None,
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """What moved since a commit, or against another store.

    Exits 1 if any did. What this store lacks is computed first; a commit's own code computes what it lacks, too.

    Example: lemmata diff HEAD~3 ic-recall   ·   lemmata diff ../other/.lemmata
    """
    check_against(against)
    found = evaluated(possible(ids, scale, store)[0], scale, store, jobs)
    print_origins(found if not as_json else (), console)
    after = {one.id: one for item in found for one in item.records()}
    if Path(against).is_dir():
        stored = stored_verdicts(Store(Path(against)))
        before = {one.id: one for one in stored if one.scale == scale.name and one.id in after}
        if not before:
            raise UserError(f"store {against!r} keeps no verdict on these claims at scale {scale.name}")
    else:
        before = {one.id: one for one in _of_commit(against, ids, scale, store)}
    moved = compare(before, after)
    if as_json:
        return print_json(moved, int(bool(moved)))
    lines = []
    for claim in moved:
        numbers = [f"{one['where']}: {one['before']} → {one['after']}" for one in claim["numbers"]]
        more = [f"and {len(numbers) - 4} more"] if len(numbers) > 4 else []
        lines.append((claim["id"], claim["before"], claim["after"], "\n".join([*numbers[:4], *more])))
    if lines:
        console.print(rows_table(["claim", "before", "after", "numbers"], lines))
    console.print(f"{len(moved)} of {pluralize(len({*before, *after}), 'claim')} moved since {against}.")
    return int(bool(moved))


def _of_commit(commit: str, ids: Sequence[str], scale: Scale, store: Store) -> list[Record]:
    """The verdicts of the code as it was, by a process of its own on the same store: stored runs are not repeated."""
    git = _git()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*git, "worktree", "add", "--detach", folder, commit], capture_output=True, check=True)
        try:
            words = ["check", *ids, "--scale", scale.name, "--json", "--store", str(store.root.resolve())]
            words += ["--seeds", str(scale.num_seeds)] if scale.num_seeds else []
            source = os.pathsep.join([str(Path(folder) / "src"), os.environ.get("PYTHONPATH", "")])
            environment = os.environ | {"PYTHONPATH": source}
            finished = subprocess.run(
                [sys.executable, "-m", "lemmata", *words], stdout=subprocess.PIPE, text=True, env=environment
            )
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", folder], capture_output=True)
    if finished.returncode > 1:
        raise UserError(f"the code of {commit} could not check these claims (exit {finished.returncode})")
    return [one for one in map(Record.from_json, json.loads(finished.stdout)) if one.is_judged]
