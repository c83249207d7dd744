"""What stands in the way of a command: it goes round it, or says one line; it neither waits nor ends in a traceback."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Cli
from descent_run import Descent
from faulty.run.walk import Walk
from faulty_paper import faulty
from forging import signed_files
from lemmata.core import Undecided
from lemmata.core.certificate import Certificate, ProvedStep, read_certificate
from lemmata.run import Reporter, Store, compute_all
from lemmata.run.engines import local
from lemmata.run.lease import Leases, clear_abandoned, is_leased
from obtaining import obtain

__all__ = ["faulty"]
NOT_LEASES: dict[str, Callable[[Path], None]] = {
    "a pipe": lambda path: os.mkfifo(path),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a link to endless zeros": lambda path: path.symlink_to("/dev/zero"),
    "a folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("name", NOT_LEASES)
def test_what_is_no_lease_is_set_aside(tmp_path: Path, name: str) -> None:
    path = tmp_path / ".leases" / "run"
    path.parent.mkdir()
    NOT_LEASES[name](path)
    with Leases(tmp_path) as leases:
        assert leases.take("run")
        assert is_leased(tmp_path, "run")
    (kept,) = (tmp_path / ".damaged").iterdir()
    assert kept.name.startswith("lease-run-")
    (path.parent).mkdir()
    NOT_LEASES[name](path)
    assert not is_leased(tmp_path, "run")
    clear_abandoned(tmp_path)
    assert not path.parent.exists()


def test_an_empty_query_is_one_line(cli: Cli, store: Store) -> None:
    config = Descent(steps=20)
    obtain([config], store)
    place = ("--store", str(store.root))
    for sql in ("", " ; ", "/* nothing */"):
        code, _, err = cli("query", sql, *place)
        assert (code, "one SELECT" in err) == (2, True)
        code, out, err = cli("query", sql, "--unconfined", "--json", *place)
        assert (code, out.strip(), err) == (0, "[]", "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_nobody_who_listens(closed: str, tmp_path: Path) -> None:
    command = f"exec {sys.executable} -m lemmata list ic-recall --store {tmp_path} {closed}"
    ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_too_little_memory_is_one_line(tmp_path: Path) -> None:
    command = f"ulimit -v 600000; exec {sys.executable} -m lemmata list ic-recall --store {tmp_path}"
    ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert "Traceback" not in ended.stderr
    if ended.returncode:
        assert ended.stderr.startswith("lemmata: out of memory: ")


GOOD: dict[str, Any] = {
    "proposition": "d",
    "says": "it",
    "on": "[0, 1]",
    "steps": [{"name": "s", "tree": "x++", "bits": 64}],
    "outcome": "closed",
    "where": "",
}
STEP = GOOD["steps"][0]
TAMPERED: dict[str, bytes] = {
    "not text": b"\xff\xfe",
    "nothing": b"",
    "deep": b"[" * 100_000,
    "long number": b"[" + b"9" * 5_000 + b"]",
    **{
        name: json.dumps(data).encode()
        for name, data in {
            "a list": [],
            "null": None,
            "no steps": {key: value for key, value in GOOD.items() if key != "steps"},
            "more fields": GOOD | {"more": ""},
            "steps that are text": GOOD | {"steps": "xyz"},
            "a step that is a list": GOOD | {"steps": [[]]},
            "a step with more": GOOD | {"steps": [STEP | {"more": 1}]},
            "a tree that is a number": GOOD | {"steps": [STEP | {"tree": 3}]},
            "a tree that is a list": GOOD | {"steps": [STEP | {"tree": ["x", "+", "+"]}]},
            "bits that are text": GOOD | {"steps": [STEP | {"bits": "64"}]},
            "bits that are infinite": GOOD | {"steps": [STEP | {"bits": float("inf")}]},
            "words that are numbers": GOOD | {"says": 3},
            "an outcome that is a list": GOOD | {"outcome": ["closed"]},
        }.items()
    },
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_certificate_is_none(name: str) -> None:
    with pytest.raises(Undecided, match="the certificate cannot be read"):
        read_certificate(np.frombuffer(TAMPERED[name], np.uint8))


@pytest.mark.parametrize("stored", [np.zeros((), "U4"), np.asarray("x" * 20), np.asarray([2.5, np.nan])])
def test_an_array_of_another_kind_is_no_certificate(stored: np.ndarray) -> None:
    with pytest.raises(Undecided, match="the certificate cannot be read"), np.errstate(invalid="ignore"):
        read_certificate(stored)


def test_verify_proof_says_what_is_wrong_with_a_certificate(cli: Cli, store: Store) -> None:
    """Of a run whose hashes are right: who forges a certificate forges them, too."""
    from safetensors.numpy import save_file

    pytest.importorskip("flint", reason="needs the extra `proofs`")
    claim, place = "ic-recall/turning-points-proved", ("--scale", "smoke", "--store", str(store.root))
    assert cli("check", claim, "--jobs", "1", *place)[0] == 0
    assert cli("verify-proof", claim, *place)[0] == 0
    found = {digest: store.load_digest(digest) for digest in store.digests()}
    whole = {digest: bytes(run.arrays["certificate"]) for digest, run in found.items()}
    long = Certificate("d", "it", "", (ProvedStep("s", "x" * 40_000),), "closed")
    kinds = (TAMPERED["not text"], TAMPERED["a tree that is a list"], bytes(long.as_array()))
    changed = [lambda _, text=text: text for text in kinds]
    changed.append(lambda text: text.replace(b'"tree": "', b'"tree": "z'))
    changed.append(lambda text: text.replace(b'"tree": "', b'"tree": "' + b"x" * 20_000))
    for change in changed:
        for digest, run in found.items():
            folder = store.folder(digest)
            save_file({"certificate": np.frombuffer(change(whole[digest]), np.uint8)}, folder / "arrays.safetensors")
            signed_files(folder, dict(run.record))
        code, out, err = cli("verify-proof", claim, "--json", *place)
        assert (code, err) == (1, "")
        assert all(row["problem"] for row in json.loads(out))


def test_a_complete_store_that_may_only_be_read_is_judged(
    cli: Cli, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("check", "toy/decay", "--scale", "smoke", "--jobs", "1", "--store", str(store.root))
    code, _, _ = cli(*words)
    for path in (store.root / "verdicts").iterdir():
        path.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        assert cli(*words)[0] == code
    assert not any((store.root / "verdicts").iterdir())


class CheckedFinding(Reporter):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def stopped(self, digest: str, kind: str, how: str) -> None:
        self.lines.append(how)
        os.kill(int(how.split()[2]), signal.SIGCONT)

    def damaged(self, digest: str, reason: str) -> None:
        self.lines.append(reason)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone tells of stopped processes")
def test_a_stopped_worker_is_told_of(store: Store, faulty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "SILENT", 0.5)

    def stop_one() -> None:
        while not faulty.exists():
            time.sleep(0.01)
        for entry in Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(entry.read_text().rpartition(")")[2].split()[1])
                spawned = b"spawn_main" in (entry.parent / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == os.getpid() and spawned:
                os.kill(int(entry.parent.name), signal.SIGSTOP)

    stopping = threading.Thread(target=stop_one)
    stopping.start()
    checked, configs = CheckedFinding(), [Walk(seed=0, steps=50), Walk(seed=1, steps=50)]
    assert compute_all(configs, store, jobs=2, reporter=checked) == {}
    stopping.join()
    assert checked.lines
    assert all("is stopped and computes nothing; `kill -CONT" in line for line in checked.lines)


def test_who_was_taken_for_dead_writes_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped for longer than a lease lives, in the midst of the final write: another process clears what was begun."""
    config, cleared = Descent(steps=20), []
    fill = Store._write_files

    def interrupted(self: Store, folder: Path, *given: Any) -> None:
        fill(self, folder, *given)
        if not cleared:
            cleared.append(folder)
            self.clear(folder, config.digest)

    monkeypatch.setattr(Store, "_write_files", interrupted)
    found = obtain([config], store)
    assert cleared
    assert list(found) == store.digests() == [config.digest]
    assert not list(store.leftovers())


def test_numbers_that_cannot_be_read_are_computed_again(cli: Cli, store: Store) -> None:
    def verdicts() -> tuple[object, str]:
        place = ("--scale", "smoke", "--jobs", "1", "--store", str(store.root))
        code, out, err = cli("check", "toy/decay", "--json", *place)
        return (code, [(row["id"], row["status"], row["measured"]) for row in json.loads(out)]), err

    before, _ = verdicts()
    (digest,) = store.digests()
    folder, record = store.folder(digest), store.record(digest)
    (folder / "metrics.parquet").write_bytes(b"not parquet")
    signed_files(folder, record)
    after, err = verdicts()
    assert after == before
    assert err.count("its numbers cannot be read") == 1
    assert "Traceback" not in err
    assert len(list((store.root / ".damaged").iterdir())) == 1
