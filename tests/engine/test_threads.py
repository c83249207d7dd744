"""A run computes in one thread, its linear algebra too: many workers that each use every core wait for one another."""

import os

import pytest

from lemmata.run.threads import LINEAR_ALGEBRA, one_thread_each


def test_processes_that_are_started_have_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = LINEAR_ALGEBRA
    monkeypatch.setenv(first, "3")
    for name in others:
        monkeypatch.delenv(name, raising=False)
    with one_thread_each():
        assert [os.environ[name] for name in LINEAR_ALGEBRA] == ["3", "1", "1"]  # what is said stays
    assert os.environ[first] == "3"
    assert not set(others) & set(os.environ)
