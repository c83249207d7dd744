"""What `--set` did: which runs a key reached, from what to what, and which claims rest on none of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from lemmata.core import Experiment, OutsideSetting, RunConfig, Scale, UserError, unknown
from lemmata.core.condition import each_condition
from lemmata.core.config import encode, has_path, override, path_in, paths
from lemmata.core.errors import InvalidField, nearest
from lemmata.core.registry import Selection


@dataclass(frozen=True)
class Reached:
    """One key: the runs that it changed, and what it stood at in them before."""

    key: str
    value: str
    runs: tuple[str, ...]
    before: tuple[Any, ...]  # each value once
    paper: tuple[Any, ...]  # at the paper's scale, each once

    def words(self) -> str:
        before, paper = (" or ".join(_word(value) for value in values) for values in (self.before, self.paper))
        stood = f"instead of {before}" + (f"; at the paper's scale {paper}" if paper and paper != before else "")
        return f"{self.key} = {self.value} ({stood}) in {_runs(self.runs)}"


@dataclass(frozen=True)
class Changes:
    """An experiment's runs before and after."""

    before: Mapping[str, RunConfig]
    after: Mapping[str, RunConfig]
    reached: tuple[Reached, ...]

    @property
    def touched(self) -> tuple[str, ...]:
        return tuple(name for name, config in self.after.items() if config != self.before[name])

    @property
    def untouched(self) -> tuple[str, ...]:
        return tuple(name for name in self.after if name not in self.touched)

    def words(self) -> list[str]:
        """What changed: the head of a result begins so."""
        lines = [f"changed: {one.words()}" for one in self.reached]
        return lines + ([f"as before: {_runs(self.untouched)}"] if self.untouched else [])

    def resting(self, reads: Mapping[str, Sequence[str] | None]) -> list[str]:
        """Which claims rest on what changed: from a claim's id to the runs that it reads (None: nobody knows yet)."""
        by_key = {one.key: [id for id, names in reads.items() if _meet(names, one.runs)] for one in self.reached}
        same = len({tuple(ids) for ids in by_key.values()}) == 1
        named = {"it": next(iter(by_key.values()))} if same else by_key
        return [f"claims that rest on {key}: {', '.join(ids) or 'none'}" for key, ids in named.items()]

    def why_left_out(self, reads: Sequence[str]) -> str | None:
        """Why a claim that reads these runs is not judged under these changes: none of them is another one."""
        if _meet(reads, self.touched):
            return None
        mine = {path for name in reads for path in paths(self.after[name])}
        guesses = {one.key: nearest(one.key, mine - {one.key}) for one in self.reached}
        hints = "".join(f"; did you mean {guess!r}?" for guess in guesses.values() if guess)
        rests = f"it rests on {_runs(tuple(reads))}" if reads else "it rests on no run"
        return f"{rests}, which {', '.join(guesses)} did not change{hints}"


def change(experiment: Experiment, scale: Scale, requested: Mapping[str, str]) -> Changes:
    """The experiment's runs with dotted keys set on every one that has them; a change that is none is refused."""
    before = experiment.runs(scale)
    if not before:
        raise UserError("this experiment has no runs at this scale")
    locations_of = locations_in(before, requested)
    after = with_set(before, locations_of, requested)
    reached = []
    papers_own = experiment.runs(Scale("paper"))
    for key, text in requested.items():
        locations = locations_of[key]
        moved = tuple(name for name, path in locations.items() if _at(after[name], path) != _at(before[name], path))
        if not moved:
            present = " or ".join(_word(value) for value in _once(_at(before[n], p) for n, p in locations.items()))
            raise UserError(f"--set {key}={text} changes nothing: {_runs(tuple(locations))} has {present} already")
        was = _once(_at(before[name], locations[name]) for name in moved)
        own = (_at(config, path) for config in papers_own.values() if (path := path_in(config, key)))
        reached.append(Reached(key, text, moved, was, _once(own)))
    return Changes(before, after, tuple(reached))


def locations_in(runs: Mapping[str, RunConfig], keys: Iterable[str]) -> dict[str, dict[str, str]]:
    """For each key, the runs that have it, and its full path in each; a key that no run has is refused."""
    found = {key: {name: path for name, config in runs.items() if (path := path_in(config, key))} for key in keys}
    for key, locations in found.items():
        if not locations:
            raise unknown("key", key, {path for config in runs.values() for path in paths(config)})
    return found


def with_set(
    runs: Mapping[str, RunConfig], locations_of: Mapping[str, Mapping[str, str]], requested: Mapping[str, str]
) -> dict[str, RunConfig]:
    """The runs with each key set where it has its place; where some refuse a value, it is said which."""
    made, refused = dict[str, RunConfig](), dict[str, InvalidField]()
    for name, config in runs.items():
        try:
            made[name] = override(config, {at[name]: requested[key] for key, at in locations_of.items() if name in at})
        except InvalidField as error:
            refused[name] = error
    if not refused:
        return made
    raise _refusal(refused, locations_of, requested)


def _refusal(
    refused: Mapping[str, InvalidField], locations_of: Mapping[str, Mapping[str, str]], requested: Mapping[str, str]
) -> UserError:
    """The first run's, with the runs that have it where others have not, and the keys that were set where it is of
    another field, with which they do not go."""
    first = next(iter(refused))
    why, reached = refused[first], {name for locations in locations_of.values() for name in locations}
    alike = tuple(name for name, error in refused.items() if str(error) == str(why))
    why = why.bounded_by(_runs(alike)) if reached - set(alike) else why
    typed = {key: requested[key] for key, locations in locations_of.items() if first in locations}
    if why.field.split("[")[0] in typed:
        return why
    return UserError(f"{''.join(f'--set {key}={text}: ' for key, text in typed.items())}{why}")


def outside_too(selection: Selection, scale: Scale, requested: Mapping[str, str]) -> str:
    """Of a refused change, as the end of its line: what a claim would say of it in the runs that take it."""
    runs = selection.experiment.runs(scale)
    locations_of = locations_in(runs, requested)
    for claim in selection.claims:
        for name, condition in each_condition(claim.needs):
            if condition.reads == "result" or name not in runs:
                continue
            try:
                made = with_set({name: runs[name]}, locations_of, requested)
            except UserError:
                continue
            if made[name] != runs[name] and isinstance(why := condition(made[name]), OutsideSetting):
                return f"; {claim.id} has no meaning there either: {why.why}"
    return ""


def _meet(reads: Sequence[str] | None, runs: Sequence[str]) -> bool:
    return reads is None or bool(set(reads) & set(runs))


def _at(config: RunConfig, path: str) -> Any:
    """The value under a dotted key, as JSON data."""
    return encode(reduce(getattr, path.split("."), config)) if has_path(config, path) else None


def _once(values: Any) -> tuple[Any, ...]:
    return tuple({_word(value): value for value in values}.values())


def _word(value: Any) -> str:
    if isinstance(value, list):
        shown = [_word(item) for item in value[:6]]
        return ", ".join(shown) + (f", ... ({len(value)} in all)" if len(value) > 6 else "")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _runs(names: tuple[str, ...]) -> str:
    shown = ", ".join(repr(name) for name in names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"the {'run' if len(names) == 1 else 'runs'} {shown}"
