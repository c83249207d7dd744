"""Questions that were asked, kept beside the runs: `<store>/queue/<id>/job.json`, and what came of each."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from lemmata.record import ExperimentResult, Record
from lemmata.record.record_of import KEPT
from lemmata.run import Store
from lemmata.run.store import keep_json, now
from lemmata.serve.question import Question, requested

FOLDER, JOB, RESULT = "queue", "job.json", "result.json"
State = Literal["waiting", "running", "done", "failed", "cancelled"]
OPEN: tuple[State, ...] = ("waiting", "running")


@dataclass(frozen=True, kw_only=True)
class Job:
    question: Question
    state: State = "waiting"
    number: int = 0  # the order in which they were asked
    requested: str = field(default_factory=now)
    reason: str = ""  # why it failed
    progress: Mapping[str, Any] = field(default_factory=dict)  # of the run under way; not kept

    @property
    def id(self) -> str:
        return self.question.id

    def to_json(self) -> dict[str, Any]:
        """As the page shows it."""
        about = {"id": self.id, "path": self.question.path, "state": self.state, "number": self.number}
        return (
            about
            | self.question.to_json()
            | {"asked": self.requested, "reason": self.reason, "progress": self.progress}
        )


def folder(store: Store, id: str) -> Path:
    return store.root / FOLDER / id


def keep(store: Store, job: Job) -> None:
    data = asdict(job) | {"question": job.question.to_json(), "progress": {}}
    keep_json(folder(store, job.id) / JOB, data | {"asked": data.pop("requested")})


def kept(store: Store) -> list[Job]:
    """Every job of the store, in the order in which they were asked. What was running when a server died waits again;
    one that nobody can read any more, of a paper that is gone, is left out."""
    found = []
    for path in sorted((store.root / FOLDER).glob(f"*/{JOB}")):
        try:
            data = json.loads(path.read_text())
            question = data.pop("question")
            job = Job(
                question=requested(question["experiment"], question["scale"], question["set"]),
                requested=data.pop("asked"),
                **data,
            )
        except Exception:  # of whatever kind: the rest of the queue goes on
            continue
        found.append(replace(job, state="waiting") if job.state == "running" else job)
    return sorted(found, key=lambda job: job.number)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of a job."""

    records: Mapping[str, Record]  # by claim id; of the claims that were left out, the reason
    files: Sequence[str]
    caption: str


def keep_answer(store: Store, id: str, item: ExperimentResult, files: Sequence[str], caption: str) -> None:
    records = [*item.records(limit=KEPT), *item.left_out_records()]
    rows = [record.to_json() for record in records]
    keep_json(folder(store, id) / RESULT, {"rows": rows, "files": files, "caption": caption})


def result(store: Store, id: str) -> Answer | None:
    """None: nothing yet."""
    try:
        data = json.loads((folder(store, id) / RESULT).read_text())
    except (OSError, ValueError):
        return None
    records = map(Record.from_json, data["rows"])
    return Answer(records={one.id: one for one in records}, files=data["files"], caption=data["caption"])
