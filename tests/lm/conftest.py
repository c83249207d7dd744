"""Every test here has caches of its own, and no network."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from lemmata.lm.model import LanguageModel, load
from lemmata.lm.place import VARIABLE, cache_folder

torch.set_num_threads(1)
USERS_CACHE = cache_folder()


@pytest.fixture(autouse=True)
def own_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "lm-cache"
    monkeypatch.setenv(VARIABLE, str(place))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return place


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **named: Any) -> None:
        raise AssertionError("the network was used without being asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="session")
def real() -> Iterator[LanguageModel]:
    """The default model, which `lemmata lm fetch` has put into the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(USERS_CACHE))
        yield load()
