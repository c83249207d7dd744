"""One run in several processes: the same bits as in one, nothing trained twice, and nobody is missed who dies."""

import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from descent_run import Descent
from lemmata.core import RunOutput, Unattended
from lemmata.run import Store
from lemmata.run.checkpoints import StoredContext
from lemmata.run.execute import help_with, partial_folder
from lemmata.run.shared import LOCK, Enough, SharedRun, replicas_of
from lemmata.train import loop, turns
from obtaining import obtain

LONG = Descent(seeds=tuple(range(6)), steps=400)


def shared(store: Store, config: Descent = LONG) -> SharedRun:
    context = StoredContext(partial_folder(store, config.digest), lambda *_: None, began=float("-inf"))
    return SharedRun(context, lambda: config.digest in store)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each replica was trained from its beginning, in all threads together."""
    found: Counter[str] = Counter()
    train = loop._train

    def counting(*given: Any, context: Any, stage: str, **more: Any) -> Any:
        found[stage] += context.load(stage) is None
        time.sleep(0.01)  # so that others have their turn
        return train(*given, context=context, stage=stage, **more)

    monkeypatch.setattr(loop, "_train", counting)
    return found


def same(one: RunOutput, other: RunOutput) -> bool:
    return all(one.metrics[name].tobytes() == other.metrics[name].tobytes() for name in one.metrics) and all(
        one.arrays[name].tobytes() == other.arrays[name].tobytes() for name in one.arrays
    )


def test_three_at_once_compute_the_bits_of_one(store: Store, trained: Counter[str]) -> None:
    alone, outputs = LONG.execute(Unattended()), list[RunOutput]()
    trained.clear()
    threads = [threading.Thread(target=lambda: outputs.append(LONG.execute(shared(store)))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outputs) == 3
    assert all(same(output, alone) for output in outputs)
    assert trained == {f"train~{number}": 1 for number in range(6)}, "each replica once, by whoever had it first"
    assert replicas_of(partial_folder(store, LONG.digest)) == 6


def test_a_replica_that_was_left_half_way_is_taken_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Dies(Exception):
        pass

    saved = turns.Part.progress

    def dies(self: turns.Part, stage: str, done: int, total: int) -> None:
        saved(self, stage, done, total)
        if stage == "train~2" and done > 0:
            raise Dies

    monkeypatch.setattr(turns.Part, "progress", dies)
    with pytest.raises(Dies):
        LONG.execute(shared(store))
    monkeypatch.undo()
    assert same(LONG.execute(shared(store)), LONG.execute(Unattended()))


def test_what_another_process_holds_is_waited_for(store: Store) -> None:
    first, second = shared(store), shared(store)
    with first.claim("train~0") as mine, second.claim("train~0") as also:
        assert (mine, also) == (True, False)
    with second.claim("train~0") as also:
        assert also, "whoever dies lets go"


def test_help_ends_when_the_run_is_complete_and_leaves_nothing(store: Store) -> None:

    obtain([LONG], store)
    with pytest.raises(Enough):
        LONG.execute(shared(store))
    help_with(LONG, store)
    assert not list(store.root.glob(f".partial/*/*{LOCK}"))
    assert not partial_folder(store, LONG.digest).exists()


def test_helpers_are_processes_and_the_result_is_the_same(tmp_path: Path) -> None:
    """Of a real experiment, whose only run has several seeds: four workers on one run."""
    from lemmata.core import Scale
    from lemmata.core.registry import experiment
    from lemmata.run import compute_all

    config = experiment("association/fig-10").runs(Scale("smoke"))["main"]
    stores = {jobs: Store(tmp_path / str(jobs)) for jobs in (1, 4)}
    for jobs, store in stores.items():
        assert compute_all([config], store, jobs=jobs) == {}
    files = [(store.folder(config.digest) / "arrays.safetensors").read_bytes() for store in stores.values()]
    assert files[0] == files[1]
    results = [store.load(config).metrics for store in stores.values()]
    assert all(results[0][name].tobytes() == results[1][name].tobytes() for name in results[0])
    assert not list(stores[4].root.glob(".partial/*"))
