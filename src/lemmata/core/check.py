"""Rules that compare a measurement with a prediction. Each gives a status and a margin: how far inside the rule
(positive) or outside it (negative) the measurement is, in units of the rule's own tolerance or bound."""

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Status = Literal["holds", "fails", "undecided", "erratum"]


@dataclass(frozen=True)
class Verdict:
    status: Status
    margin: float
    detail: str = ""


@dataclass(frozen=True)
class Undecided:
    """A measurement that this scale is too small to make, and why."""

    reason: str


@dataclass(frozen=True)
class Check(abc.ABC):
    @abc.abstractmethod
    def compare(self, predicted: Any, measured: Any) -> Verdict: ...

    @abc.abstractmethod
    def describe(self) -> str:
        """The rule in words, for the page."""

    def __call__(self, predicted: Any, measured: Any) -> Verdict:
        for value in (predicted, measured):
            if isinstance(value, Undecided):
                return Verdict("undecided", float("nan"), value.reason)
        return self.compare(predicted, measured)


def _decide(slack: Any, detail: str = "") -> Verdict:
    """Holds when every slack is non-negative; a NaN measurement never holds."""
    slack = np.asarray(slack)
    margin = float(np.min(np.where(np.isnan(slack), -np.inf, slack))) if slack.size else float("nan")
    if not slack.size:
        return Verdict("undecided", margin, "nothing was measured")
    return Verdict("holds" if margin >= 0 else "fails", margin, detail)


def _bound_scale(bound: np.ndarray, slack: float) -> np.ndarray:
    """What a distance from a bound is measured in: the bound itself, or 1 where it is zero."""
    size = np.maximum(np.abs(bound), slack)
    return np.where(size > 0, size, 1.0)


@dataclass(frozen=True)
class Close(Check):
    """measured = predicted within `atol + rtol * |predicted|`, elementwise."""

    atol: float = 0.0
    rtol: float = 0.0

    def compare(self, predicted: Any, measured: Any) -> Verdict:
        p, m = np.broadcast_arrays(np.asarray(predicted, float), np.asarray(measured, float))
        allowed = self.atol + self.rtol * np.abs(p)
        error = np.abs(m - p)
        slack = np.where(allowed > 0, 1 - error / np.where(allowed > 0, allowed, 1), np.where(error == 0, 1.0, -np.inf))
        return _decide(slack, f"largest difference {error.max():.3g}" if error.size else "")

    def describe(self) -> str:
        terms = [f"{self.atol:g}"] * bool(self.atol) + [f"{self.rtol:g} |predicted|"] * bool(self.rtol)
        return f"|measured - predicted| <= {' + '.join(terms) or '0'}"


@dataclass(frozen=True)
class Exact(Check):
    """measured equals predicted: for integers, truth values, strings and symbolic identities."""

    def compare(self, predicted: Any, measured: Any) -> Verdict:
        same = bool(np.all(np.asarray(predicted, dtype=object) == np.asarray(measured, dtype=object)))
        return Verdict("holds" if same else "fails", 1.0 if same else -1.0)

    def describe(self) -> str:
        return "measured = predicted, exactly"


@dataclass(frozen=True)
class AtMost(Check):
    """measured <= predicted + slack, elementwise."""

    slack: float = 0.0

    def compare(self, predicted: Any, measured: Any) -> Verdict:
        p, m = np.broadcast_arrays(np.asarray(predicted, float), np.asarray(measured, float))
        return _decide((p + self.slack - m) / _bound_scale(p, self.slack))

    def describe(self) -> str:
        return "measured <= predicted" + (f" + {self.slack:g}" if self.slack else "")


@dataclass(frozen=True)
class AtLeast(Check):
    """measured >= predicted - slack, elementwise."""

    slack: float = 0.0

    def compare(self, predicted: Any, measured: Any) -> Verdict:
        p, m = np.broadcast_arrays(np.asarray(predicted, float), np.asarray(measured, float))
        return _decide((m - p + self.slack) / _bound_scale(p, self.slack))

    def describe(self) -> str:
        return "measured >= predicted" + (f" - {self.slack:g}" if self.slack else "")


@dataclass(frozen=True)
class Within(Check):
    """The mean over seeds = predicted within `errors` bootstrapped standard errors (and an absolute floor)."""

    errors: float = 4.0
    floor: float = 0.0
    min_seeds: int = 3

    def compare(self, predicted: Any, measured: Any) -> Verdict:
        values = np.asarray(measured, float)  # seeds first
        if len(values) < self.min_seeds:
            return Verdict("undecided", float("nan"), f"{len(values)} seeds; the rule needs {self.min_seeds}")
        allowed = np.maximum(self.errors * bootstrap_error(values), self.floor)
        difference = np.abs(values.mean(axis=0) - np.asarray(predicted, float))
        return _decide(1 - difference / np.maximum(allowed, 1e-300))

    def describe(self) -> str:
        return f"|mean over seeds - predicted| <= max({self.errors:g} bootstrapped standard errors, {self.floor:g})"


@dataclass(frozen=True)
class Slope(Check):
    """The least-squares slope of log y against log x = predicted within `tolerance`. Measured is the pair (x, y)."""

    tolerance: float

    def compare(self, predicted: Any, measured: Any) -> Verdict:
        x, y = (np.asarray(part, float) for part in measured)
        if x.size < 3:
            return Verdict("undecided", float("nan"), f"{x.size} points; a slope needs 3")
        slope = log_slope(x, y)
        return _decide(1 - abs(slope - float(predicted)) / self.tolerance, f"slope {slope:.4f}")

    def describe(self) -> str:
        return f"|slope of log(measured) - predicted| <= {self.tolerance:g}"


@dataclass(frozen=True)
class Monotone(Check):
    """measured (a sequence) never moves against `direction` by more than `slack`. The prediction is the direction."""

    slack: float = 0.0

    def compare(self, predicted: Any, measured: Any) -> Verdict:
        steps = np.diff(np.asarray(measured, float), axis=-1) * (1 if predicted == "increasing" else -1)
        scale = max(float(np.abs(steps).max()), 1e-300) if steps.size else 1.0
        return _decide((steps + self.slack) / scale)

    def describe(self) -> str:
        return "measured moves only in the predicted direction" + (f", within {self.slack:g}" if self.slack else "")


@dataclass(frozen=True)
class Each(Check):
    """Several parts, each under its own rule; predicted and measured are dicts with the same names."""

    parts: Mapping[str, Check]

    def compare(self, predicted: Any, measured: Any) -> Verdict:
        verdicts = {name: check(predicted[name], measured[name]) for name, check in self.parts.items()}
        for status in ("fails", "undecided"):
            named = {name: verdict for name, verdict in verdicts.items() if verdict.status == status}
            if named:
                detail = "; ".join(f"{name}: {v.detail or v.status}" for name, v in named.items())
                return Verdict(status, min(v.margin for v in named.values()), f"{status} in {detail}")
        return Verdict("holds", min(verdict.margin for verdict in verdicts.values()))

    def describe(self) -> str:
        return "; ".join(f"{name}: {check.describe()}" for name, check in self.parts.items())


def bootstrap_error(values: np.ndarray, draws: int = 500) -> np.ndarray:
    """The standard error of the mean over axis 0, by resampling seeds (with a fixed stream of draws)."""
    stream = np.random.default_rng(0)
    picks = stream.integers(0, len(values), size=(draws, len(values)))
    return np.asarray(values[picks].mean(axis=1).std(axis=0, ddof=1))


def log_slope(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
