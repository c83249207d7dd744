"""What a claim needs of a run before it can decide: conditions on its config, known beforehand, or on its result."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal

from lemmata.core.errors import OutsideSetting, Undecided

if TYPE_CHECKING:
    from lemmata.core.run import Runs

Why = Callable[[Any], str | Undecided | None]  # why a run cannot decide a claim; None if it can


@dataclass(frozen=True)
class Condition:
    """Why a run cannot decide a claim, or None if it can.

    One of a config says where a rule has a meaning, and can be checked before anything is computed: a reason in words
    is `OutsideSetting`. One of a result says whether the run came far enough.
    """

    why: Why
    reads: Literal["config", "result"]

    def __call__(self, run: Any) -> Undecided | None:
        """Of a run's result; one of a config takes the config alone as well."""
        of_config = self.reads == "config"
        reason = self.why(getattr(run, "config", run) if of_config else run)
        if not reason or isinstance(reason, Undecided):
            return reason or None
        return OutsideSetting(reason) if of_config else Undecided(reason)


def of_config(why: Why) -> Condition:
    """A condition on a run's config, as a decorator: the function gives a reason, or None."""
    return Condition(why, "config")


def of_result(why: Why) -> Condition:
    """A condition on a run's numbers, as a decorator: the function takes the run, and gives a reason, or None."""
    return Condition(why, "result")


Needs = Mapping[str, Condition | tuple[Condition, ...]]  # a run's or a group's name -> what is needed of it


def each_condition(needs: Needs) -> Iterator[tuple[str, Condition]]:
    for name, given in needs.items():
        for one in given if isinstance(given, tuple) else (given,):
            yield name, one


def meet(needs: Needs, runs: "Runs") -> None:
    """Raise the first reason why these runs cannot decide; a condition on a group is one on each of its runs.

    Configs come first, before their runs are asked for: outside its setting a rule has no meaning, whatever
    is measured.
    """
    for name, condition in each_condition(needs):
        if condition.reads == "config":
            for full, config in runs.configs.items():
                if full == name or full.startswith(f"{name}/"):
                    runs.read.add(full)
                    refuse(condition, config)
    for name, condition in each_condition(needs):
        if condition.reads == "result":
            for run in [runs[name]] if name in runs else runs.group(name).values():
                refuse(condition, run)


def refuse(condition: Condition, run: Any) -> None:
    """Raise why the run cannot decide, if it cannot."""
    if reason := condition(run):
        raise reason


def within(key: str, why: str, *, least: float | None = None, below: float | None = None) -> Condition:
    """A number (or every number of a list) from `least` to under `below`; `why` says what it is to the rule."""

    @of_config
    def condition(config: Any) -> str | None:
        value = reduce(getattr, key.split("."), config)
        for one in value if isinstance(value, tuple) else (value,):
            if (least is not None and one < least) or (below is not None and one >= below):
                return f"{key} = {one:g}, and {why}"
        return None

    return condition


def only(key: str, *values: Any, why: str) -> Condition:
    """One of the values that the rule was written for."""

    @of_config
    def condition(config: Any) -> str | None:
        value = reduce(getattr, key.split("."), config)
        return None if value in values else f"{key} = {value}, and {why}"

    return condition


def several(key: str, why: str) -> Condition:
    """A list of two different values and more."""

    @of_config
    def condition(config: Any) -> str | None:
        values = reduce(getattr, key.split("."), config)
        return None if len(set(values)) > 1 else f"{key} = {', '.join(map(str, values))} alone, and {why}"

    return condition
