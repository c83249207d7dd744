"""The keys that `--set` takes in an experiment: what each may hold, what it holds, and what it holds at the paper's
scale."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lemmata.core import Experiment, RunConfig, Scale
from lemmata.core.config import described
from lemmata.core.field_comments import field_comment
from lemmata.run.usual_fields import Group, group, meaning


@dataclass(frozen=True)
class Key:
    key: str
    allowed: str  # in words
    note: str = ""  # what the code says of it
    held: dict[str, list[str]] = field(default_factory=dict)  # value, as JSON -> names of the runs that hold it
    paper: tuple[str, ...] = ()  # values at the paper's scale, as JSON
    sets: str = ""  # the list of other runs that it means too, and sets to one value

    @property
    def group(self) -> Group:
        return group(self.key)

    def row(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def keys(experiment: Experiment, scale: Scale) -> list[Key]:
    """Every key of every run, each once: runs that allow it different values, or say different things of it, say so."""
    runs = experiment.runs(scale)
    found = _collected(runs)
    own = _collected(experiment.runs(Scale("paper")))
    lists = _lists_set_by(runs.values())
    found_keys = [
        Key(
            key,
            allowed="\n".join(_by_runs(one.allowed)),
            note="; ".join(_by_runs({note: names for note, names in one.notes.items() if note})) or meaning(key),
            held=one.held,
            paper=tuple(own[key].held) if key in own else (),
            sets=lists.get(key, ""),
        )
        for key, one in found.items()
    ]
    return found_keys + [Key(key, f"one value of {of}", sets=of) for key, of in lists.items() if key not in found]


@dataclass(frozen=True)
class _Collected:
    """Of one key: what is said of it, each with the names of the runs of which it is said."""

    allowed: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    held: dict[str, list[str]] = field(default_factory=dict)


def _collected(runs: Mapping[str, RunConfig]) -> dict[str, _Collected]:
    found: dict[str, _Collected] = {}
    for name, config in runs.items():
        for key, allowed, value in described(config):
            one = found.setdefault(key, _Collected())
            one.allowed.setdefault(allowed, []).append(name)
            one.notes.setdefault(field_comment(config, key), []).append(name)
            one.held.setdefault(_text(value), []).append(name)
    return found


def _by_runs(said: Mapping[str, list[str]]) -> list[str]:
    """What is said of all runs as it is; else each with the runs of which it is."""
    if len(said) == 1:
        return list(said)
    return [f"{_few(names)}: {words}" for words, names in said.items()]


def _few(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _lists_set_by(configs: Iterable[RunConfig]) -> dict[str, str]:
    """A key that means what a run has a list of -> that list, which it sets to one value."""
    fields = (one for config in configs for one in dataclasses.fields(config))
    return {one.metadata["also"]: one.name for one in fields if "also" in one.metadata}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
