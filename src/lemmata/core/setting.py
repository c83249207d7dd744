"""Where a rule has a meaning: conditions on a run's config, for `Claim.setting`."""

from functools import reduce
from typing import Any

from lemmata.core.run import Setting


def within(key: str, why: str, *, least: float | None = None, below: float | None = None) -> Setting:
    """A number (or every number of a list) from `least` to under `below`; `why` says what it is to the rule."""

    def setting(config: Any) -> str | None:
        value = reduce(getattr, key.split("."), config)
        for one in value if isinstance(value, tuple) else (value,):
            if (least is not None and one < least) or (below is not None and one >= below):
                return f"{key} = {one:g}, and {why}"
        return None

    return setting


def only(key: str, *values: Any, why: str) -> Setting:
    """One of the values that the rule was written for."""

    def setting(config: Any) -> str | None:
        value = reduce(getattr, key.split("."), config)
        return None if value in values else f"{key} = {value}, and {why}"

    return setting


def several(key: str, why: str) -> Setting:
    """A list of two different values and more."""

    def setting(config: Any) -> str | None:
        values = reduce(getattr, key.split("."), config)
        return None if len(set(values)) > 1 else f"{key} = {', '.join(map(str, values))} alone, and {why}"

    return setting


def all_of(*settings: Setting) -> Setting:
    """The first reason of several."""
    return lambda config: next((why for setting in settings if (why := setting(config))), None)
