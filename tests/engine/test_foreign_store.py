"""What is in a store is not believed: names and hashes agree, or the entry is damaged; nothing in it is ever run."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import jax
import numpy as np
import pytest

from conftest import Cli
from descent_run import Descent
from forging import signed, signed_files
from lemmata.core import Checkpoint, UserError
from lemmata.core.config import digest
from lemmata.run import DamagedRun, Store, compile_cache, query
from lemmata.run.checkpoints import StoredContext
from lemmata.run.lease import _is_locked
from lemmata.run.query import _metrics_view
from lemmata.run.stored_record import DEEPEST, LARGEST
from obtaining import obtain

HOSTILE = "x\" AS SELECT 1; COPY (SELECT 42) TO '{}'; CREATE VIEW \"y"


@pytest.fixture
def run(store: Store) -> dict[str, Any]:
    config = Descent(steps=20)
    return dict(obtain([config], store)[config.digest].record)


def test_a_kind_of_run_is_never_sql(store: Store, run: dict[str, Any], tmp_path: Path) -> None:
    kind, written = HOSTILE.format(tmp_path / "out"), tmp_path / "out"
    body = json.dumps(run["config"], sort_keys=True, separators=(",", ":"))
    forged = digest(f"{kind}@{run['version']}:{body}")
    shutil.copytree(store.folder(run["digest"]), store.folder(forged))
    signed(store.folder(forged), run | {"kind": kind, "digest": forged})
    with pytest.raises(DamagedRun, match="is no kind of run"):
        store.record(forged)
    for confined in (True, False):
        assert query(store, "SELECT count(*) FROM metrics", confined=confined)[1][0][0] == run["rows"]
    assert not written.exists()
    with duckdb.connect() as connection:  # and where the name comes through all the same, it is a name
        _metrics_view(connection, store, kind, [run])
        assert connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall() == [(kind,)]
    assert not written.exists()


@pytest.mark.parametrize(
    "sql", ["COPY (SELECT 1) TO 'out.csv'", "ATTACH 'x.db'", "SELECT 1; SELECT 2", "INSTALL httpfs"]
)
def test_a_query_is_one_select(store: Store, run: dict[str, Any], cli: Cli, sql: str) -> None:
    with pytest.raises(UserError, match="one SELECT is possible here"):
        query(store, sql)
    with pytest.raises(UserError, match="file system operations are disabled"):
        query(store, "SELECT * FROM read_csv('/etc/passwd')")
    code, _, err = cli("query", sql, "--store", str(store.root))
    assert (code, "--unconfined" in err) == (2, True)
    assert not Path("out.csv").exists()


def test_whoever_is_at_the_terminal_may_ask_for_more(store: Store, run: dict[str, Any], cli: Cli) -> None:
    written = Path("out.csv")
    code, _, _ = cli("query", f"COPY (SELECT 1) TO '{written}'", "--unconfined", "--store", str(store.root))
    assert (code, written.read_text().split()) == (0, ["1", "1"])


def test_a_run_under_anothers_name_is_damaged_and_computed_again(store: Store, run: dict[str, Any]) -> None:
    other = Descent(steps=30)
    shutil.copytree(store.folder(run["digest"]), store.folder(other.digest))
    with pytest.raises(DamagedRun, match="under another's name"):
        store.verify(other.digest)
    record = json.loads((store.folder(run["digest"]) / "record.json").read_text())
    record.pop("record_hash")
    signed(store.folder(other.digest), record | {"digest": other.digest})  # with a record that says it is that run
    with pytest.raises(DamagedRun, match="its config is not the one"):
        store.verify(other.digest)
    found = obtain([other], store)[other.digest]
    assert found.metrics["loss"].shape[0] > run["rows"]
    assert len(list((store.root / ".damaged").iterdir())) == 1, "what was found is kept, to be looked at"


def _nested(levels: int) -> dict[str, Any]:
    return {"config": _nested(levels - 1)} if levels else {}


MALFORMED: dict[str, Callable[[dict[str, Any]], str | dict[str, Any]]] = {
    "a list": lambda record: "[]",
    "deep": lambda record: "[" * 200_000,
    "deep and signed": lambda record: record | {"config": _nested(DEEPEST + 5)},
    "large": lambda record: " " * (LARGEST + 1),
    "no files": lambda record: {name: value for name, value in record.items() if name != "files"},
    "other files": lambda record: record | {"files": {"../../secret": "0" * 64}},
    "a kind that is a list": lambda record: record | {"kind": ["a"]},
    "a version that is true": lambda record: record | {"version": True},
    "not text": lambda record: "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    "a config that is text": lambda record: record | {"config": "x"},
    "seconds that are text": lambda record: record | {"seconds": "long"},
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_record_stops_no_command(store: Store, run: dict[str, Any], cli: Cli, name: str) -> None:
    made = MALFORMED[name](run)
    folder = store.folder(run["digest"])
    if isinstance(made, str):
        (folder / "record.json").write_text(made)
    else:
        signed(folder, made)
    with pytest.raises(DamagedRun):
        store.verify(run["digest"])
    place = ("--store", str(store.root))
    assert cli("runs", "list", *place)[0] == 0
    code, out, _ = cli("runs", "verify", *place)
    assert (code, "1 damaged" in out) == (1, True)
    assert cli("runs", "prune", *place)[0] == 0
    assert cli("views", *place)[0] == 0
    config = Descent(steps=20)
    assert obtain([config], store)[config.digest].metrics["loss"].shape[0] == run["rows"]


def test_numbers_that_cannot_be_read_are_damage(store: Store, run: dict[str, Any]) -> None:
    folder = store.folder(run["digest"])
    (folder / "metrics.parquet").write_bytes(b"not parquet")
    signed_files(folder, run)
    with pytest.raises(DamagedRun, match="cannot be read"):
        store.load(Descent(steps=20))


def test_every_flipped_bit_of_a_checkpoint_is_noticed(tmp_path: Path) -> None:
    context = StoredContext(tmp_path / ".partial" / "run", lambda *_: None, began=float("-inf"))
    kept = {"x": np.arange(40.0), "key": np.arange(4, dtype=np.uint32)}
    context.save("train", Checkpoint(7, kept))
    path = context.folder / "train.safetensors"
    whole, random = path.read_bytes(), np.random.default_rng(0)
    for place in random.choice(len(whole) * 8, size=200, replace=False):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << (place % 8)
        path.write_bytes(bytes(flipped))
        if (found := context.load("train")) is not None:  # a bit that says nothing, as a space of the header
            assert found.step == 7
            assert all(found.arrays[name].tobytes() == kept[name].tobytes() for name in kept)
    path.write_bytes(whole)
    found = context.load("train")
    assert found is not None
    assert found.step == 7


def test_a_checkpoint_is_of_its_run_and_stage(tmp_path: Path) -> None:
    context = StoredContext(tmp_path / ".partial" / "run", lambda *_: None, began=float("-inf"))
    context.save("train", Checkpoint(7, {"x": np.arange(4.0)}))
    shutil.copytree(context.folder, tmp_path / ".partial" / "other")
    shutil.copy(context.folder / "train.safetensors", context.folder / "tune.safetensors")
    assert context.load("tune") is None
    assert StoredContext(tmp_path / ".partial" / "other", lambda *_: None).load("train") is None


def test_programs_stand_in_the_users_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(compile_cache.PLACE, str(tmp_path / "cache"))
    before = jax.config.values["jax_compilation_cache_dir"]
    try:
        jax.config.update("jax_compilation_cache_dir", None)
        compile_cache.use_compile_cache()
        folder = compile_cache.cache_folder()
        assert jax.config.values["jax_compilation_cache_dir"] == str(folder)
        assert folder.stat().st_mode & 0o777 == 0o700
        folder.chmod(0o777)  # anybody may have written there
        jax.config.update("jax_compilation_cache_dir", None)
        compile_cache.use_compile_cache()
        assert jax.config.values["jax_compilation_cache_dir"] is None
    finally:
        jax.config.update("jax_compilation_cache_dir", before)


def test_a_lock_that_cannot_be_opened_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lease"
    assert not _is_locked(path), "there is none"
    path.touch()
    assert not _is_locked(path)

    def refuse(*_: Any, **__: Any) -> int:
        raise PermissionError(13, "another user's")

    monkeypatch.setattr(os, "open", refuse)
    assert _is_locked(path)


def test_what_is_kept_is_on_the_disk_before_it_has_its_name(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    fsync, rename = os.fsync, Path.rename
    monkeypatch.setattr(os, "fsync", lambda descriptor: (said.append("sync"), fsync(descriptor))[1])
    monkeypatch.setattr(Path, "rename", lambda self, to: (said.append(f"name {Path(to).name}"), rename(self, to))[1])
    config = Descent(steps=20)
    obtain([config], store)
    at = said.index(f"name {config.digest}")
    assert said[at - 4 : at] == ["sync"] * 4, "three files and their folder"
    assert said[at + 1] == "sync", "and the folder that has the name now"
