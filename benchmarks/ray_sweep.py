"""A sweep on a Ray cluster of two nodes that loses a worker and then a node, against the same sweep on this machine.

    python benchmarks/ray_sweep.py            # 200 cells, some ten minutes
    python benchmarks/ray_sweep.py --small    # 24 short cells, about two minutes
    python benchmarks/ray_sweep.py --json

Four CPUs in all, as Ray counts them, on the loopback of this machine alone; needs the extra `ray` and /proc. A worker
is killed after a quarter of the cells, a node with its two CPUs after half. Then one CPU and four compute the cells in
turns, so that whatever else the machine does falls on both; the start of workers is not timed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests"))
os.environ["LEMMATA_PAPER_PATH"] = str(Path(__file__).parents[1] / "tests" / "toy")

from lemmata.run import Store
from ray_cluster import busy_workers, cluster, kill, lose


@dataclass(frozen=True)
class Size:
    cells: int
    steps: int  # of a cell: twenty million take about 0.4 s of CPU
    turns: int
    first: int = 1

    def words(self, place: Path) -> list[str]:
        """A command that sweeps into a store; rates so small that no two cells end alike."""
        rates = ",".join(f"{i}e-9" for i in range(self.first, self.first + self.cells))
        changes = [f"rate={rates}", f"steps={self.steps}", f"every={self.steps // 10}"]
        requested = [word for change in changes for word in ("--set", change)]
        where = ["--scale", "smoke", "--store", str(place), "--out", str(place.with_suffix(".out")), "--json"]
        return [sys.executable, "-m", "lemmata", "sweep", "toy/decay", *requested, *where]


def begin(words: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> tuple[list[Any], str]:
    """The rows that it printed, and what it said."""
    out, err = process.communicate(timeout=1800)
    if process.returncode:
        raise SystemExit(f"the sweep ended with {process.returncode}: {err[-2000:]}")
    return json.loads(out), err


def await_workers(process: subprocess.Popen[str], place: Path, count: int, node: Any) -> list[int]:
    """Those that compute on a node when so many cells are stored."""
    while sum(1 for _ in place.glob("*/record.json")) < count or not (found := busy_workers(node)):
        time.sleep(0.01)
        if process.poll() is not None:
            end(process)
            raise SystemExit("the sweep ended before anything could be killed")
    return found


def disturbed(size: Size, place: Path) -> dict[str, int]:
    """The sweep on two nodes with two CPUs each: one worker is killed, and one node is lost."""
    with cluster(2, 2) as made:
        (node,) = made.worker_nodes
        process = begin([*size.words(place), "--engine", "ray"])
        kill(await_workers(process, place, size.cells // 4, made.head_node)[0])
        await_workers(process, place, size.cells // 2, node)
        lost = lose(made, node)
        rows, err = end(process)
    resumed = sum("its Ray worker is gone" in line for line in err.splitlines())
    return {"rows": len(rows), "lost": lost, "resumed": resumed}


def rate(size: Size, place: Path, *cpus: int) -> tuple[float, float]:
    """Cells a second, from when a fifth is stored, and seconds of CPU a cell."""
    with cluster(*cpus):
        end(begin([*size.words(place), "--engine", "ray"]))
    times = sorted(path.stat().st_mtime for path in place.glob("*/record.json"))[size.cells // 5 :]
    spent = [Store(place).record(digest)["core_seconds"] for digest in Store(place).digests()]
    return (len(times) - 1) / (times[-1] - times[0]), median(spent)


def in_turns(size: Size, folder: Path) -> dict[str, Any]:
    one, four = [], []
    for turn in range(size.turns):
        part = replace(size, cells=size.cells // size.turns, first=1 + turn * size.cells // size.turns)
        one.append(rate(part, folder / f"one{turn}", 1))
        four.append(rate(part, folder / f"four{turn}", 2, 2))
    ratios = [many / few for (few, _), (many, _) in zip(one, four, strict=True)]
    rates = {"one_rate": median([few for few, _ in one]), "four_rate": median([many for many, _ in four])}
    return {**rates, "cell_s": median([spent for _, spent in one]), "speed_ups": sorted(ratios)}


def hashes(place: Path) -> dict[str, dict[str, str]]:
    """Of the files of each run, each hashed again."""
    store = Store(place)
    return {digest: store.verify(digest)["files"] for digest in store.digests()}


def measure(size: Size, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"cores": len(os.sched_getaffinity(0)), **disturbed(size, folder / "ray")}
    end(begin([*size.words(folder / "local"), "--jobs", "2"]))
    ray, local = hashes(folder / "ray"), hashes(folder / "local")
    found |= {"stored": len(ray), "equal": ray == local, "half_written": len(Store(folder / "ray").halves())}
    return found | in_turns(size, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--json", action="store_true")
    requested = parser.parse_args()
    size = Size(24, 5_000_000, turns=1) if requested.small else Size(200, 20_000_000, turns=4)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(size, Path(folder))
    if requested.json:
        print(json.dumps(found))
        return
    equal = "all" if found["equal"] else "NOT ALL"
    print(f"{size.cells} cells of {found['cell_s']:.2f} s of CPU each, on {found['cores']} cores")
    print(f"a worker killed, then a node of two lost with {found['lost']} runs under way on it:")
    print(f"  {found['rows']} rows, {found['stored']} runs stored (required: {size.cells}), {found['resumed']} resumed")
    print(f"  {found['half_written']} half-written; files equal to those of --engine local: {equal} (required: all)")
    rates = f"{found['one_rate']:.2f} cells a second, four {found['four_rate']:.2f}"
    print(f"one Ray worker computes {rates} (medians of {size.turns} turns)")
    turns = ", ".join(f"{ratio:.2f}" for ratio in found["speed_ups"])
    print(f"speed-up of four workers against one, by turns: {turns} (at most {min(4, found['cores'])} here)")


if __name__ == "__main__":
    main()
