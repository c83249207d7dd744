"""How much XLA makes of a program is chosen once, by whoever comes first; loops are marked to be compiled well."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import pytest

from lemmata.core import optimized_jit
from lemmata.core.jit_options import OPTIMIZE, OPTIONS, has_gpu
from lemmata.run.xla_flags import FLAGS, IN_HASTE, KNOWN, compile_fast, compile_lightly

pytestmark = pytest.mark.skipif(has_gpu(), reason="on a GPU no flags are chosen")
HERE = """
import os
from pathlib import Path
from lemmata.core import optimized_jit
from lemmata.core.jit_options import OPTIMIZE
from lemmata.run.engines.here import Here
from lemmata.run.store import Store
Here(Store(Path({root!r})), lambda *told: None)
import jax.numpy as jnp
assert optimized_jit(lambda x: jnp.sum(x * x))(jnp.ones(3)) == 3
print(OPTIMIZE in os.environ, os.environ["XLA_FLAGS"])
"""


@pytest.fixture
def nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (FLAGS, OPTIMIZE):
        monkeypatch.setenv(name, "")  # so that it is put back
        monkeypatch.delenv(name)


@pytest.mark.usefixtures("nothing_chosen")
def test_what_is_said_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FLAGS, "--mine")
    compile_lightly()
    compile_fast()
    assert os.environ[FLAGS] == "--mine"
    assert OPTIMIZE not in os.environ


@pytest.mark.usefixtures("nothing_chosen")
def test_the_hastier_comes_first() -> None:
    """A command at smoke scale chooses before its engine does."""
    compile_fast()
    compile_lightly()
    assert "optimization_level=0" in os.environ[FLAGS]
    assert OPTIMIZE not in os.environ


@pytest.mark.usefixtures("nothing_chosen")
@pytest.mark.parametrize(("choose", "marked"), [(compile_lightly, KNOWN), (compile_fast, False)])
def test_loops_alone_are_compiled_well(choose: Callable[[], None], marked: bool) -> None:
    choose()
    requested: list[dict[str, Any]] = []

    def jit(function: Callable[..., Any], **how: Any) -> Callable[..., Any]:
        requested.append(how)
        return function

    double = optimized_jit(lambda x: 2 * x, jit=jit, static_argnames="shape")
    assert not requested  # before the first call a command may still choose
    assert [double(1), double(2)] == [2, 4]
    assert requested == [{"static_argnames": "shape"} | ({"compiler_options": OPTIONS} if marked else {})]


def test_marked_programs_compute_the_same() -> None:
    x = jnp.linspace(0.0, 1.0, 7)
    assert jnp.array_equal(optimized_jit(lambda x: 2 * x)(x), 2 * x)


def test_an_engine_compiles_lightly(tmp_path: Path) -> None:
    """And XLA knows the flags and options: it ends the process at a flag that it does not."""
    environment = {name: value for name, value in os.environ.items() if name not in (FLAGS, OPTIMIZE)}
    command = [sys.executable, "-c", HERE.format(root=str(tmp_path))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    marked, flags = done.stdout.strip().split(" ", 1)
    assert marked == str(KNOWN)
    assert flags == (IN_HASTE if KNOWN else "--xla_backend_optimization_level=1")


@pytest.mark.usefixtures("nothing_chosen")
@pytest.mark.parametrize("platforms", ["cpu", "cuda", None])
def test_a_gpu_that_is_not_used_decides_nothing(platforms: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lemmata.core.jit_options.find_spec", lambda name: name == "jax_plugins")
    monkeypatch.setenv("JAX_PLATFORMS", platforms or "")
    compile_lightly()
    assert (FLAGS in os.environ) == (platforms == "cpu")
