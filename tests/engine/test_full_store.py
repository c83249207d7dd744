"""A store whose disk is full or that became read-only: one line, nothing half-written, the same command continues."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import faulty.run.walk as walk
from conftest import Cli
from faulty.run.walk import Walk
from faulty_paper import faulty, numbers
from lemmata.core import UserError
from lemmata.run import Store, compute_all, store as store_module

__all__ = ["faulty"]
WIDE = 600  # of a walk whose checkpoint and result are some 100 KB each
NEEDS_MOUNT = "this system lets nobody mount a file system of their own"

# A file system of 256 KiB that only these processes see; the first command fills it, the second finds it larger.
SMALL = """
set -e
mount -t tmpfs -o size=256k none "$1"
python="$2"; shift 2
set +e
"$python" -m lemmata "$@" 2> "$ERR"; echo "first $?"
set -e
mount -o remount,size=64m none "$PLACE"
ls -A "$PLACE" | sed 's/^/left /'
"$python" -m lemmata "$@"; echo "second $?"
cp -r "$PLACE" "$KEPT"
"""
READ_ONLY = """
set -e
mount -t tmpfs none "$1"
python="$2"; shift 2
"$python" -m lemmata "$@" 2> "$ERR" & pid=$!
while [ -z "$(ls "$PLACE" 2> /dev/null)" ]; do sleep 0.05; done
until mount -o remount,ro none "$PLACE" 2> /dev/null; do sleep 0.01; done
set +e; wait $pid; echo "first $?"; set -e
mount -o remount,rw none "$PLACE"
"$python" -m lemmata "$@"; echo "second $?"
cp -r "$PLACE" "$KEPT"
"""


def in_own_mounts(script: str, words: list[str], tmp_path: Path) -> tuple[str, str, Path]:
    """A script that may mount on `PLACE`; its output, what the first command said, and the store it ended with."""
    trial = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    if not shutil.which("unshare") or subprocess.run(trial, capture_output=True).returncode:
        pytest.skip(NEEDS_MOUNT)
    place, err, kept = tmp_path / "small", tmp_path / "err", tmp_path / "kept"
    place.mkdir()
    places = {"PLACE": str(place), "ERR": str(err), "KEPT": str(kept), "FAULTY_FAULT": "none"}
    requested = ["unshare", "-rm", "sh", "-c", script, "sh", str(place), sys.executable, *words]
    requested += ["--scale", "smoke", "--store", str(place)]
    done = subprocess.run(requested, capture_output=True, text=True, env=os.environ | places, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout, err.read_text(), kept


def the_line(err: str) -> str:
    (line,) = [line for line in err.splitlines() if line.startswith("lemmata: ")]
    assert "Traceback" not in err
    return line


def test_a_full_disk(faulty: Path, tmp_path: Path) -> None:
    words = ["run", "faulty/one-fault", "--set", f"width={WIDE}", "milliseconds=0", "--jobs", "1", "--json"]
    out, err, kept = in_own_mounts(SMALL, [*words, "--out", str(tmp_path / "out")], tmp_path)
    assert "first 2" in out.splitlines()
    assert "No space left on device; what is finished is kept" in the_line(err)
    assert not [line for line in out.splitlines() if line.startswith("left .tmp") or line == "left .leases"]
    assert "second 0" in out.splitlines()
    assert len(numbers(kept)) == 3


def test_a_store_that_becomes_read_only(faulty: Path, tmp_path: Path) -> None:
    out, err, kept = in_own_mounts(READ_ONLY, ["check", "faulty/walks", "--jobs", "2"], tmp_path)
    assert "first 2" in out.splitlines()
    assert "Read-only file system; what is finished is kept" in the_line(err)
    assert "second 0" in out.splitlines()
    assert len(numbers(kept)) == 8
    assert not Store(kept).halves()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_any_write_that_fails_is_one_line(
    faulty: Path, store: Store, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """For systems on which nobody can mount."""
    configs = [Walk(seed=0, milliseconds=0), Walk(seed=1, milliseconds=0)]
    compute_all(configs[:1], store)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(store_module.pq, "write_table", refuse)
        with pytest.raises(UserError, match=os.strerror(number)) as raised:
            compute_all(configs, store)
    assert "\n" not in str(raised.value)
    assert not store.halves()
    assert store.digests() == [configs[0].digest]
    compute_all(configs, store)
    assert len(store.digests()) == 2


def test_a_run_that_reads_a_missing_file_is_not_the_store(
    faulty: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "not the store's")

    monkeypatch.setattr(walk.Walk, "_tell", refuse)
    (reason,) = compute_all([Walk(seed=0)], store).values()
    assert reason.startswith("OSError: [Errno 28] not the store's")


def test_a_full_disk_elsewhere_is_one_line_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "report/index.html")

    monkeypatch.setattr("lemmata.commands.list.list_claims", refuse)
    code, out, err = cli("list")
    assert (code, out) == (2, "")
    assert err == "lemmata: report/index.html cannot be written: No space left on device; what is finished is kept\n"


def test_time_is_only_measured_by_clocks_that_do_not_jump() -> None:
    """No file of the engine that runs reads the wall clock, but for the date that a record says."""
    folder = Path(store_module.__file__).parent
    texts = {path.name: path.read_text() for path in folder.rglob("*.py")}
    assert len(texts) > 15
    assert [name for name, text in texts.items() if "time.time(" in text or "gethostname" in text] == []
    assert [name for name, text in texts.items() if "datetime.now" in text] == ["store.py"]
