"""The faulty paper for tests: in this process, and in one of its own that can be killed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lemmata.core import registry
from lemmata.run import Store

FAULTY = Path(__file__).parent / "faulty"


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The faulty paper among the papers; gives the file in which its runs are counted."""
    monkeypatch.setenv(registry.PATHS, str(FAULTY))
    monkeypatch.setenv("FAULTY_TALLY", str(tmp_path / "tally"))
    monkeypatch.delenv("FAULTY_FAULT", raising=False)
    registry.forget()
    yield tmp_path / "tally"
    monkeypatch.undo()
    registry.forget()


def command(*words: str, store: Path) -> list[str]:
    return [sys.executable, "-m", "lemmata", *words, "--scale", "smoke", "--store", str(store)]


def begin(*words: str, store: Path, fault: str = "none") -> subprocess.Popen[str]:
    """A command in a process of its own; the fixture has put the paper into the environment."""
    environment = {**os.environ, "FAULTY_FAULT": fault}
    pipe = subprocess.PIPE
    return subprocess.Popen(command(*words, store=store), stdout=pipe, stderr=pipe, text=True, env=environment)


def end(process: subprocess.Popen[str], within: float = 90) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=within)
    return process.returncode, out, err


def begun(tally: Path) -> list[int]:
    """The seeds of the runs that were begun, as often as they were."""
    return sorted(int(line.split()[0]) for line in tally.read_text().splitlines()) if tally.exists() else []


def numbers(store: Path) -> dict[str, bytes]:
    """What every run of a store says, to the bit."""
    found = {}
    for digest in Store(store).digests():
        result = Store(store).load_digest(digest)
        columns = (*result.metrics.items(), *result.arrays.items())
        found[digest] = b"".join(name.encode() + np.asarray(value).tobytes() for name, value in sorted(columns))
    return found
