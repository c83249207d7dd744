"""Kills at random moments, of workers (Ray's, too) and of the command itself: in the end every run is there once, to
the bit."""

import contextlib
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ray_cluster
from faulty_paper import begin, faulty, numbers
from lemmata.core import Scale
from lemmata.core.registry import select
from lemmata.run import Store, compute_all

__all__ = ["faulty"]
KILLS, MANY_KILLS = 5, 100  # of all engines together; without Ray, the other takes them all
SHARE = {"local": 0.6, "ray": 0.4} if ray_cluster.POSSIBLE else {"local": 1.0}
WORDS = {"local": ("check", "faulty/walks", "--jobs", "2"), "ray": ("check", "faulty/walks", "--engine", "ray")}
Workers = Callable[[int], list[int]]  # of a command's process
needs_ray = pytest.mark.skipif(not ray_cluster.POSSIBLE, reason="needs the extra `ray`, and /proc to find workers")


def workers(parent: int) -> list[int]:
    """Processes that the command started for runs (one more keeps track of what they share)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[1]) == parent:
                words = (path.parent / "cmdline").read_text()
                found += [int(path.parent.name)] if "spawn_main" in words else []
        except (OSError, ValueError):
            continue
    return found


def traces(place: Path) -> set[tuple[str, int]]:
    """What runs have left so far: checkpoints and results, each with its time."""
    found = set()
    for path in (*place.glob(".partial/*/*.safetensors"), *place.glob("*/record.json")):
        try:
            found.add((str(path), path.stat().st_mtime_ns))
        except FileNotFoundError:
            continue
    return found


def await_work(process: subprocess.Popen[str], place: Path) -> None:
    """Until a run makes progress, else only processes that start would be killed."""
    before, until = traces(place), time.monotonic() + 30
    while process.poll() is None and traces(place) == before and time.monotonic() < until:
        time.sleep(0.01)


@contextlib.contextmanager
def workers_of(engine: str) -> Iterator[Workers]:
    """How to find those that compute; for Ray, on a cluster that outlives the commands."""
    if engine == "local":
        yield workers
    else:
        with ray_cluster.cluster(1, 1) as made:
            yield lambda _: ray_cluster.busy_workers(made.head_node, *made.worker_nodes)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to find workers")
@pytest.mark.parametrize("engine", ["local", pytest.param("ray", marks=needs_ray)])
def test_random_kills_change_nothing(engine: str, faulty: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    chance = random.Random(7)
    many = request.config.getoption("--walk-all")
    wanted = round((MANY_KILLS if many else KILLS) * SHARE[engine])
    configs = [config for one in select(["faulty/walks"]) for config in one.experiment.runs(Scale("smoke")).values()]
    compute_all(configs, Store(tmp_path / "whole"))
    whole = numbers(tmp_path / "whole")
    assert len(whole) == 8
    killed, rounds = Counter[str](), 0
    with workers_of(engine) as found:
        while killed.total() < wanted:
            place = tmp_path / f"round{rounds}"
            disturb(WORDS[engine], place, found, chance, wanted, killed)
            rounds += 1
            assert numbers(place) == whole
            assert not (place / ".leases").exists()
            assert not Store(place).halves()
    assert killed.total() == wanted
    assert killed["worker"]
    assert killed["command"] or not many
    print(f"{engine}: {dict(killed)} killed in {rounds} rounds")


def disturb(
    words: tuple[str, ...], place: Path, found: Workers, chance: random.Random, wanted: int, killed: Counter[str]
) -> None:
    """One command from nothing to its end, killed and begun again until as many are killed, the first one a worker."""
    code = None
    while code != 0:
        process = begin(*words, store=place)
        while process.poll() is None and killed.total() < wanted:
            if chance.random() < 0.8:
                await_work(process, place)
            time.sleep(chance.uniform(0, 0.3))
            victims = dict.fromkeys(found(process.pid), "worker")
            if killed["worker"]:
                victims = {**victims, process.pid: "command"} if chance.random() < 0.8 else {process.pid: "command"}
            victim = chance.choice(list(victims) or [0])
            if victim and process.poll() is None and ray_cluster.kill(victim):
                killed[victims[victim]] += 1
        _, err = process.communicate(timeout=120)
        code = process.returncode
        # A worker that is being started when its command is killed reads nothing, and Python itself says so.
        orphaned = code == -signal.SIGKILL and "EOFError: Ran out of input" in err
        assert err.count("Traceback") == (err.count("EOFError: Ran out of input") if orphaned else 0)
        assert code in (0, 1, -signal.SIGKILL), err
