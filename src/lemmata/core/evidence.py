"""The numbers that decide a part of a claim: element by element, each with where it stands, the deciding ones first."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

import numpy as np

from lemmata.core.errors import Undecided
from lemmata.core.plain import plain
from lemmata.core.rule import Rule
from lemmata.core.run import RunResult
from lemmata.core.sample import LEVEL, Sample, shown_interval
from lemmata.core.verdict import Elements, Verdict

KEPT = 64  # rows of a part that are stored with a verdict; whoever judges anew has them all
MARGIN_DIGITS = 9  # what differs by rounding alone keeps its order on every machine
DECIDES_FIRST = {"fails": 0, "undecided": 1, "holds": 2}
PLACES = {1: ("position",), 2: ("row", "column")}  # what the axes of an array are called that nobody named


@dataclass(frozen=True)
class Evidence:
    """One part: what was predicted and measured, and the verdict on it.

    `along` names the axes of the measurement: an axis' name -> its values, as {"T": (0.1, 0.2)}; a value that is a
    mapping, as of `rows_of` and `crossed`, has names of its own. Where it does not fit the measurement (changed
    settings may leave others), elements are told by their positions, counted from 1.
    """

    part: str
    rule: Rule
    verdict: Verdict
    predicted: Any
    measured: Any
    corrected: Any = None
    printed: Verdict | None = None  # on the printed form, where the corrected one was accepted: it says what decides
    along: Mapping[str, Any] = field(default_factory=dict)
    never: str = ""  # what it means that a number of it is not finite, in words

    def row(self, limit: int | None = None) -> dict[str, Any]:
        """As plain JSON data; `limit`: of so many elements alone, of those that decide."""
        count, rows = self._elements(limit)
        about = {"part": self.part, "rule": self.rule.describe(), "asks": self.rule.asks, "unit": self.rule.unit}
        about |= {"allowance": list(self.rule.allowance), "status": self.verdict.status}
        about |= {"margin": plain(self.verdict.margin), "detail": self.verdict.detail}
        return about | {"count": count, "rows": rows}

    def shape(self) -> tuple[int, ...] | None:
        """Of what was compared, seeds aside; None where there is nothing to tell apart."""
        found = self._compared()
        if isinstance(found, Undecided) or self.verdict.each is None:
            return None
        try:
            return np.broadcast_shapes(np.shape(_values(found)), np.shape(self.verdict.each.margins))
        except ValueError:  # a reading of several arrays at once: nobody can say which number stands where
            return None

    def _compared(self) -> Any:
        return self.measured if self.verdict.compared is None else self.verdict.compared

    def _elements(self, limit: int | None) -> tuple[int, list[dict[str, Any]]]:
        found, shape = self._compared(), self.shape()
        if shape is None or self.verdict.each is None:
            return 0, []
        values = _values(found)
        names, of_sample = _named(self.along, shape), _sample_columns(found, shape)
        columns = {"predicted": _spread(self.predicted, shape), "measured": _spread(values, shape)}
        if self.corrected is not None:
            columns["corrected"] = _spread(self.corrected, shape)
        margins, statuses = (
            np.broadcast_to(one, shape) for one in (self.verdict.each.margins, self.verdict.each.statuses)
        )
        rows = []
        deciding = self.printed.each if self.printed and self.printed.each else self.verdict.each
        for index in islice(_deciding(deciding, shape), limit):
            where = _where(names, index)
            numbers = {name: plain(column[index]) for name, column in (columns | of_sample).items()}
            told = {"status": str(statuses[index]), "margin": plain(float(margins[index]))}
            never = {"never": self.never} if self.never and numbers["measured"] is None else {}
            rows.append({"where": where} | numbers | _counted(found) | told | never)
        return math.prod(shape), rows


def _values(found: Any) -> Any:
    return found.mean if isinstance(found, Sample) else found


def _deciding(each: Elements, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Where the elements stand, the deciding first: those outside the rule, then those nearest to its boundary."""
    margins, statuses = np.broadcast_to(each.margins, shape), np.broadcast_to(each.statuses, shape)

    def key(index: tuple[int, ...]) -> tuple[int, float]:
        margin = round(float(margins[index]), MARGIN_DIGITS)
        return DECIDES_FIRST[str(statuses[index])], -math.inf if math.isnan(margin) else margin

    return sorted(np.ndindex(shape), key=key)


def _named(along: Mapping[str, Any], shape: tuple[int, ...]) -> list[tuple[str, Sequence[Any]]]:
    """A name and labels an axis."""
    given: list[tuple[str, Sequence[Any]]] = [
        (name, list(values)) for name, values in along.items() if not isinstance(values, Undecided)
    ]
    if tuple(len(labels) for _, labels in given) == shape:
        return given
    names = PLACES.get(len(shape), tuple(f"index {axis + 1}" for axis in range(len(shape))))
    return [(name, range(1, size + 1)) for name, size in zip(names, shape, strict=True)]


def _where(names: list[tuple[str, Sequence[Any]]], index: tuple[int, ...]) -> dict[str, Any]:
    """Where an element stands, axis by axis; a label of several names says them itself."""
    where: dict[str, Any] = {}
    for (name, labels), i in zip(names, index, strict=True):
        where |= labels[i] if isinstance(labels[i], Mapping) else {name: labels[i]}
    return {name: plain(value) for name, value in where.items()}


def _spread(value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A value for each element; one that cannot be told apart by element is the same for all."""
    try:
        return np.broadcast_to(np.asarray(_values(value), dtype=object), shape)
    except ValueError:
        same = np.empty((), dtype=object)
        same[()] = plain(value)
        return np.broadcast_to(same, shape)


def _sample_columns(found: Any, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    if not isinstance(found, Sample):
        return {}
    low, high = shown_interval(found)
    return {"low": _spread(low, shape), "high": _spread(high, shape)}


def _counted(found: Any) -> dict[str, Any]:
    return {found.unit: found.count, "unit": found.unit, "level": LEVEL} if isinstance(found, Sample) else {}


def rows_of(run: RunResult, **columns: str) -> list[dict[str, Any]]:
    """Labels of an axis that goes over the rows of a run's metrics: `rows_of(run, T="temperature", seed="seed")`."""
    values = zip(*(run.metrics[column] for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in values]


def crossed(**axes: Iterable[Any]) -> list[dict[str, Any]]:
    """Labels of an axis that goes over every combination, the last name fastest."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
