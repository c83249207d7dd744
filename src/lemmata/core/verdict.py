"""A verdict: its status, and how far inside its rule (positive) or outside it (negative) the measurement is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["holds", "fails", "undecided", "erratum"]


@dataclass(frozen=True)
class Elements:
    """A verdict element by element, where the measurement is an array."""

    margins: Any
    statuses: Any  # of the same shape


@dataclass(frozen=True)
class Verdict:
    status: Status
    margin: float
    detail: str = ""
    each: Elements | None = field(default=None, compare=False, repr=False)
    compared: Any = field(default=None, compare=False, repr=False)  # what was, where it is not the measurement itself


def together(verdicts: Mapping[str, Verdict]) -> Verdict:
    """The verdict on several parts: what fails decides first, then what is undecided."""
    for status in ("fails", "undecided"):
        named = {name: verdict for name, verdict in verdicts.items() if verdict.status == status}
        if named:
            detail = "; ".join(f"{name}: {v.detail or v.status}" for name, v in named.items())
            return Verdict(status, min(v.margin for v in named.values()), f"{status} in {detail}")
    return Verdict("holds", min(verdict.margin for verdict in verdicts.values()))
