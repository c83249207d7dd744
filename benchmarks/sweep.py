"""What a sweep costs beside its computing: seconds a cell and memory, on the toy paper of the tests.

python benchmarks/sweep.py [--cells 1000] [--json]
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

os.environ["LEMMATA_PAPER_PATH"] = str(Path(__file__).parents[1] / "tests" / "toy")

from lemmata.core import Scale
from lemmata.core.registry import select
from lemmata.run import Store, axis, cells, sweep

REQUIRED_MS, REQUIRED_MB = 5, 30


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def measure(count: int, folder: Path) -> dict[str, float]:
    """In the process's own time: what else the machine does is not the sweep's."""
    store, scale = Store(folder), Scale("smoke")
    (selection,) = select(["toy/decay"])
    list(sweep(selection, scale, cells(selection, scale, [axis("rate=1.1,1.2")]), store))  # programs, provenance
    began, before = time.process_time(), resident_mb()
    values = ",".join(str((i + 1) / (count + 1)) for i in range(count))
    found = cells(selection, scale, [axis(f"rate={values}")])
    done = sum(1 for _ in sweep(selection, scale, found, store))
    spent = time.process_time() - began
    computing = sum(store.record(config.digest)["core_seconds"] for cell in found for config in cell.runs.values())
    beside_ms = 1e3 * (spent - computing) / count
    return {"cells": done, "beside_ms": beside_ms, "grown_mb": resident_mb() - before}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    requested = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(requested.cells, Path(folder))
    if requested.json:
        print(json.dumps(found))
        return
    print(
        f"{found['cells']} cells: {found['beside_ms']:.2f} ms a cell beside computing (required: under {REQUIRED_MS})"
    )
    print(f"memory grew by {found['grown_mb']:.1f} MB (required: under {REQUIRED_MB})")


if __name__ == "__main__":
    main()
