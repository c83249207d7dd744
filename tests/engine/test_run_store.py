"""The store keeps runs whole, finds damage, and a killed run continues to the same bits."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from descent_run import Descent
from lemmata.core import Checkpoint, Unattended, UserError
from lemmata.run import DamagedRun, Reporter, Store, checkpoints, query
from lemmata.run.checkpoints import StoredContext
from obtaining import obtain


class Killed(Exception):
    pass


class DiesAfter:
    """A context that keeps every checkpoint and dies after a number of looks."""

    def __init__(self, looks: int) -> None:
        self.looks, self.saved = looks, {}

    def progress(self, stage: str, done: int, total: int) -> None:
        self.looks -= 1

    def save(self, stage: str, checkpoint: Checkpoint) -> None:
        self.saved[stage] = checkpoint
        if self.looks <= 0:
            raise Killed

    def load(self, stage: str) -> Checkpoint | None:
        return self.saved.get(stage)


def same_bits(first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]) -> bool:
    return first.keys() == second.keys() and all(
        np.asarray(first[name]).tobytes() == np.asarray(second[name]).tobytes() for name in first
    )


def test_resumed_equals_uninterrupted() -> None:
    whole = Descent().execute(Unattended())
    context = DiesAfter(looks=1)
    with pytest.raises(Killed):
        Descent().execute(context)
    assert 0 < context.saved["train"].step < 21
    context.looks = 1000
    resumed = Descent().execute(context)
    assert same_bits(resumed.metrics, whole.metrics)
    assert same_bits(resumed.arrays, whole.arrays)


def test_a_seed_does_not_depend_on_its_batch() -> None:
    together, alone = Descent().execute(Unattended()), Descent(seeds=(1,)).execute(Unattended())
    mine = together.metrics["seed"] == 1
    assert together.metrics["loss"][mine].tobytes() == alone.metrics["loss"].tobytes()
    assert together.arrays["model"][1].tobytes() == alone.arrays["model"][0].tobytes()


def test_nothing_is_computed_twice(store: Store) -> None:
    config = Descent(steps=20)
    first = obtain([config, config], store)[config.digest]
    stamp = (store.folder(config.digest) / "record.json").stat().st_mtime_ns
    second = obtain([config], store)[config.digest]
    assert stamp == (store.folder(config.digest) / "record.json").stat().st_mtime_ns
    assert same_bits(first.metrics, second.metrics)
    assert second.config == config
    assert second.arrays["scalar"].shape == ()
    assert second.record["config"]["steps"] == 20
    assert not list(store.leftovers())


@pytest.mark.parametrize("name", ["metrics.parquet", "arrays.safetensors", "record.json"])
def test_a_flipped_byte_is_found_and_recomputed(store: Store, name: str) -> None:
    config = Descent(steps=20)
    before = obtain([config], store)[config.digest]
    path = store.folder(config.digest) / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(DamagedRun):
        store.verify(config.digest)

    class Watcher(Reporter):
        found: ClassVar[list[str]] = []

        def damaged(self, digest: str, reason: str) -> None:
            self.found.append(digest)

    after = obtain([config], store, reporter=Watcher())[config.digest]
    assert Watcher.found[-1] == config.digest
    assert same_bits(after.metrics, before.metrics)
    store.verify(config.digest)


def test_damaged_checkpoint_starts_again(tmp_path: Path) -> None:
    context = StoredContext(tmp_path / "partial", lambda *_: None, began=float("-inf"))
    context.save("train", Checkpoint(3, {"x": np.arange(4.0)}))
    loaded = context.load("train")
    assert loaded is not None
    assert (loaded.step, loaded.arrays["x"].tolist()) == (3, [0, 1, 2, 3])
    (tmp_path / "partial" / "train.safetensors").write_bytes(b"torn")
    assert context.load("train") is None


def test_a_checkpoint_of_a_run_that_is_finished_elsewhere_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that was taken for dead may end first, and discards the checkpoints of both."""
    context = StoredContext(tmp_path / "store" / ".partial" / "run", lambda *_: None, began=float("-inf"))
    save = checkpoints.save_file

    def overtaken(*given: Any, **more: Any) -> None:
        StoredContext(context.folder, lambda *_: None).discard()
        save(*given, **more)

    monkeypatch.setattr(checkpoints, "save_file", overtaken)
    context.save("train", Checkpoint(3, {"x": np.arange(4.0)}))
    assert context.load("train") is None
    assert not context.folder.exists()
    monkeypatch.setattr(checkpoints, "save_file", save)
    context.save("train", Checkpoint(4, {"x": np.arange(4.0)}))
    assert context.load("train") is not None


def test_unwritable_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        obtain([Descent(steps=20)], Store(tmp_path / "file" / "store"))


def test_query_sees_every_run(store: Store) -> None:
    configs = [Descent(steps=20), Descent(steps=40)]
    obtain(configs, store)
    columns, rows = query(store, "SELECT run, count(*) AS n FROM metrics GROUP BY run ORDER BY n")
    assert columns == ["run", "n"]
    assert rows == [(configs[0].digest, 9), (configs[1].digest, 15)]
    _, rows = query(store, 'SELECT max(loss) FROM "test/descent"')
    assert rows[0][0] > 0
    _, rows = query(store, "SELECT config FROM runs WHERE rows = 9")
    assert rows[0][0]["steps"] == 20
    with pytest.raises(UserError, match="query:"):
        query(store, "SELECT nothing FROM nowhere")
