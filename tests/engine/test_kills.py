"""Kills at random moments, of workers and of the command itself: in the end every run is there once, to the bit."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from faulty_paper import begin, faulty, numbers
from lemmata.core import Scale, select
from lemmata.run import Store, fill

__all__ = ["faulty"]
KILLS, MANY_KILLS = 5, 100
WORDS = ("check", "faulty/walks", "--jobs", "2")


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


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to find workers")
def test_random_kills_change_nothing(faulty: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    chance = random.Random(7)
    wanted = MANY_KILLS if request.config.getoption("--walk-all") else KILLS
    configs = [config for one in select(["faulty/walks"]) for config in one.experiment.runs(Scale("smoke")).values()]
    fill(configs, Store(tmp_path / "whole"))
    whole = numbers(tmp_path / "whole")
    assert len(whole) == 8
    killed, rounds = 0, 0
    while killed < wanted:
        place = tmp_path / f"round{rounds}"
        killed += disturb(place, chance, wanted - killed)
        rounds += 1
        assert numbers(place) == whole
        assert not (place / ".leases").exists()
        assert not Store(place).halves()
    assert killed == wanted


def disturb(place: Path, chance: random.Random, most: int) -> int:
    """One command from nothing to its end, killed and begun again; how many processes were killed."""
    killed, code = 0, None
    while code != 0:
        process = begin(*WORDS, store=place)
        while process.poll() is None and killed < most:
            if chance.random() < 0.8:
                await_work(process, place)
            time.sleep(chance.uniform(0, 0.3))
            victims = [*workers(process.pid), process.pid] if chance.random() < 0.8 else [process.pid]
            victim = chance.choice(victims)
            if process.poll() is None:
                try:
                    os.kill(victim, signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    continue
        _, err = process.communicate(timeout=120)
        code = process.returncode
        assert "Traceback" not in err
        assert code in (0, 1, -signal.SIGKILL)
    return killed
