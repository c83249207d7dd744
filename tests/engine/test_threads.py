"""A run computes in one thread, unless somebody has said how many."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lemmata.run.threads import THREADS, compute_in_one_thread

COUNT = """
import os
from pathlib import Path
from lemmata.run.engines.here import Here
from lemmata.run.store import Store
Here(Store(Path({root!r})), lambda *told: None)
import jax.numpy as jnp
(jnp.ones((512, 512)) @ jnp.ones((512, 512))).block_until_ready()
print(len(os.listdir("/proc/self/task")))
"""


def test_what_is_said_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS, "3")
    compute_in_one_thread()
    assert os.environ[THREADS] == "3"
    monkeypatch.delenv(THREADS)
    compute_in_one_thread()
    assert os.environ[THREADS] == "1"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_jax_listens(tmp_path: Path) -> None:
    """The variable is JAX's own and not documented by it: should a version forget it, this says so."""

    def threads(number: str | None) -> int:
        environment = {name: value for name, value in os.environ.items() if name != THREADS}
        environment |= {THREADS: number} if number else {}
        command = [sys.executable, "-c", COUNT.format(root=str(tmp_path))]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return int(done.stdout)

    assert threads("8") > threads(None) == threads("1")
