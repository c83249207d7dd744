"""Rules: what a measurement must be. Each gives a status and a margin: how far inside the rule (positive) or outside it
(negative) the measurement is, in units of the rule's own tolerance or bound.

A rule's target is a value, or a function of the experiment's runs where theory predicts it from their settings.
"""

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lemmata.core.errors import Undecided

Status = Literal["holds", "fails", "undecided", "erratum"]


@dataclass(frozen=True)
class Verdict:
    status: Status
    margin: float
    detail: str = ""


@dataclass(frozen=True)
class Rule(abc.ABC):
    target: Any

    @abc.abstractmethod
    def compare(self, expected: Any, measured: Any) -> Verdict:
        """Judge a measurement against what the target came to."""

    @abc.abstractmethod
    def describe(self) -> str:
        """The rule in words."""

    def expected(self, runs: Any) -> Any:
        return self.target(runs) if callable(self.target) else self.target

    def __call__(self, expected: Any, measured: Any) -> Verdict:
        for value in (expected, measured):
            if isinstance(value, Undecided):
                return Verdict("undecided", float("nan"), value.reason)
        return self.compare(expected, measured)

    @property
    def named(self) -> str:
        """The target as a word of the rule."""
        if callable(self.target) or np.ndim(self.target):
            return "predicted"
        is_number = isinstance(self.target, int | float) and not isinstance(self.target, bool)
        return f"{self.target:g}" if is_number else str(self.target)


def _decide(slack: Any, detail: str = "") -> Verdict:
    """Holds when every slack is non-negative; a NaN measurement never holds."""
    slack = np.asarray(slack)
    margin = float(np.min(np.where(np.isnan(slack), -np.inf, slack))) if slack.size else float("nan")
    if not slack.size:
        return Verdict("undecided", margin, "nothing was measured")
    return Verdict("holds" if margin >= 0 else "fails", margin, detail)


def _pair(expected: Any, measured: Any) -> list[np.ndarray]:
    """Both as arrays of one shape. (Changed settings may leave other numbers of things than were predicted.)"""
    pair = np.asarray(expected, float), np.asarray(measured, float)
    try:
        return list(np.broadcast_arrays(*pair))
    except ValueError:
        shapes = " and ".join(str(array.shape) for array in pair)
        raise Undecided(f"predicted and measured have different shapes, {shapes}") from None


def _bound_scale(bound: np.ndarray, slack: float) -> np.ndarray:
    """What a distance from a bound is measured in: the bound itself, or 1 where it is zero."""
    size = np.maximum(np.abs(bound), slack)
    return np.where(size > 0, size, 1.0)


@dataclass(frozen=True)
class near(Rule):
    """measured = target within `atol + rtol * |target|`, elementwise."""

    atol: float = 0.0
    rtol: float = 0.0

    def compare(self, expected: Any, measured: Any) -> Verdict:
        p, m = _pair(expected, measured)
        allowed = self.atol + self.rtol * np.abs(p)
        error = np.abs(m - p)
        slack = np.where(allowed > 0, 1 - error / np.where(allowed > 0, allowed, 1), np.where(error == 0, 1.0, -np.inf))
        return _decide(slack, f"largest difference {error.max():.3g}" if error.size else "")

    def describe(self) -> str:
        relative = f"{self.rtol:g}" + ("" if self.named == "1" else f" |{self.named}|")
        terms = [f"{self.atol:g}"] * bool(self.atol) + [relative] * bool(self.rtol)
        return f"|measured - {self.named}| <= {' + '.join(terms) or '0'}"


@dataclass(frozen=True)
class exactly(Rule):
    """measured equals the target: for integers, truth values, strings and symbolic identities."""

    def compare(self, expected: Any, measured: Any) -> Verdict:
        same = bool(np.all(np.asarray(expected, dtype=object) == np.asarray(measured, dtype=object)))
        return Verdict("holds" if same else "fails", 1.0 if same else -1.0)

    def describe(self) -> str:
        return f"measured = {self.named}, exactly"


@dataclass(frozen=True)
class at_most(Rule):
    """measured <= target + slack, elementwise."""

    slack: float = 0.0

    def compare(self, expected: Any, measured: Any) -> Verdict:
        p, m = _pair(expected, measured)
        return _decide((p + self.slack - m) / _bound_scale(p, self.slack))

    def describe(self) -> str:
        return f"measured <= {self.named}" + (f" + {self.slack:g}" if self.slack else "")


@dataclass(frozen=True)
class at_least(Rule):
    """measured >= target - slack, elementwise."""

    slack: float = 0.0

    def compare(self, expected: Any, measured: Any) -> Verdict:
        p, m = _pair(expected, measured)
        return _decide((m - p + self.slack) / _bound_scale(p, self.slack))

    def describe(self) -> str:
        return f"measured >= {self.named}" + (f" - {self.slack:g}" if self.slack else "")


@dataclass(frozen=True)
class mean_near(Rule):
    """The mean over seeds = target within `errors` bootstrapped standard errors (and an absolute floor)."""

    errors: float = 4.0
    floor: float = 0.0
    min_seeds: int = 3

    def compare(self, expected: Any, measured: Any) -> Verdict:
        values = np.asarray(measured, float)  # seeds first
        if len(values) < self.min_seeds:
            return Verdict("undecided", float("nan"), f"{len(values)} seeds; the rule needs {self.min_seeds}")
        allowed = np.maximum(self.errors * bootstrap_error(values), self.floor)
        difference = np.abs(values.mean(axis=0) - np.asarray(expected, float))
        return _decide(1 - difference / np.maximum(allowed, 1e-300))

    def describe(self) -> str:
        return f"|mean over seeds - {self.named}| <= max({self.errors:g} bootstrapped standard errors, {self.floor:g})"


@dataclass(frozen=True)
class slope_near(Rule):
    """The least-squares slope of log y against log x = target within `tolerance`. Measured is the pair (x, y)."""

    tolerance: float

    def compare(self, expected: Any, measured: Any) -> Verdict:
        x, y = (np.asarray(part, float) for part in measured)
        if x.size < 3:
            return Verdict("undecided", float("nan"), f"{x.size} points; a slope needs 3")
        slope = log_slope(x, y)
        return _decide(1 - abs(slope - float(expected)) / self.tolerance, f"slope {slope:.4f}")

    def describe(self) -> str:
        return f"|slope of log(measured) - {self.named}| <= {self.tolerance:g}"


@dataclass(frozen=True)
class moves(Rule):
    """measured (a sequence) never moves against the target, "increasing" or "decreasing", by more than `slack`."""

    slack: float = 0.0

    def compare(self, expected: Any, measured: Any) -> Verdict:
        steps = np.diff(np.asarray(measured, float), axis=-1) * (1 if expected == "increasing" else -1)
        scale = max(float(np.abs(steps).max()), 1e-300) if steps.size else 1.0
        return _decide((steps + self.slack) / scale)

    def describe(self) -> str:
        return f"measured is {self.named}" + (f", within {self.slack:g}" if self.slack else "")


def rises(slack: float = 0.0) -> moves:
    return moves("increasing", slack)


def falls(slack: float = 0.0) -> moves:
    return moves("decreasing", slack)


def together(verdicts: Mapping[str, Verdict]) -> Verdict:
    """The verdict on several parts: what fails decides first, then what is undecided."""
    for status in ("fails", "undecided"):
        named = {name: verdict for name, verdict in verdicts.items() if verdict.status == status}
        if named:
            detail = "; ".join(f"{name}: {v.detail or v.status}" for name, v in named.items())
            return Verdict(status, min(v.margin for v in named.values()), f"{status} in {detail}")
    return Verdict("holds", min(verdict.margin for verdict in verdicts.values()))


def bootstrap_error(values: np.ndarray, draws: int = 500) -> np.ndarray:
    """The standard error of the mean over axis 0, by resampling seeds (with a fixed stream of draws)."""
    stream = np.random.default_rng(0)
    picks = stream.integers(0, len(values), size=(draws, len(values)))
    return np.asarray(values[picks].mean(axis=1).std(axis=0, ddof=1))


def log_slope(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
