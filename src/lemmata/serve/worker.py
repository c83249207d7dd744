"""The process that computes one question, so that the page stays quick and a cancelled run ends at once.

`python -m lemmata.serve.worker STORE ID` writes lines of JSON as it goes, and the result beside the job.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from lemmata.core import Scale, UserError
from lemmata.report.figure import draw, save_artefact
from lemmata.report.page_entry import footer_of
from lemmata.run import Reporter, Store, evaluate
from lemmata.serve import jobs

PAUSE = 0.2  # seconds between two lines


class Lines(Reporter):
    """Progress as lines of JSON."""

    def __init__(self) -> None:
        self._planned, self._done, self._spoke, self._began = 0, 0, 0.0, time.monotonic()

    def plan(self, total: int) -> None:
        self._planned = total
        self._say({}, now=True)

    def progress(self, digest: str, kind: str, stage: str, done: int, total: int) -> None:
        self._say({"kind": kind, "run": digest, "stage": stage, "done": done, "total": total}, now=False)

    def finished(self, digest: str, kind: str, seconds: float) -> None:
        self._done += 1
        self._say({"kind": kind, "run": digest}, now=True)

    def failed(self, digest: str, kind: str, reason: str) -> None:
        self._done += 1
        self._say({"kind": kind, "run": digest, "failed": reason}, now=True)

    def _say(self, what: dict[str, Any], *, now: bool) -> None:
        if not now and time.monotonic() - self._spoke < PAUSE:
            return
        self._spoke = time.monotonic()
        share = (self._done + what.get("done", 0) / max(what.get("total", 1), 1)) / max(self._planned, 1)
        elapsed = self._spoke - self._began
        left = elapsed * (1 - share) / share if share > 0 else None
        facts = {"runs_done": self._done, "runs": self._planned, "share": share, "elapsed": elapsed, "left": left}
        print(json.dumps(what | facts), flush=True)


def compute(store: Store, job: jobs.Job) -> None:
    question, scale = job.question, Scale(job.question.scale)
    (item,) = evaluate([question.selection], scale, store, jobs=1, reporter=Lines(), changes=question.changes or None)
    artefact = draw(item)
    saved = save_artefact(
        artefact, jobs.folder(store, job.id), "figure", footer_of(item, f"lemmata serve '{question.path}'")
    )
    files = [path.name for path in (saved.png, saved.svg, saved.csv) if path]
    jobs.keep_answer(store, job.id, item, files, artefact.caption)


def _end_with_the_server() -> None:
    """The server holds the other end of standard input: when it is gone, so is whoever asked."""

    def wait() -> None:
        sys.stdin.buffer.read()
        os._exit(75)

    threading.Thread(target=wait, daemon=True).start()


def main(store_path: str, id: str) -> int:
    _end_with_the_server()
    store = Store(Path(store_path))
    (job,) = [job for job in jobs.kept(store) if job.id == id]
    try:
        compute(store, job)
    except UserError as error:
        print(json.dumps({"refused": str(error)}), flush=True)
        return 2
    return 0


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
