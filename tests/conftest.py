"""Fixtures shared by all tests."""

from pathlib import Path

import pytest

from lemmata.run import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")
