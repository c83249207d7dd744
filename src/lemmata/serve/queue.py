"""The queue: one question is computed at a time, in a process of its own; it survives the server."""

import fcntl
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import IO, Any

from lemmata.core import UserError
from lemmata.run import Store
from lemmata.serve import jobs
from lemmata.serve.jobs import OPEN, Job
from lemmata.serve.question import Question

MOST_WAITING = 100


class Queue:
    def __init__(self, store: Store, publish: Callable[[dict[str, Any]], None]) -> None:
        self._store, self._publish = store, publish
        self._jobs = {job.id: job for job in jobs.kept(store)}
        self._lock, self._wake = threading.RLock(), threading.Event()
        self._process: subprocess.Popen[str] | None = None
        self._held: IO[str] | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="queue", daemon=True)

    @property
    def is_ours(self) -> bool:
        """Whether this server works the store's queue off; another one may."""
        return self._held is not None

    def open(self) -> None:
        """Take the queue of this store, if no other server has it, and go on with what waits."""
        try:
            (self._store.root / jobs.FOLDER).mkdir(parents=True, exist_ok=True)
            held = (self._store.root / jobs.FOLDER / ".lock").open("w")
        except OSError:  # a store that cannot be written can still be looked at
            return
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            held.close()
            return
        self._held = held
        self._thread.start()

    def close(self) -> None:
        """Stop computing; what was under way waits for the next server, and continues from its checkpoint."""
        self._closing = True
        self._wake.set()
        self._stop_process()
        if self._held is not None:
            self._thread.join(10)
            self._held.close()
            self._held = None

    def jobs(self) -> list[Job]:
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: job.number)

    def job(self, id: str) -> Job | None:
        return self._jobs.get(id)

    def add(self, question: Question) -> Job:
        """Ask; a question that is being computed, or waits, is not asked twice."""
        if not self.is_ours:
            raise UserError("another server works on this store's queue: ask there, or stop it")
        question.check(self._store)
        with self._lock:
            known = self._jobs.get(question.id)
            if known and known.state in OPEN:
                return known
            if sum(job.state in OPEN for job in self._jobs.values()) >= MOST_WAITING:
                raise UserError(f"{MOST_WAITING} questions wait already")
            number = max((job.number for job in self._jobs.values()), default=0) + 1
            job = Job(question=question, number=number)
            self._keep(job)
        self._wake.set()
        return job

    def cancel(self, id: str) -> Job:
        with self._lock:
            job = self._jobs.get(id)
            if job is None or job.state not in OPEN:
                raise UserError(f"job {id[:40]!r} neither waits nor runs")
            running = job.state == "running"
            job = replace(job, state="cancelled", progress={})
            self._keep(job)
            if running:
                self._stop_process()
        return job

    def _keep(self, job: Job) -> None:
        with self._lock:
            self._jobs[job.id] = job
            jobs.keep(self._store, job)
        self._publish(job.to_json())

    def _stop_process(self) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()

    def _work(self) -> None:
        while not self._closing:
            self._wake.clear()
            with self._lock:
                waiting = sorted(
                    (one for one in self._jobs.values() if one.state == "waiting"), key=lambda one: one.number
                )
            if waiting:
                self._compute(waiting[0])
            else:
                self._wake.wait(60)

    def _compute(self, job: Job) -> None:
        with self._lock:
            if self._closing or self._jobs[job.id].state != "waiting":
                return
            job = replace(job, state="running")
            self._keep(job)
            words = [sys.executable, "-m", "lemmata.serve.worker", str(self._store.root), job.id]
            process = self._process = subprocess.Popen(
                words, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        last: dict[str, Any] = {}
        with process:
            assert process.stdout is not None
            for line in process.stdout:
                last = json.loads(line)
                with self._lock:
                    if self._jobs[job.id].state == "running":
                        self._jobs[job.id] = job = replace(job, progress=last)
                        self._publish(job.to_json())
        self._process = None
        with self._lock:
            if self._jobs[job.id].state != "running":
                return  # cancelled
            if self._closing:
                self._keep(replace(job, state="waiting", progress={}))
            elif process.returncode == 0:
                self._keep(replace(job, state="done", progress={}))
            else:
                why = last.get("refused") or f"its process ended with code {process.returncode}"
                self._keep(replace(job, state="failed", reason=why, progress={}))
