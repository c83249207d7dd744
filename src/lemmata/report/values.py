"""Numbers and evidence as short text, the same on the page and in the terminal."""

import math
import re
from collections.abc import Mapping
from typing import Any

from lemmata.record import Record
from lemmata.report.tex import to_unicode

INFINITE = {"Infinity": "∞", "-Infinity": "−∞"}  # as JSON says it
SUMMARY_KEYS = ({"shape"}, {"shape", "min", "mean", "max"})  # how `core.plain` shortens a long array


def number(value: Any, digits: int = 6) -> str:
    """A scalar of `core.plain` as text."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f") if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return f"{value:.{digits}g}".replace("inf", "∞").replace("-", "−")
    return INFINITE.get(value, value) if isinstance(value, str) else str(value)


def is_array_summary(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) in SUMMARY_KEYS


def is_sample(value: Any) -> bool:
    """Whether it is a mean with its interval, as `core.sample` summarises seeds or trials."""
    return isinstance(value, Mapping) and {"mean", "low", "high", "level"} <= set(value)


def sample_text(value: Mapping[str, Any], digits: int = 4) -> str:
    (unit,) = set(value) - {"mean", "low", "high", "level"}
    mean, low, high = (brief(value[key], digits) for key in ("mean", "low", "high"))
    count = f"{value[unit]} {unit if value[unit] != 1 else unit.removesuffix('s')}"
    return f"{mean} ({value['level']:.0%} interval {low} to {high}, {count})"


def array_summary(value: Mapping[str, Any]) -> str:
    shape = " × ".join(str(size) for size in value["shape"])
    if "mean" not in value:
        return f"{shape} values"
    low, mean, high = (number(value[key], 4) for key in ("min", "mean", "max"))
    return f"{shape} values from {low} to {high}, mean {mean}"


def brief(value: Any, digits: int = 4) -> str:
    """Any value of `core.plain` on one line."""
    if isinstance(value, Mapping):
        if set(value) == {"undecided"}:
            return str(value["undecided"])
        if is_array_summary(value):
            return array_summary(value)
        if is_sample(value):
            return sample_text(value, digits)
        return ", ".join(f"{key} = {brief(item, digits)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return "[" + ", ".join(brief(item, digits) for item in value) + "]"
    return number(value, digits)


def margin(value: Any) -> str:
    """How far inside (+) or outside (−) its rule a measurement is; a dash where nothing was measured."""
    value = float(value) if value is not None else math.nan
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return f"{value:+.3g}".replace("-", "−")


def verdict_word(record: Record) -> str:
    """A verdict; that of a claim which is proved says so. Empty where there is none."""
    return f"{record.status} (proved)" if record.proved else record.status or ""


def margin_or_proof(record: Record) -> str:
    """A claim that is proved has no margin."""
    return "proved" if record.proved else margin(record.margin)


def duration(seconds: Any) -> str:
    if seconds is None:
        return "–"
    seconds = float(seconds)
    if seconds < 0.995:
        return f"{seconds:.2f} s"
    if seconds < 99.5:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def shorten(text: str, limit: int = 150) -> str:
    """The first words of a text, whole ones."""
    text = " ".join(to_unicode(text).split())
    if len(text) <= limit:
        return text
    return text[:limit].rsplit(" ", 1)[0].rstrip(",;:.") + " …"


def rule(text: str) -> str:
    """A check's description with the signs of print."""
    text = text.replace("<=", "≤").replace(">=", "≥").replace(" - ", " − ")
    return re.sub(r"(\d)e-(\d)", r"\1e−\2", text)  # a hyphen would let the number break across lines
