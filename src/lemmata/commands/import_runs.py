"""`lemmata runs import`: runs of somebody else, from a store or a crate, checked before they are kept.

Each is copied first and checked as a copy. Some are computed again here, and one whose bits are others stops them all.
"""

import json
import shutil
import stat
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from lemmata.commands.progress import ProgressReporter
from lemmata.core import RunConfig, RunResult, UserError, require
from lemmata.core.config import decode
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import run_type
from lemmata.report.table_layout import rows_table
from lemmata.run import DamagedRun, Store, compute_all
from lemmata.run.environment import code_name, environment
from lemmata.run.store import now
from lemmata.run.stored_record import ARRAYS, IMPORTED, METRICS, RECORD

TAKEN, REFUSED, HERE = "taken", "refused", "here already"
COLUMNS = ("run", "kind", "outcome", "why")


@dataclass
class Candidate:
    digest: str
    kind: str = ""
    outcome: str = TAKEN
    why: str = ""
    config: RunConfig | None = None
    seconds: float = 0.0

    def row(self) -> tuple[str, ...]:
        return (self.digest, self.kind, self.outcome, self.why)

    def refuse(self, why: str) -> None:
        self.outcome, self.why = REFUSED, why


def import_runs(source: Path, store: Store, recompute: int, jobs: int, *, as_json: bool, console: Console) -> int:
    """A line a run; 1 if one was refused."""
    require(recompute >= 0, "--recompute", recompute, "at least 0")
    place = source / "runs" if (source / "ro-crate-metadata.json").is_file() else source
    digests = Store(place).digests()
    if not digests:
        raise UserError(f"{str(source)!r} is no store and no crate with runs (a folder; an archive is unpacked first)")
    store.ensure_writable()
    stage = Store(store.root / f".tmp-import-{uuid.uuid4().hex}")
    try:
        found = [_candidate(place / digest, stage, store) for digest in digests]
        sample = _recompute(found, stage, recompute, jobs)
        for one in found:
            if one.outcome == TAKEN:
                about = {"from": str(source.resolve()), "at": now(), "recomputed": str(one.digest in sample).lower()}
                (stage.folder(one.digest) / IMPORTED).write_text(json.dumps(about))
                store.adopt(stage.folder(one.digest), one.digest)
    finally:
        shutil.rmtree(stage.root, ignore_errors=True)
    if as_json:
        print(
            json.dumps([{"run": o.digest, "kind": o.kind, "outcome": o.outcome, "why": o.why} for o in found], indent=1)
        )
    else:
        console.print(rows_table(["run", "kind", "outcome", ""], [(o.digest, o.kind, o.outcome, o.why) for o in found]))
        taken = sum(one.outcome == TAKEN for one in found)
        console.print(f"{pluralize(taken, 'run')} of {len(found)} taken, {len(sample)} computed again here.")
    return int(any(one.outcome == REFUSED for one in found))


def _candidate(folder: Path, stage: Store, store: Store) -> Candidate:
    """A run as a copy of it is: whole, of a kind and a version that this code computes, and not here yet."""
    one = Candidate(folder.name)
    try:
        _copy(folder, stage.folder(folder.name))
        record = stage.verify(folder.name)
        one.kind, one.seconds = record["kind"], record.get("core_seconds", record.get("seconds", 0.0))
        one.config = config = decode(run_type(record["kind"]), record["config"])
        if record["version"] != config.version:
            one.refuse(f"of version {record['version']} of its kind, here it has {config.version}")
        elif lacks := config.lacks():
            one.refuse(lacks)
        elif config.digest != record["digest"]:
            one.refuse("of other files than those here")
        else:
            one.why = _code(record)
            _compare(one, stage.load(config), store)
    except (DamagedRun, UserError, OSError) as error:
        one.refuse(str(error))
    return one


def _copy(folder: Path, copy: Path) -> None:
    """The three files of a run, and nothing that a link leads to."""
    copy.mkdir(parents=True)
    for name in (METRICS, ARRAYS, RECORD):
        path = folder / name
        if folder.is_symlink() or not path.exists() or not stat.S_ISREG(path.lstat().st_mode):
            raise DamagedRun(f"{name} is no file of its own")
        shutil.copyfile(path, copy / name)


def _code(record: Mapping[str, Any]) -> str:
    """Of which code, libraries and device it is, where they are others than here."""
    here, said = environment(), {"code": code_name, "libraries": _libraries, "device": str}
    names = {name: (say(record.get(name, {})), say(here[name])) for name, say in said.items()}
    return "; ".join(f"{name}: {there}, here {ours}" for name, (there, ours) in names.items() if there != ours)


def _libraries(libraries: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(libraries.items()) if name in ("jax", "numpy"))


def _compare(one: Candidate, run: RunResult, store: Store) -> None:
    if one.digest in store:
        try:
            same = _bits(store.load(run.config)) == _bits(run)
        except DamagedRun:
            return  # ours is set aside when the other takes its place
        one.outcome = HERE if same else REFUSED
        one.why = "" if same else "is here already, with other numbers"


def _recompute(found: list[Candidate], stage: Store, most: int, jobs: int) -> set[str]:
    """The digests of those that were computed again, the cheapest first. If bits differ, nobody is believed."""
    taken = sorted((one for one in found if one.outcome == TAKEN), key=lambda one: (one.seconds, one.digest))[:most]
    configs = [one.config for one in taken if one.config is not None]
    ours = Store(stage.root / "recomputed")
    with ProgressReporter() as reporter:
        failures = compute_all(configs, ours, jobs=jobs, reporter=reporter) if configs else {}
    for config, one in zip(configs, taken, strict=True):
        if reason := failures.get(one.digest):
            one.refuse(f"cannot be computed again here: {reason}")
        elif _bits(ours.load(config)) != _bits(stage.load(config)):
            one.refuse(f"computed again here, it has other numbers{f' ({one.why})' if one.why else ''}")
    if wrong := [one for one in taken if one.outcome == REFUSED]:
        for one in found:
            if one.outcome == TAKEN:
                one.refuse(f"of {len(taken)} computed again, {len(wrong)} differed (`--recompute 0` believes them)")
    return {one.digest for one in taken}


def _bits(run: RunResult) -> dict[str, tuple[str, tuple[int, ...], bytes]]:
    """Of every number; texts by what they say."""
    arrays = {name: np.asarray(value) for name, value in (*run.metrics.items(), *run.arrays.items())}
    plain = {name: one.astype(str) if one.dtype.hasobject else one for name, one in arrays.items()}
    return {name: (str(one.dtype), one.shape, one.tobytes()) for name, one in plain.items()}
