"""Words of a claim that name a run's settings, written again where `--set` changed them.

A claim's text is fixed: its digest is of it. `Claim.wording` gives, for a phrase of it, how the phrase reads for any
runs; under changed assumptions a phrase that reads otherwise than before is replaced.
"""

import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

Configs = Mapping[str, Any]  # an experiment's run configs, by name
Word = Callable[[Configs], str]


def word(form: str, *places: str) -> Word:
    """A phrase from the fields of runs: `word("α = {}", "main.task.alpha")`. A run's name may be that of its group."""
    return lambda configs: form.format(*(_spelled(_at(configs, place)) for place in places))


def reworded(text: str, said: Mapping[str, str]) -> str:
    """The text with each phrase written as it is said now, all at once: what is said for one is not read for another.

    A phrase ends where its number does: "d = 8" is none of "d = 80".
    """
    longest_first = sorted(said, key=len, reverse=True)
    return re.sub("|".join(rf"{re.escape(phrase)}(?!\d)" for phrase in longest_first), lambda m: said[m[0]], text)


def _at(configs: Configs, place: str) -> Any:
    run, *fields = place.split(".")
    mine = [config for name, config in configs.items() if name == run or name.startswith(f"{run}/")]
    return reduce(getattr, fields, mine[0]) if mine else None


def _spelled(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(_spelled(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
