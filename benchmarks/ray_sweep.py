"""A sweep on a Ray cluster of two nodes that loses a worker and then a node, against the same sweep on this machine.

    python benchmarks/ray_sweep.py            # 200 cells, some minutes
    python benchmarks/ray_sweep.py --small    # 24 short cells, about a minute
    python benchmarks/ray_sweep.py --json

Four CPUs in all, as Ray counts them, on the loopback of this machine alone; needs the extra `ray` and /proc. A worker
is killed after a quarter of the cells, a node with its two CPUs after half. Then one CPU and four are timed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests"))
os.environ["LEMMATA_PAPER_PATH"] = str(Path(__file__).parents[1] / "tests" / "toy")

from lemmata.run import Store
from ray_cluster import busy_workers, cluster, kill, lose


@dataclass(frozen=True)
class Size:
    cells: int
    steps: int  # of a cell: twenty million take about 0.4 s of CPU

    def words(self, place: Path) -> list[str]:
        """A command that sweeps into a store; rates so small that no two cells end alike."""
        rates = ",".join(f"{i + 1}e-9" for i in range(self.cells))
        changes = [f"rate={rates}", f"steps={self.steps}", f"every={self.steps // 10}"]
        asked = [word for change in changes for word in ("--set", change)]
        where = ["--scale", "smoke", "--store", str(place), "--out", str(place.with_suffix(".out")), "--json"]
        return [sys.executable, "-m", "lemmata", "sweep", "toy/decay", *asked, *where]


def begin(words: list[str], **environment: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, env={**os.environ, **environment})


def end(process: subprocess.Popen[str]) -> tuple[list[Any], str]:
    """The rows that it printed, and what it said."""
    out, err = process.communicate(timeout=1800)
    if process.returncode:
        raise SystemExit(f"the sweep ended with {process.returncode}: {err[-2000:]}")
    return json.loads(out), err


def await_that(true: Callable[[], Any], process: subprocess.Popen[str]) -> None:
    while not true():
        time.sleep(0.01)
        if process.poll() is not None:
            end(process)
            raise SystemExit("the sweep ended before anything could be killed")


def disturbed(size: Size, place: Path) -> dict[str, int]:
    """The sweep on two nodes with two CPUs each: one worker is killed, and one node is lost."""

    def stored() -> int:
        return sum(1 for _ in place.glob("*/record.json"))

    with cluster(2, 2) as made:
        (node,) = made.worker_nodes
        process = begin([*size.words(place), "--engine", "ray"], RAY_ADDRESS=made.address)
        await_that(lambda: stored() >= size.cells // 4 and busy_workers(made.head_node), process)
        killed = kill(busy_workers(made.head_node)[0])
        await_that(lambda: stored() >= size.cells // 2 and busy_workers(node), process)
        lost = lose(made, node)
        rows, err = end(process)
    resumed = sum("its Ray worker is gone" in line for line in err.splitlines())
    return {"rows": len(rows), "killed": killed, "lost": lost, "resumed": resumed}


def on_ray(size: Size, place: Path, *cpus: int) -> float:
    """Seconds of the command, from its start to its end."""
    with cluster(*cpus) as made:
        began = time.monotonic()
        end(begin([*size.words(place), "--engine", "ray"], RAY_ADDRESS=made.address))
        return time.monotonic() - began


def on_processes(size: Size, place: Path, jobs: int) -> float:
    began = time.monotonic()
    end(begin([*size.words(place), "--jobs", str(jobs)]))
    return time.monotonic() - began


def hashes(place: Path) -> dict[str, dict[str, str]]:
    """Of the files of each run, each hashed again."""
    store = Store(place)
    return {digest: store.verify(digest)["files"] for digest in store.digests()}


def measure(size: Size, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"cores": len(os.sched_getaffinity(0)), **disturbed(size, folder / "ray")}
    found["local_2_s"] = on_processes(size, folder / "local", 2)
    ray, local = hashes(folder / "ray"), hashes(folder / "local")
    found |= {"stored": len(ray), "equal": ray == local, "half_written": len(Store(folder / "ray").halves())}
    found |= {"ray_1_s": on_ray(size, folder / "one", 1), "ray_4_s": on_ray(size, folder / "four", 2, 2)}
    computing = sum(Store(folder / "one").record(digest)["core_seconds"] for digest in local)
    return found | {"cell_s": computing / size.cells, "speed_up": found["ray_1_s"] / found["ray_4_s"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    size = Size(24, 5_000_000) if asked.small else Size(200, 20_000_000)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(size, Path(folder))
    if asked.json:
        print(json.dumps(found))
        return
    equal = "all" if found["equal"] else "NOT ALL"
    print(f"{size.cells} cells of {found['cell_s']:.2f} s of CPU each, on {found['cores']} cores")
    print(f"a worker killed, then a node of two lost with {found['lost']} runs under way on it:")
    print(f"  {found['rows']} rows, {found['stored']} runs stored (required: {size.cells}), {found['resumed']} resumed")
    print(f"  {found['half_written']} half-written; files equal to those of --engine local: {equal} (required: all)")
    for name, what in (("ray_1_s", "one Ray worker"), ("ray_4_s", "four Ray workers"), ("local_2_s", "local, 2 jobs")):
        print(f"{what:>16}: {found[name]:6.1f} s, {size.cells / found[name]:.2f} cells a second")
    print(f"speed-up of four workers against one: {found['speed_up']:.2f} (at most {min(4, found['cores'])} here)")


if __name__ == "__main__":
    main()
