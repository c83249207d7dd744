"""Runs of somebody else: checked as copies, a sample computed again, and marked wherever they are read."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from conftest import Cli, Refused
from forging import signed, signed_files
from lemmata.core import Scale
from lemmata.core.registry import select_one
from lemmata.run import Store, compute_all

HERE = ("--scale", "smoke", "--jobs", "1")


@pytest.fixture
def other(toy: Path, tmp_path: Path) -> Store:
    """A store with the runs of the toy paper, as somebody else has them."""
    other = Store(tmp_path / "other")
    for id in ("toy/decay", "toy/noisy"):
        compute_all(select_one(id, "tests").experiment.runs(Scale("smoke")).values(), other)
    return other


def imported(cli: Cli, source: Path, *words: str) -> tuple[int, dict[str, dict[str, Any]]]:
    code, out, err = cli("runs", "import", str(source), "--jobs", "1", "--json", *words)
    assert "Traceback" not in err
    return code, {row["run"]: row for row in json.loads(out)}


def test_what_is_whole_is_taken_and_marked(cli: Cli, other: Store) -> None:
    code, rows = imported(cli, other.root, "--recompute", "1")
    assert code == 0
    assert {row["outcome"] for row in rows.values()} == {"taken"}
    ours = Store(Path(".lemmata"))
    assert ours.digests() == other.digests()
    assert [ours.record(digest)["imported"]["recomputed"] for digest in ours.digests()].count("true") == 1
    assert [path.name for path in ours.root.glob(".tmp-*")] == []
    code, out, _ = cli("check", "toy/decay", *HERE)
    assert "computed elsewhere" in out
    cli("reproduce", "toy/decay", *HERE, "--out", "out")
    assert "computed elsewhere" in "".join(path.read_text() for path in Path("out").glob("*.html"))
    assert "computed elsewhere" in cli("diff", str(ours.root), "toy/decay", *HERE)[1]
    assert {row["outcome"] for row in imported(cli, other.root)[1].values()} == {"here already"}


def test_what_is_not_whole_is_refused_and_said_to_be(cli: Cli, other: Store) -> None:
    whole, *_ = other.digests()
    other.folder("f" * 20).mkdir()
    shutil.copytree(other.folder(whole), other.folder("e" * 20))
    for name in ("metrics.parquet", "record.json"):
        (other.folder("f" * 20) / name).symlink_to(other.folder(whole) / name)
    record = other.record(whole)
    signed(other.folder("d" * 20), record | {"digest": "d" * 20})
    code, rows = imported(cli, other.root)
    assert code == 1
    assert {id: rows[id]["outcome"] for id in ("d" * 20, "e" * 20, "f" * 20)} == dict.fromkeys(
        ("d" * 20, "e" * 20, "f" * 20), "refused"
    )
    assert "is no file of its own" in rows["f" * 20]["why"]
    assert "under another's name" in rows["e" * 20]["why"]
    assert rows[whole]["outcome"] == "taken"
    assert set(Store(Path(".lemmata")).digests()) == set(other.digests()) - {"d" * 20, "e" * 20, "f" * 20}


def test_forged_numbers_are_found_where_they_are_computed_again(cli: Cli, other: Store) -> None:
    for digest in other.digests():
        run, folder = other.load_digest(digest), other.folder(digest)
        arrays = {name: np.array(value) for name, value in run.arrays.items()} | {"more": np.zeros(1)}
        save_file(arrays, folder / "arrays.safetensors")
        signed_files(folder, dict(run.record))
    code, rows = imported(cli, other.root, "--recompute", "1")
    assert code == 1
    assert {row["outcome"] for row in rows.values()} == {"refused"}
    assert sum("computed again here, it has other numbers" in row["why"] for row in rows.values()) == 1
    assert Store(Path(".lemmata")).digests() == []
    code, rows = imported(cli, other.root, "--recompute", "0")
    assert (code, {row["outcome"] for row in rows.values()}) == (0, {"taken"})


def test_runs_of_other_kinds_and_versions_are_refused(cli: Cli, other: Store) -> None:
    from lemmata.core.config import digest

    first, *_ = other.digests()
    record = other.record(first)
    body = json.dumps(record["config"], sort_keys=True, separators=(",", ":"))
    for kind, version in (("nobody/run", 1), (record["kind"], 99)):
        name = digest(f"{kind}@{version}:{body}")
        shutil.copytree(other.folder(first), other.folder(name))
        signed(other.folder(name), record | {"kind": kind, "version": version, "digest": name})
    code, rows = imported(cli, other.root, "--recompute", "0")
    assert code == 1
    why = " ".join(row["why"] for row in rows.values() if row["outcome"] == "refused")
    assert "of version 99 of its kind" in why
    assert "unknown kind of run 'nobody/run'" in why


def test_a_crate_is_imported(cli: Cli, other: Store) -> None:
    pytest.importorskip("rocrate", reason="needs the extra `export`")
    assert cli("export", "toy/decay", *HERE, "--store", str(other.root), "--out", "crate")[0] == 0
    code, rows = imported(cli, Path("crate"))
    assert (code, {row["outcome"] for row in rows.values()}) == (0, {"taken"})


def test_what_is_no_store_is_refused(refused: Refused, tmp_path: Path) -> None:
    refused("runs", "import", says="needs the folder of a store")
    refused("runs", "import", str(tmp_path / "nowhere"), says="is no store and no crate")
