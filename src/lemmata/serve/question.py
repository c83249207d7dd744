"""A question: an experiment, a scale, changed assumptions. Its text is the page's address, its digest the job's id."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

from lemmata.core import RunConfig, Scale, UserError, unknown
from lemmata.core.config import digest
from lemmata.core.registry import Selection, full_id, select
from lemmata.core.scale import SCALES, ScaleName
from lemmata.run import Changes, Store, change, require_possible

LONGEST_ID = 200
MOST_KEYS = 60
FIELDS = ("experiment", "scale", "set")


@dataclass(frozen=True, kw_only=True)
class Question:
    experiment: str
    scale: ScaleName = "laptop"
    set: tuple[tuple[str, str], ...] = ()  # sorted by key, so that one question has one id

    @property
    def id(self) -> str:
        return digest(json.dumps([self.experiment, self.scale, self.set]))

    @property
    def path(self) -> str:
        """Its page behind the token: whoever gets it asks the same."""
        pairs = [("scale", self.scale), *(("set", f"{key}={value}") for key, value in self.set)]
        return f"change/{self.experiment}?{urlencode(pairs)}"

    @property
    def changes(self) -> dict[str, str]:
        return dict(self.set)

    @property
    def selection(self) -> Selection:
        return one_experiment(self.experiment)

    def made(self) -> Changes | None:
        """What it changes; None if nothing. Refuses an unknown key and a value that is not possible."""
        return change(self.selection.experiment, Scale(self.scale), self.changes) if self.set else None

    @property
    def configs(self) -> Mapping[str, RunConfig]:
        """The runs that it asks for, by name."""
        made = self.made()
        return made.after if made else self.selection.experiment.runs(Scale(self.scale))

    def check(self, store: Store) -> None:
        """Refuse what cannot be computed, before anything is."""
        require_possible(self.selection.experiment, self.configs.values(), store)

    def to_json(self) -> dict[str, Any]:
        return {"experiment": self.experiment, "scale": self.scale, "set": self.changes}


def one_experiment(wanted: str) -> Selection:
    known_length(wanted)
    found = [one for one in select([full_id(wanted)]) if one.experiment.id == full_id(wanted)]
    if len(found) != 1:
        raise UserError(f"{wanted!r} is no experiment")
    return found[0]


def known_length(wanted: str) -> str:
    if len(wanted) > LONGEST_ID:
        raise UserError(f"an id has at most {LONGEST_ID} characters; this one has {len(wanted)}")
    return wanted


def from_address(experiment: str, scale: str, assignments: Sequence[str]) -> Question:
    """As the page's address says it."""
    pairs = [text.partition("=") for text in assignments]
    for text, (key, equals, _) in zip(assignments, pairs, strict=True):
        if not key or not equals:
            raise UserError(f"set {text[:80]!r} is not possible: write key=value")
    return requested(experiment, scale, {key: value for key, _, value in pairs})


def from_json(body: bytes) -> Question:
    """As the page sends it: strict, like every config."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise UserError("the question is not JSON") from None
    if not isinstance(data, dict) or not set(data) <= set(FIELDS) or not isinstance(data.get("experiment"), str):
        raise UserError(f"a question has the fields {', '.join(FIELDS)}, and no others")
    changes = data.get("set", {})
    texts = isinstance(changes, dict) and all(isinstance(value, str) for value in changes.values())
    if not texts or not isinstance(data.get("scale", "laptop"), str):
        raise UserError("a question's scale is a text, its set a table of texts")
    return requested(data["experiment"], data.get("scale", "laptop"), changes)


def requested(experiment: str, scale: str, changes: Mapping[str, str]) -> Question:
    if len(changes) > MOST_KEYS:
        raise UserError(f"at most {MOST_KEYS} keys can be set at once")
    if scale not in SCALES:
        raise unknown("scale", scale[:40], SCALES)
    id = one_experiment(experiment).experiment.id
    return Question(experiment=id, scale=cast(ScaleName, scale), set=tuple(sorted(changes.items())))
