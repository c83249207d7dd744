"""`lemmata diff`: which verdicts and numbers moved since a commit, or between two stores."""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

import lemmata
from lemmata.core import Scale, UserError
from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN
from lemmata.report.table_layout import rows_table
from lemmata.run.store import Store
from lemmata.run.verdicts import stored_verdicts

Rows = Mapping[str, Mapping[str, Any]]  # by claim id
VALUES = ("predicted", "corrected", "measured")


def compare(before: Rows, after: Rows) -> list[dict[str, Any]]:
    """One row a claim that is new, gone, or has another verdict or another number."""
    found = []
    for id in sorted({*before, *after}):
        old, new = before.get(id, {}), after.get(id, {})
        moved = list(_moved(old, new)) if old and new else []
        if old.get("status") != new.get("status") or moved:
            row = {"id": id, "before": old.get("status", "not there"), "after": new.get("status", "not there")}
            found.append(row | {"numbers": moved})
    return found


def _moved(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Numbers that differ at all, each with where it stands in the evidence."""
    for name in VALUES:
        first, second = (dict(_flat(row.get(name), name)) for row in (old, new))
        for where in sorted({*first, *second}):
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


def diff(
    against: str, ids: Sequence[str], scale: Scale, store: Store, now: list[dict], *, as_json: bool, console: Console
) -> int:
    """Print what moved between `against` (a store's folder, or a commit) and the verdicts `now`; 1 if any did."""
    after = {row["id"]: row for row in now}
    if Path(against).is_dir():
        before = {r["id"]: r for r in stored_verdicts(Store(Path(against))) if r["scale"] == scale.name}
        before = {id: row for id, row in before.items() if id in after}
        if not before:
            raise UserError(f"store {against!r} keeps no verdict on these claims at scale {scale.name}")
    else:
        before = {row["id"]: row for row in _of_commit(against, ids, scale, store)}
    found = compare(before, after)
    if as_json:
        print(json.dumps(found, indent=1))
        return int(bool(found))
    lines = []
    for row in found:
        numbers = [f"{one['where']}: {one['before']} → {one['after']}" for one in row["numbers"]]
        more = [f"and {len(numbers) - 4} more"] if len(numbers) > 4 else []
        lines.append((row["id"], row["before"], row["after"], "\n".join([*numbers[:4], *more])))
    if lines:
        console.print(rows_table(["claim", "before", "after", "numbers"], lines))
    console.print(f"{len(found)} of {pluralize(len({*before, *after}), 'claim')} moved since {against}.")
    return int(bool(found))


def _of_commit(commit: str, ids: Sequence[str], scale: Scale, store: Store) -> list[dict]:
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
    return [row for row in json.loads(finished.stdout) if row["status"] != NOT_RUN]
