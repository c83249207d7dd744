"""Worker processes on this machine. Each has a pipe of its own, so that a killed one takes nothing with it."""

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import jax

from lemmata.core import RunConfig, UserError
from lemmata.run.compile_cache import use_compile_cache
from lemmata.run.compiling import Compiling
from lemmata.run.engines.engine import NO_WORKERS
from lemmata.run.execute import Progress, Task
from lemmata.run.outcome import Died, Helped, Outcome, Stopped
from lemmata.run.shared import SHARED_FROM
from lemmata.run.store import Store
from lemmata.run.threads import compute_in_one_thread, one_thread_each
from lemmata.run.xla_flags import compile_lightly

MANY_PROGRAMS = 600  # then they are forgotten: they would only fill the memory
READY = "ready"
OFTEN_ENOUGH = (100_000, 20, 50)  # tracing makes objects by the million, and next to none is garbage
SILENT = 60.0  # seconds after which a worker is looked at
PATIENCE = 5.0  # seconds for an idle worker to end by itself


@dataclass
class Worker:
    process: BaseProcess
    line: Any  # our end of a pipe
    digest: str | None = None  # of the run it computes
    kind: str = ""  # of the run it computes, or computed last: it has the programs of that kind
    helps: bool = False  # with a run that another worker computes
    ready: bool = False  # whether it has come to life
    heard: float = field(default_factory=time.monotonic)  # when it last told something, or was looked at


class Local:
    def __init__(self, store: Store, jobs: int, progress: Progress) -> None:
        self.slots = self.workers = jobs
        self._store, self._progress = store, progress
        self._workers: list[Worker] = []

    def start(self, config: RunConfig, *, helps: bool = False) -> None:
        task = Task.of(config, shared=self.workers >= SHARED_FROM, helps=helps)
        idle = [worker for worker in self._workers if worker.digest is None]
        for worker in sorted(idle, key=lambda one: one.kind != config.kind):
            try:
                worker.line.send(task)
            except OSError:  # it was killed while it had nothing to do
                self._dismiss(worker)
                continue
            worker.digest, worker.kind, worker.helps = config.digest, config.kind, helps
            return
        worker = self._hire()
        worker.digest, worker.kind, worker.helps = config.digest, config.kind, helps
        with contextlib.suppress(OSError):  # it died at once: `outcomes` will find that
            worker.line.send(task)

    def outcomes(self, seconds: float) -> Sequence[Outcome]:
        found: list[Outcome] = []
        by_line = {worker.line: worker for worker in self._workers}
        for line in wait(list(by_line), seconds):
            worker = by_line[line]
            try:
                while worker.line.poll():
                    message = worker.line.recv()
                    worker.ready, worker.heard = True, time.monotonic()
                    if message == READY:
                        continue
                    if isinstance(message, tuple):
                        self._progress(*message)
                    else:
                        worker.digest = None
                        found.append(message)
            except (EOFError, OSError):
                self._dismiss(worker)
                if not worker.ready and (worker.process.exitcode or 0) > 0:  # not killed: the next would end likewise
                    raise UserError(NO_WORKERS) from None
                if worker.digest is not None:
                    died = Helped(worker.digest) if worker.helps else None
                    found.append(died or Died(worker.digest, _how(worker.process.exitcode)))
        for worker in self._workers:
            if worker.digest is not None and not worker.helps and time.monotonic() - worker.heard > SILENT:
                worker.heard = time.monotonic()
                if _is_stopped(pid := worker.process.pid):
                    how = f"its process {pid} is stopped and computes nothing; `kill -CONT {pid}` lets it go on"
                    found.append(Stopped(worker.digest, how))
        return found

    def close(self) -> None:
        for worker in self._workers:
            if worker.digest is None:
                try:
                    worker.line.send(None)
                except OSError:
                    continue
            else:
                worker.process.terminate()
        for worker in list(self._workers):
            worker.process.join(PATIENCE)
            self._dismiss(worker)

    def _hire(self) -> Worker:
        spawn = multiprocessing.get_context("spawn")
        mine, its = spawn.Pipe()
        process = spawn.Process(target=_work, args=(its, os.getpid(), self._store.root), daemon=True)
        with one_thread_each():
            process.start()
        its.close()  # ours is the only other end: when the worker dies, the line ends
        self._workers.append(Worker(process, mine))
        return self._workers[-1]

    def _dismiss(self, worker: Worker) -> None:
        if worker.process.is_alive():
            worker.process.kill()
        worker.process.join()
        worker.line.close()
        self._workers.remove(worker)


def _is_stopped(pid: int | None) -> bool:
    """As Linux tells it; elsewhere nobody can say."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "tT"
    except OSError:
        return False


def _how(exit_code: int | None) -> str:
    if exit_code == -signal.SIGKILL:
        return "its process was killed (SIGKILL: the system does so when memory runs out)"
    if exit_code is not None and exit_code < 0:
        return f"its process was ended by {signal.Signals(-exit_code).name}"
    return f"its process ended with exit code {exit_code}"


def _work(line: Any, parent: int, root: Path) -> None:
    """A worker's life: runs, one after another, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, who ends its workers
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    gc.set_threshold(*OFTEN_ENOUGH)
    compute_in_one_thread()
    compile_lightly()
    use_compile_cache()

    def reply(what: Any) -> None:
        try:
            line.send(what)
        except OSError:  # nobody listens any more
            os._exit(1)

    store, compiling = Store(root), Compiling().__enter__()
    reply(READY)
    while (task := _next_task(line)) is not None:
        if compiling.programs > MANY_PROGRAMS:
            jax.clear_caches()
            compiling.programs = 0
        reply(task.attempt(store, lambda *message: reply(message)))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # everything is written; taking its programs apart would keep the parent waiting for seconds


def _next_task(line: Any) -> Any:
    try:
        return line.recv()
    except (EOFError, OSError):  # the parent is gone
        return None


def _end_with(parent: int) -> None:
    """A killed parent must not leave workers computing for nobody."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)
