"""Engines: where runs are computed, in what order, and what they cost."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from conftest import Cli
from descent_run import Descent
from faulty.run.walk import Walk
from faulty_paper import faulty
from lemmata.core import UserError
from lemmata.core.engine import Resources
from lemmata.run import Store, compile_cache, trim_compile_cache
from lemmata.run.compiling import Compiling
from lemmata.run.engines import Engine, start_engine
from lemmata.run.engines.here import Here
from lemmata.run.engines.local import Local
from lemmata.run.execute import Task
from lemmata.run.outcome import Refused
from lemmata.run.queue_order import largest_first, shape
from obtaining import obtain

__all__ = ["faulty"]
UNGUARDED = """
from pathlib import Path
from faulty.run.walk import Walk
from lemmata.run import Store, compute_all
from obtaining import obtain
compute_all([Walk(seed=0), Walk(seed=1)], Store(Path("store")), jobs=2)
"""


def test_an_engine_has_three_functions(store: Store) -> None:
    for jobs, kind in ((1, Here), (2, Local)):
        engine = start_engine("local", store, jobs, lambda *_: None)
        assert isinstance(engine, kind)
        assert isinstance(engine, Engine)
        assert engine.slots == jobs
        assert list(engine.outcomes(0.0)) == []
        engine.close()
    with pytest.raises(UserError, match="unknown engine 'rai': did you mean 'ray'"):
        start_engine("rai", store, 1, lambda *_: None)


def test_workers_that_cannot_start_are_one_error(faulty: Path, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(UNGUARDED)
    path = f"{Path(__file__).parents[1]}:{Path(__file__).parents[2] / 'src'}"
    requested = [sys.executable, "-W", "ignore", "script.py"]
    done = subprocess.run(requested, cwd=tmp_path, capture_output=True, text=True, env={"PYTHONPATH": path}, timeout=60)
    assert done.returncode == 1
    assert "a script that asks for several jobs does so beneath" in done.stderr
    assert not (tmp_path / "store").exists()


def test_the_largest_comes_first(faulty: Path, store: Store) -> None:
    obtain([Walk(seed=0, steps=2, milliseconds=1), Walk(seed=0, steps=30, milliseconds=3)], store)
    small, large, new = Walk(seed=5, steps=2, milliseconds=1), Walk(seed=5, steps=30, milliseconds=3), Walk(steps=7)
    assert shape(small) == shape(Walk(seed=9, steps=2, milliseconds=1, replication=3)) != shape(large)
    assert largest_first([small, large, new], store) == [new, large, small]
    (store.root / "broken").mkdir()
    (store.root / "broken" / "record.json").write_text("[]")
    assert largest_first([small, large], store) == [large, small]
    assert largest_first([small, large], Store(store.root / "none")) == [small, large]


def test_compiling_is_timed_once() -> None:
    with Compiling() as compiling:
        jax.jit(lambda x: jax.jit(lambda y: y * 3 + 1)(x) ** 2)(jnp.arange(7.0))
    assert compiling.programs >= 1
    spent = compiling.seconds
    assert spent > 0
    jax.jit(lambda x: x * 17)(jnp.arange(5.0))
    assert compiling.seconds == spent  # it listens only while it is entered
    nested = Compiling()
    for duration in (0.0, 0.0, 10.0):  # the last piece began before the others, and contains them
        nested.hear("/jax/core/compile/jaxpr_trace_duration", duration)
    nested.hear("/jax/another/event", 50.0)
    assert nested.seconds == pytest.approx(10.0)


def test_records_and_listings_say_what_compiling_cost(cli: Cli) -> None:
    jax.clear_caches()
    cli("check", "toy/decay", "--scale", "smoke", "--jobs", "1")
    _, out, _ = cli("runs", "list", "--json")
    (record,) = json.loads(out)
    assert 0 < record["compile_seconds"] <= record["seconds"]
    _, out, _ = cli("runs", "list")
    assert "compiling" in out


def test_programs_are_bounded_and_pruned(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("check", "toy/decay", "--scale", "smoke", "--jobs", "1")
    monkeypatch.setenv(compile_cache.PLACE, str(Path("cache").resolve()))
    folder = compile_cache.cache_folder()
    folder.mkdir(parents=True)
    for age, name in enumerate(("new", "old", "oldest")):
        (folder / name).write_bytes(bytes(100))
        os.utime(folder / name, (10**9 - age, 10**9 - age))
    assert trim_compile_cache(1000) == []
    assert [path.name for path in trim_compile_cache(150, delete=False)] == ["oldest", "old"]
    assert len(list(folder.iterdir())) == 3
    monkeypatch.setattr(compile_cache, "LARGEST", 250)
    monkeypatch.setattr("lemmata.commands.store.papers", dict)  # which runs are stale is not asked here
    _, out, _ = cli("runs", "prune", "--json")
    assert json.loads(out) == {"would_delete": [], "programs": 1}
    code, out, _ = cli("runs", "prune", "--yes")
    assert code == 0
    assert "deleted 1 compiled program," in out
    assert sorted(path.name for path in folder.iterdir()) == ["new", "old"]


def test_a_run_says_what_it_asks_for() -> None:
    assert Walk().resources() == Resources(cpus=1, gpus=0, memory=0)


def test_a_worker_of_other_code_is_refused(store: Store) -> None:
    task = Task.of(Descent(steps=20))
    other = replace(task, code=("lemmata 0.0.1", *task.code[1:]))
    outcome = other.attempt(store, lambda *_: None)
    assert isinstance(outcome, Refused)
    assert "lemmata 0.0.1 asks" in outcome.message
    assert store.digests() == []
