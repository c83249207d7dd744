"""Any value as plain JSON data."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lemmata.core.errors import Undecided
from lemmata.core.sample import Sample

INFINITE = {float("inf"): "Infinity", -float("inf"): "-Infinity"}


def to_json(value: Any, limit: int = 64) -> Any:
    """A value as JSON data; long arrays are summarised. JSON has no infinity: it is "Infinity" or "-Infinity"; what is
    no number, or an interval without end, is None."""
    if isinstance(value, Undecided):
        return {"undecided": value.reason}
    if isinstance(value, Sample):
        said = value.summary()
        ends = {name: np.where(np.isfinite(said[name]), said[name], np.nan) for name in ("low", "high")}
        return to_json(said | ends, limit)
    if isinstance(value, Mapping):
        return {str(key): to_json(item, limit) for key, item in value.items()}
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if np.isfinite(value) else INFINITE.get(float(value))
    array = np.asarray(value)
    if array.shape == ():
        return to_json(array.item(), limit) if array.dtype != object else str(value)
    if array.size <= limit or array.dtype == object:
        return [to_json(item, limit) for item in array]
    numbers = array.astype(float) if array.dtype.kind in "fiub" else None
    extremes = {} if numbers is None else {"min": numbers.min(), "mean": numbers.mean(), "max": numbers.max()}
    return {"shape": list(array.shape), **{name: to_json(float(number)) for name, number in extremes.items()}}
