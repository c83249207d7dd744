"""The engine `ray`: the same bits as without it, whatever is lost on the way; one line where there is no cluster."""

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
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
from lemmata.core.registry import experiment, select
from lemmata.run import Store, compute_all

__all__ = ["faulty"]
INSTALLED = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not INSTALLED, reason="needs the extra `ray`")
needs_processes = pytest.mark.skipif(
    not ray_cluster.POSSIBLE, reason="needs the extra `ray`, and /proc to find workers"
)


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


@needs_processes
def test_a_cluster_started_here_is_of_this_machine_and_this_command_alone(faulty: Path, tmp_path: Path) -> None:
    process = begin("check", "faulty/walks", "--engine", "ray", store=tmp_path / "ray")
    head = await_head(process, faulty)
    places = [ray_cluster.listening(pid) for pid in (process.pid, *ray_cluster.started_by(process.pid))]
    assert sum(map(bool, places)) >= 4, "the command, the head, a node, a worker"
    assert all(is_loopback(address) for place in places for address, _ in place), places
    ((_, port),) = ray_cluster.listening(head)
    ask = f"from ray._raylet import GcsClient; GcsClient(address='127.0.0.1:{port}')"
    with_another = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "another"}
    answer = subprocess.run([sys.executable, "-c", ask], env=with_another, capture_output=True, text=True, timeout=60)
    assert "AuthenticationError" in answer.stderr
    code, _, err = end(process)
    assert code == 0, err


@needs_processes
def test_a_lost_head_is_one_line_and_the_same_command_continues(faulty: Path, tmp_path: Path) -> None:
    place, slow = tmp_path / "ray", "milliseconds=800"
    words = (
        "sweep",
        "faulty/one-fault",
        "--set",
        "fault=none",
        "--set",
        slow,
        "--engine",
        "ray",
        "--out",
        str(tmp_path),
    )
    process = begin(*words, store=place)
    head = await_head(process, faulty)
    time.sleep(3)  # a checkpoint
    ray_cluster.kill(head)
    began = time.monotonic()
    code, out, err = end(process)
    assert time.monotonic() - began < 40, "Ray itself ends the process after 60 s"
    assert (code, out) == (1, ""), err
    assert "lemmata: the Ray cluster is lost" in err
    assert err.endswith("finished runs are kept, run the same command again to continue\n")
    assert "Traceback" not in err
    code, _, err = end(begin(*words, store=place))
    assert code == 0, err
    assert any(int(line.split()[1]) for line in faulty.read_text().splitlines()), "from a checkpoint"
    compute_all([Walk(seed=seed, milliseconds=0) for seed in range(3)], Store(tmp_path / "here"))
    assert sorted(numbers(place).values()) == sorted(numbers(tmp_path / "here").values())
    assert not list(Store(place).leftovers())


@needs_processes
def test_free_cpus_help_with_a_run_and_its_bits_are_the_same(tmp_path: Path) -> None:
    config, place = experiment("association/fig-10").runs(Scale("smoke"))["main"], tmp_path / "ray"
    with ray_cluster.cluster(4):
        code, _, err = end(begin("check", "association/fig-10", "--engine", "ray", store=place))
    assert code in (0, 1), err
    compute_all([config], Store(tmp_path / "here"))
    assert numbers(place) == numbers(tmp_path / "here")
    assert not list(Store(place).leftovers())


@needs_processes
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


@needs_processes
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


def await_head(process: subprocess.Popen[str], tally: Path) -> int:
    """Of the cluster that a command has started, as soon as runs are under way there."""
    await_workers(process, lambda: begun(tally))
    (head,) = (pid for pid, name in ray_cluster.started_by(process.pid).items() if name.endswith("/gcs_server"))
    return head


def is_loopback(address: ray_cluster.Address) -> bool:
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def await_workers(process: subprocess.Popen[str], found: Callable[[], Any]) -> list[int]:
    until = time.monotonic() + 60
    while not (workers := found()):
        assert process.poll() is None, end(process)
        assert time.monotonic() < until
        time.sleep(0.005)
    return workers
