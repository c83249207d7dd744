"""Config -> stored result: compute what is missing, here or in worker processes, and read everything back."""

import json
import multiprocessing
import os
import shutil
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import jax

from lemmata.core import RunConfig, RunResult, UserError, decode, encode, run_type
from lemmata.run.checkpoints import StoredContext, Watcher
from lemmata.run.programs import keep_programs
from lemmata.run.provenance import provenance
from lemmata.run.store import DamagedRun, Store


@runtime_checkable
class Reporter(Protocol):
    """Whoever watches runs being computed."""

    def plan(self, total: int) -> None: ...
    def progress(self, digest: str, kind: str, stage: str, done: int, total: int) -> None: ...
    def finished(self, digest: str, kind: str, seconds: float) -> None: ...
    def damaged(self, digest: str, reason: str) -> None: ...


class Silent:
    def plan(self, total: int) -> None:
        pass

    def progress(self, digest: str, kind: str, stage: str, done: int, total: int) -> None:
        pass

    def finished(self, digest: str, kind: str, seconds: float) -> None:
        pass

    def damaged(self, digest: str, reason: str) -> None:
        pass


def execute(config: RunConfig, store: Store, watch: Watcher) -> float:
    """Compute one run and keep it; return the seconds it took."""
    context = StoredContext(store.root / ".partial" / config.digest, watch)
    began, worked = time.monotonic(), time.process_time()
    output = config.compute(context)
    seconds, worked = time.monotonic() - began, time.process_time() - worked
    # Seconds depend on what else the machine was doing; those of all its cores much less.
    store.write(config, output, {**provenance(), "seconds": round(seconds, 3), "core_seconds": round(worked, 3)})
    context.discard()
    return seconds


def missing(configs: Iterable[RunConfig], store: Store) -> list[RunConfig]:
    """Those of the configs that the store does not hold."""
    return [config for config in configs if config.digest not in store]


def obtain(
    configs: Iterable[RunConfig], store: Store, *, jobs: int = 1, reporter: Reporter | None = None
) -> dict[str, RunResult]:
    """Every config's result by digest; what is missing or damaged is computed first."""
    wanted = {config.digest: config for config in configs}
    fill(wanted.values(), store, jobs=jobs, reporter=reporter)
    return {digest: store.load(config) for digest, config in wanted.items()}


def fill(configs: Iterable[RunConfig], store: Store, *, jobs: int = 1, reporter: Reporter | None = None) -> None:
    """Compute what is missing or damaged, and read nothing back."""
    for _ in filled(configs, store, jobs=jobs, reporter=reporter):
        pass


def filled(
    configs: Iterable[RunConfig], store: Store, *, jobs: int = 1, reporter: Reporter | None = None
) -> Generator[str, None, None]:
    """Each config's digest as soon as the store holds its run: first what is there, then what is missing or damaged, as
    it is computed, the first to be named begun first."""
    reporter = reporter or Silent()
    there: list[str] = []
    lacking: list[RunConfig] = []
    for digest, config in {config.digest: config for config in configs}.items():
        try:
            if digest in store:
                store.verify(digest)
                there.append(digest)
                continue
        except DamagedRun as damage:
            reporter.damaged(digest, str(damage))
            store.remove(digest)
        lacking.append(config)
    if not lacking:
        yield from there
        return
    existed = store.root.exists()
    store.ensure_writable()
    reporter.plan(len(lacking))
    try:
        if jobs > 1 and len(lacking) > 1:
            yield from _execute_in_workers(lacking, there, store, min(jobs, len(lacking)), reporter)
        else:
            yield from there
            yield from _execute_here(lacking, store, reporter)
    except UserError:
        if not existed and not store.digests():  # a refused request leaves nothing behind
            shutil.rmtree(store.root, ignore_errors=True)
        raise


def _execute_here(configs: Sequence[RunConfig], store: Store, reporter: Reporter) -> Iterator[str]:
    keep_programs(store.root)
    for config in configs:
        digest, kind = config.digest, config.kind

        def watch(stage: str, done: int, total: int, digest: str = digest, kind: str = kind) -> None:
            reporter.progress(digest, kind, stage, done, total)

        watch("compile", 0, 1)
        reporter.finished(digest, kind, execute(config, store, watch))
        yield digest


def _execute_in_workers(
    configs: Sequence[RunConfig], there: Sequence[str], store: Store, jobs: int, reporter: Reporter
) -> Iterator[str]:
    """`there`: what needs no computing, given while the workers are at it."""
    spawn = multiprocessing.get_context("spawn")
    events = spawn.Queue()
    with ProcessPoolExecutor(
        jobs, mp_context=spawn, initializer=_start_worker, initargs=(events, os.getpid(), store.root)
    ) as pool:
        texts = [(config.kind, json.dumps(encode(config)), str(store.root)) for config in configs]
        waiting = {pool.submit(_work, *text): config for text, config in zip(texts, configs, strict=True)}
        try:
            yield from there
            while waiting:
                done, _ = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
                while not events.empty():
                    reporter.progress(*events.get())
                for future in done:
                    config = waiting.pop(future)
                    reporter.finished(config.digest, config.kind, future.result())
                    yield config.digest
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


_events: Any = None  # a worker process's line to its parent, set once when the process starts


def _start_worker(events: Any, parent: int, root: Path) -> None:
    global _events
    _events = events
    keep_programs(root)

    def end_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)  # a killed parent must not leave workers computing for nobody

    threading.Thread(target=end_with_parent, daemon=True).start()


def _work(kind: str, text: str, root: str) -> float:
    config = decode(run_type(kind), json.loads(text))
    digest = config.digest
    _events.put((digest, kind, "compile", 0, 1))
    seconds = execute(
        config, Store(Path(root)), lambda stage, done, total: _events.put((digest, kind, stage, done, total))
    )
    jax.clear_caches()  # the next run has other shapes; programs of the last one would only fill the memory
    return seconds
