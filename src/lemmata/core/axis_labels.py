"""What the axes of a measurement are, for `Part.along`: labels that tell its numbers apart."""

from collections.abc import Iterable
from itertools import product
from typing import Any

from lemmata.core.run import RunResult


def rows_of(run: RunResult, **columns: str) -> list[dict[str, Any]]:
    """Labels of an axis that goes over the rows of a run's metrics: `rows_of(run, T="temperature", seed="seed")`."""
    values = zip(*(run.metrics[column] for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in values]


def crossed(**axes: Iterable[Any]) -> list[dict[str, Any]]:
    """Labels of an axis that goes over every combination, the last name fastest."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
