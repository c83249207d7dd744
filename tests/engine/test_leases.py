"""Processes that share a store share its work: one computes a run, the others wait, and what is abandoned is taken."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from faulty.run.walk import Walk
from faulty_paper import begin, begun, end, faulty, numbers
from lemmata.core import RunOutput
from lemmata.run import Store, compute_all, lease
from lemmata.run.lease import Leases, clear_abandoned, is_leased

__all__ = ["faulty"]
HOLD = """
import sys, time
from pathlib import Path
from lemmata.run.lease import Leases
with Leases(Path(sys.argv[1])) as leases:
    print(leases.take("run"), flush=True)
    time.sleep(60)
"""


def holder(root: Path) -> subprocess.Popen[str]:
    """Another process that holds the lease of "run"."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(root)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    return process


def test_one_holds_and_the_others_wait(tmp_path: Path) -> None:
    with Leases(tmp_path) as mine, Leases(tmp_path) as other:
        assert mine.take("run")
        assert not other.take("run")
        assert is_leased(tmp_path, "run")
        mine.release("run")
        assert not is_leased(tmp_path, "run")
        assert other.take("run")
    assert list(tmp_path.iterdir()) == []


def test_a_dead_process_of_this_machine_is_known_at_once(tmp_path: Path) -> None:
    if not lease.KERNEL:
        pytest.skip("this system does not name its boots: the heartbeat alone decides")
    process = holder(tmp_path)
    with Leases(tmp_path) as mine:
        assert not mine.take("run")
        process.kill()
        process.communicate()
        assert mine.take("run")


def test_a_dead_host_is_known_by_its_heartbeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another host's kernel has another name, and its locks are not seen here; its clock may say anything."""
    process = holder(tmp_path)
    process.kill()
    process.communicate()
    os.utime(tmp_path / ".leases" / "run", (2**33, 2**33))
    monkeypatch.setattr(lease, "KERNEL", "another boot")
    with Leases(tmp_path, stale_after=0.3) as mine:
        assert not mine.take("run")
        assert is_leased(tmp_path, "run")
        time.sleep(0.4)
        assert mine.take("run")


def test_a_living_host_keeps_its_lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Leases(tmp_path, beat_every=0.05) as theirs:
        assert theirs.take("run")
        monkeypatch.setattr(lease, "KERNEL", "another boot")
        with Leases(tmp_path, stale_after=0.5) as mine:
            until = time.monotonic() + 1.2
            while time.monotonic() < until:
                assert not mine.take("run")
                time.sleep(0.02)


def test_an_abandoned_lease_goes_to_one_of_many(tmp_path: Path) -> None:
    process = holder(tmp_path)
    process.kill()
    process.communicate()
    everyone = [Leases(tmp_path, stale_after=0.3, beat_every=0.01) for _ in range(8)]
    taken: list[bool] = []

    def try_for_a_while(leases: Leases) -> None:
        with leases:
            until, got = time.monotonic() + 0.5, False
            while time.monotonic() < until and not got:
                got = leases.take("run")
            taken.append(got)
            time.sleep(max(0.0, until + 0.3 - time.monotonic()))

    threads = [threading.Thread(target=try_for_a_while, args=(one,)) for one in everyone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == 1


def test_a_finished_run_is_never_replaced(faulty: Path, store: Store) -> None:
    config = Walk(seed=0, milliseconds=0)
    compute_all([config], store)
    before = (store.folder(config.digest) / "record.json").stat()
    kept = store.load(config)
    output = RunOutput(kept.metrics, kept.arrays)
    store.write(config, output, {"seconds": 0.0})
    after = (store.folder(config.digest) / "record.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert not store.halves()
    (store.folder(config.digest) / "metrics.parquet").write_bytes(b"torn")
    store.write(config, output, {"seconds": 0.0})
    store.verify(config.digest)
    assert not store.halves()


def test_a_lease_outlives_nobody(tmp_path: Path) -> None:
    """Its holder finished the run and died before it could say so: nobody asks for that run again."""
    if not lease.KERNEL:
        pytest.skip("this system does not name its boots: pruning removes it")
    process = holder(tmp_path)
    clear_abandoned(tmp_path)
    assert is_leased(tmp_path, "run")
    process.kill()
    process.communicate()
    compute_all([], Store(tmp_path))
    assert not (tmp_path / ".leases").exists()


def test_pruning_leaves_what_is_being_computed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for digest in ("run", "gone"):
        (tmp_path / ".partial" / digest).mkdir(parents=True)
        (tmp_path / f".tmp-{digest}-0").mkdir()
    with Leases(tmp_path) as leases:
        assert leases.take("run")
        assert sorted(path.name for path in store.leftovers()) == [".tmp-gone-0", "gone"]


def test_two_commands_share_the_work(faulty: Path, tmp_path: Path) -> None:
    place = tmp_path / "store"
    both = [begin("check", "faulty/walks", "--jobs", jobs, store=place) for jobs in ("1", "2")]
    ended = [end(process) for process in both]
    assert [code for code, _, _ in ended] == [0, 0]
    assert begun(faulty) == list(range(8))  # each run once, whoever computed it
    assert len(numbers(place)) == 8
    assert not (place / ".leases").exists()
    assert all("Traceback" not in err for _, _, err in ended)
