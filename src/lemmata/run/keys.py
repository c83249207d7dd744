"""The keys that `--set` takes in an experiment: what each may hold, what it holds, and what it holds at the paper's
scale."""

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lemmata.core import Experiment, RunConfig, Scale, described, field_note


@dataclass(frozen=True)
class Key:
    key: str
    allowed: str  # in words
    note: str = ""  # what the code says of it
    held: dict[str, list[str]] = field(default_factory=dict)  # value, as JSON -> names of the runs that hold it
    paper: tuple[str, ...] = ()  # values at the paper's scale, as JSON
    sets: str = ""  # the list of other runs that it means too, and sets to one value

    def row(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def keys(experiment: Experiment, scale: Scale) -> list[Key]:
    """Every key of every run; a key that is told apart by what it may hold stands once for each."""
    found: dict[tuple[str, str], Key] = {}
    for name, config in experiment.runs(scale).items():
        for key, allowed, value in described(config):
            one = found.setdefault((key, allowed), Key(key, allowed, field_note(config, key)))
            one.held.setdefault(_text(value), []).append(name)
    own = _values(experiment.runs(Scale("paper")).values())
    lists = _lists_set_by(experiment.runs(scale).values())
    told = [
        dataclasses.replace(one, paper=tuple(own.get((one.key, one.allowed), {})), sets=lists.get(one.key, ""))
        for one in found.values()
    ]
    names = {one.key for one in told}
    return told + [Key(key, f"one value of {of}", sets=of) for key, of in lists.items() if key not in names]


def _values(configs: Iterable[RunConfig]) -> dict[tuple[str, str], dict[str, None]]:
    """(key, what it may hold) -> its values, each once."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for config in configs:
        for key, allowed, value in described(config):
            found.setdefault((key, allowed), {})[_text(value)] = None
    return found


def _lists_set_by(configs: Iterable[RunConfig]) -> dict[str, str]:
    """A key that means what a run has a list of -> that list, which it sets to one value."""
    fields = (one for config in configs for one in dataclasses.fields(config))
    return {one.metadata["also"]: one.name for one in fields if "also" in one.metadata}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
