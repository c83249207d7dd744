"""How much XLA makes of a program is chosen once, by whoever comes first."""

import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from lemmata.run.hasty import FLAGS, KNOWN_TO, ONE_PART, compile_hastily, compile_lightly

pytestmark = pytest.mark.skipif(find_spec("jax_plugins") is not None, reason="on a GPU no flags are chosen")
HERE = """
import os
from pathlib import Path
from lemmata.run.engines.here import Here
from lemmata.run.store import Store
Here(Store(Path({root!r})), lambda *told: None)
import jax.numpy as jnp
jnp.ones(3).sum().block_until_ready()
print(os.environ["XLA_FLAGS"])
"""


def test_what_is_said_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FLAGS, "--mine")
    compile_lightly()
    compile_hastily()
    assert os.environ[FLAGS] == "--mine"


def test_the_hastier_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command at smoke scale chooses before its engine does."""
    monkeypatch.setenv(FLAGS, "")
    monkeypatch.delenv(FLAGS)
    compile_hastily()
    compile_lightly()
    assert "optimization_level=0" in os.environ[FLAGS]


def test_an_engine_compiles_lightly(tmp_path: Path) -> None:
    """And XLA knows the flags: it ends the process at one that it does not."""
    environment = {name: value for name, value in os.environ.items() if name != FLAGS}
    command = [sys.executable, "-c", HERE.format(root=str(tmp_path))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    level, *others = done.stdout.split()
    assert level == "--xla_backend_optimization_level=1"
    assert others == ([ONE_PART] if version("jaxlib").startswith(KNOWN_TO) else [])
