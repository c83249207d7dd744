"""Fixtures shared by all tests."""

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from lemmata.run import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(autouse=True, scope="module")
def forget_compiled_programs() -> Iterator[None]:
    """Modules share few programs: what one compiled would only fill the memory of the next."""
    yield
    jax.clear_caches()
