"""Questions that were asked, kept beside the runs: `<store>/queue/<id>/job.json`, and what came of each."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from lemmata.run import Store
from lemmata.run.store import keep_json, now
from lemmata.serve.question import Question, asked

FOLDER, JOB, RESULT = "queue", "job.json", "result.json"
State = Literal["waiting", "running", "done", "failed", "cancelled"]
OPEN: tuple[State, ...] = ("waiting", "running")


@dataclass(frozen=True, kw_only=True)
class Job:
    question: Question
    state: State = "waiting"
    number: int = 0  # the order in which they were asked
    asked: str = field(default_factory=now)
    reason: str = ""  # why it failed
    progress: Mapping[str, Any] = field(default_factory=dict)  # of the run under way; not kept

    @property
    def id(self) -> str:
        return self.question.id

    def row(self) -> dict[str, Any]:
        """As the page shows it."""
        about = {"id": self.id, "path": self.question.path, "state": self.state, "number": self.number}
        return about | self.question.row() | {"asked": self.asked, "reason": self.reason, "progress": self.progress}


def folder(store: Store, id: str) -> Path:
    return store.root / FOLDER / id


def keep(store: Store, job: Job) -> None:
    keep_json(folder(store, job.id) / JOB, {**asdict(job), "question": job.question.row(), "progress": {}})


def kept(store: Store) -> list[Job]:
    """Every job of the store, in the order in which they were asked. What was running when a server died waits again;
    one that nobody can read any more, of a paper that is gone, is left out."""
    found = []
    for path in sorted((store.root / FOLDER).glob(f"*/{JOB}")):
        try:
            data = json.loads(path.read_text())
            question = data.pop("question")
            job = Job(question=asked(question["experiment"], question["scale"], question["set"]), **data)
        except Exception:  # of whatever kind: the rest of the queue goes on
            continue
        found.append(replace(job, state="waiting") if job.state == "running" else job)
    return sorted(found, key=lambda job: job.number)


def result(store: Store, id: str) -> dict[str, Any] | None:
    """What came of a job: verdicts, what was changed, and the claims that were left out; None: nothing yet."""
    try:
        return json.loads((folder(store, id) / RESULT).read_text())
    except (OSError, ValueError):
        return None
