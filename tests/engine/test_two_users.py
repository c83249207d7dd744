"""Two users and one store: neither takes what the other holds, and each reads what the other has kept."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Cli
from descent_run import Descent
from lemmata.run import Store, compute_all, lease
from lemmata.run.lease import Leases, clear_abandoned, is_leased

OTHER = 65534  # nobody
pytestmark = pytest.mark.skipif(
    not hasattr(os, "setresuid") or os.geteuid() != 0, reason="only root can be two users: run it as root"
)


@contextlib.contextmanager
def other_user() -> Iterator[None]:
    """This process as another user's. (Not another process: Python itself may stand where only root reads.)"""
    groups = os.getgroups()
    os.setgroups([])
    os.setresgid(OTHER, OTHER, 0)
    os.setresuid(OTHER, OTHER, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
        os.setgroups(groups)


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Path]:
    """A store whose group may write, as the documents say, and whose parents the other user may pass."""
    mine = [path for path in (tmp_path, *tmp_path.parents) if not path.stat().st_mode & 0o001]
    modes = {path: path.stat().st_mode for path in mine}
    for path, mode in modes.items():
        path.chmod(mode | 0o011)
    store = tmp_path / "store"
    store.mkdir()
    os.chown(store, 0, OTHER)
    store.chmod(0o2775)
    mask = os.umask(0o002)
    yield store
    os.umask(mask)
    for path, mode in modes.items():
        path.chmod(mode)


def test_a_living_lease_of_another_user_is_left_alone(shared: Path) -> None:
    if not lease.KERNEL:
        pytest.skip("this system does not name its boots: the heartbeat alone decides")
    for mode in (0o600, 0o644, 0o664):
        with Leases(shared) as mine:
            assert mine.take("run")
            (shared / ".leases" / "run").chmod(mode)
            with other_user():
                clear_abandoned(shared)
                with Leases(shared) as theirs:
                    assert is_leased(shared, "run")
                    assert not theirs.take("run")
                    assert theirs.take("another")
            assert (shared / ".leases" / "run").exists()


def test_each_reads_what_the_other_has_kept(shared: Path) -> None:
    store, first, second = Store(shared), Descent(steps=20), Descent(steps=30)
    compute_all([first], Store(shared.parent / "warm"))  # what is imported late is imported
    with other_user():
        assert compute_all([first], store) == {}
    assert (shared / first.digest).stat().st_uid == OTHER
    assert compute_all([first, second], store) == {}
    with other_user():
        assert compute_all([first, second], store) == {}
        assert len(store.digests()) == 2
        store.load(second)
    assert (shared / first.digest / "record.json").stat().st_uid == OTHER, "it was not computed again"


def test_a_store_that_the_other_may_only_read_is_judged(cli: Cli, shared: Path) -> None:
    words = ("check", "toy/decay", "--scale", "smoke", "--jobs", "1", "--json", "--store", str(shared))
    code, out, _ = cli(*words)
    for path in (shared, *shared.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with other_user():
        again, checked, err = cli(*words)
    assert (again, json.loads(checked)) == (code, json.loads(out))
    assert err == ""
    shared.chmod(0o700)
    with other_user():
        again, checked, err = cli(*words)
    assert (again, checked, err.strip().count("\n")) == (2, "", 0)
    assert "Permission denied" in err
