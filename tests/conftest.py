"""Fixtures shared by all tests."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import jax
import pytest
from hypothesis import HealthCheck, settings

from differences import SEEN
from lemmata.cli import main
from lemmata.core import registry
from lemmata.run import Store, compile_fast, compute_in_one_thread

compile_fast()
compute_in_one_thread()

TOY = Path(__file__).parent / "toy"
Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., None]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(scope="session")
def smoke_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One store for every smoke-scale run, whichever worker computes it."""
    folder = tmp_path_factory.getbasetemp()
    return Store((folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "smoke")


@pytest.fixture(autouse=True, scope="session")
def share_compiled_programs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """One folder of programs for all workers and the processes they start."""
    folder = tmp_path_factory.getbasetemp()
    place = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "programs"
    os.environ["JAX_COMPILATION_CACHE_DIR"] = str(place)
    os.environ["LEMMATA_CACHE"] = str(place)  # the user's own is left alone
    jax.config.update("jax_compilation_cache_dir", str(place))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The toy paper among the papers, as a folder that is not installed."""
    monkeypatch.setenv(registry.PATHS, str(TOY))
    registry.forget()
    yield TOY
    monkeypatch.undo()
    registry.forget()


@pytest.fixture
def cli(toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """Run a command in an empty folder with the toy paper registered; give its exit code, output and errors."""
    folder = tmp_path / "cwd"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("LEMMATA_STORE", raising=False)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(list(arguments))
        captured = capfd.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return call


@pytest.fixture
def refused(cli: Cli) -> Refused:
    """Check that a command is refused: one line that says why, exit 2, nothing written."""

    def check(*arguments: str, says: str) -> None:
        code, out, err = cli(*arguments)
        assert code == 2
        assert says in err
        assert err.strip().count("\n") == 0
        assert "Traceback" not in err
        assert out == ""
        assert list(Path.cwd().iterdir()) == []

    return check


@pytest.fixture(autouse=True, scope="module")
def forget_compiled_programs() -> Iterator[None]:
    """Modules share few programs: what one compiled would only fill the memory of the next."""
    yield
    jax.clear_caches()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--differences", action="store_true", help="print how far shortcuts are from the plain files")
    parser.addoption("--walk-all", action="store_true", help="change every field of every run, not a sample")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("--differences"):
        for test, value in SEEN.items():
            terminalreporter.write_line(f"{value:.1e}  {test}")


def pytest_configure(config: pytest.Config) -> None:
    """Random inputs are the same each time, and wait for nobody."""
    many = 750 if config.getoption("--walk-all") else 40  # for each of seven surfaces
    calm = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
    settings.register_profile(
        "seeded", derandomize=True, database=None, deadline=None, max_examples=many, suppress_health_check=calm
    )
    settings.load_profile("seeded")
