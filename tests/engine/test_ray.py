"""The engine `ray`: the same bits as without it, whatever is lost on the way; one line where there is no cluster."""

import contextlib
import importlib.util
import json
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ray_cluster
from conftest import Refused
from faulty.run.walk import Walk
from faulty_paper import begin, begun, end, faulty, numbers
from lemmata.core import Scale
from lemmata.core.registry import select
from lemmata.run import Store, compute_all

__all__ = ["faulty"]
INSTALLED = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not INSTALLED, reason="needs the extra `ray`")


@pytest.mark.skipif(INSTALLED, reason="Ray is installed here")
def test_without_ray_one_line_says_so(refused: Refused) -> None:
    refused("check", "toy", "--scale", "smoke", "--engine", "ray", says="pip install 'lemmata[ray]'")


@needs_ray
def test_an_address_where_nothing_answers_is_refused(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(socket.socket()) as bound:  # and does not listen
        bound.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        monkeypatch.setenv("RAY_ADDRESS", address)
        began = time.monotonic()
        refused(
            "check", "toy", "--scale", "smoke", "--engine", "ray", says=f"RAY_ADDRESS = '{address}' is not possible"
        )
    assert time.monotonic() - began < 30  # Ray itself tries for minutes


@needs_ray
def test_ray_gives_the_same_bits_and_survives(faulty: Path, tmp_path: Path) -> None:
    words = ("check", "faulty/one-fault", "--engine", "ray", "--json")
    code, out, err = end(begin(*words, store=tmp_path / "ray", fault="die once"))
    assert code == 0, err
    assert [row["status"] for row in json.loads(out)] == ["holds"] * 3
    assert "its Ray worker is gone" in err
    assert begun(faulty) == [0, 1, 1, 2]
    compute_all([Walk(seed=0), Walk(seed=2)], Store(tmp_path / "here"))
    assert numbers(tmp_path / "here").items() <= numbers(tmp_path / "ray").items()
    code, out, err = end(begin(*words, store=tmp_path / "ray", fault="raise"))
    assert code == 1
    assert [row["status"] for row in json.loads(out)] == ["holds", "undecided", "holds"]
    assert "Traceback" not in err


@pytest.mark.skipif(not ray_cluster.POSSIBLE, reason="needs the extra `ray`, and /proc to find workers")
def test_a_lost_worker_and_a_lost_node_lose_no_run(faulty: Path, tmp_path: Path) -> None:
    place = tmp_path / "ray"

    def stored() -> int:
        return len(Store(place).digests())

    with ray_cluster.cluster(1, 1) as made:
        (node,) = made.worker_nodes
        process = begin("check", "faulty/walks", "--engine", "ray", "--json", store=place)
        on_head = await_workers(process, lambda: stored() >= 1 and ray_cluster.busy_workers(made.head_node))
        ray_cluster.kill(on_head[0])
        await_workers(process, lambda: stored() >= 3 and ray_cluster.busy_workers(node))
        ray_cluster.lose(made, node)
        code, out, err = end(process)
    assert code == 0, err
    assert {row["status"] for row in json.loads(out)} == {"holds"}  # nothing that Ray says is among them
    assert "raylet" not in err
    assert "Traceback" not in err
    lost = err.count("its Ray worker is gone")
    assert lost in (1, 2)  # a run may end at the very moment
    configs = [config for one in select(["faulty/walks"]) for config in one.experiment.runs(Scale("smoke")).values()]
    compute_all(configs, Store(tmp_path / "here"))
    assert numbers(place) == numbers(tmp_path / "here")
    assert len(begun(faulty)) <= len(configs) + lost + len(configs)  # only what was lost is begun again
    assert not list(Store(place).leftovers())


@pytest.mark.skipif(not ray_cluster.POSSIBLE, reason="needs the extra `ray`, and /proc to find workers")
def test_a_cluster_works_in_the_environment_of_the_command(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JAX reads some of it on import, which is before a task begins."""
    place, chosen = tmp_path / "store", tmp_path / "chosen"
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    with ray_cluster.cluster(1):
        monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(chosen))  # the cluster was begun without it
        code, _, err = end(begin("check", "toy/decay", "--engine", "ray", store=place))
    assert code == 0, err
    assert len(Store(place).digests()) == 1
    assert list(chosen.iterdir())


def await_workers(process: subprocess.Popen[str], found: Callable[[], Any]) -> list[int]:
    until = time.monotonic() + 60
    while not (workers := found()):
        assert process.poll() is None, end(process)
        assert time.monotonic() < until
        time.sleep(0.005)
    return workers
