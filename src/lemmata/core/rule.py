"""Rules: what a measurement must be. Each gives a status and a margin: how far inside the rule (positive) or outside it
(negative) the measurement is, in units of the rule's own tolerance or bound.

A rule's target is a value, or a function of the experiment's runs where theory predicts it from their settings.

A plain number or array is judged as it is. A reading that gives `Seeds` or `Successes` is judged by the interval of
their mean; a rule for such readings says so (`over_seeds=True`), so that its words do.
"""

import abc
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lemmata.core.errors import Undecided
from lemmata.core.pluralize import pluralize
from lemmata.core.sample import FAR, LEVEL, Sample, Seeds, Slack, Values, decide
from lemmata.core.verdict import Elements, Status as Status, Verdict as Verdict, together as together

RULES_VERSION = 1  # of what rules, samples, conditions and judging say: another one makes every verdict stale


@dataclass(frozen=True)
class Rule(abc.ABC):
    target: Any
    over_seeds: bool = field(default=False, kw_only=True)
    unit: str = field(default="seeds", kw_only=True)  # what the measurement is a mean over, where it is one

    @abc.abstractmethod
    def compare(self, expected: Any, measured: Any) -> Verdict:
        """Judge a measurement against what the target came to."""

    @abc.abstractmethod
    def describe(self) -> str:
        """The rule in words."""

    @property
    def asks(self) -> str:
        """What a predicted value asks of the measured one, as short words with {} in the value's place."""
        return "{}"

    @property
    def allowance(self) -> tuple[float, float]:
        """How far from a predicted value the measured one may be: so much, and so much of the value's size."""
        return 0.0, 0.0

    def expected(self, runs: Any) -> Any:
        return self.target(runs) if callable(self.target) else self.target

    def __call__(self, expected: Any, measured: Any) -> Verdict:
        for value in (expected, measured):
            if isinstance(value, Undecided):
                return Verdict("undecided", float("nan"), value.reason)
        if isinstance(measured, Sample) and not measured.count:
            return Verdict("undecided", float("nan"), f"no {measured.unit} were measured")
        return self.compare(expected, measured)

    @property
    def named(self) -> str:
        """The target as a word of the rule."""
        if callable(self.target) or np.ndim(self.target):
            return "predicted"
        is_number = isinstance(self.target, int | float) and not isinstance(self.target, bool)
        return f"{self.target:g}" if is_number else str(self.target)

    @property
    def subject(self) -> str:
        """What is measured, as a word of the rule."""
        return f"mean over {self.unit}" if self.over_seeds else "measured"

    @property
    def certainty(self) -> str:
        """How sure it must be, as the last words of the rule."""
        return f", with its {LEVEL:.0%} interval" if self.over_seeds else ""


def _within(measured: Any, low: Values, high: Values, slack: Slack, detail: str = "") -> Verdict:
    """Whether a measurement, or the interval of a sample's mean, lies between two bounds."""
    if isinstance(measured, Sample):
        return decide(measured, low, high, slack)
    return _decide(slack(np.asarray(measured, float)), detail)


def _decide(slack: Any, detail: str = "") -> Verdict:
    """Holds when every slack is non-negative; what is not a number decides nothing."""
    slack = np.asarray(slack)
    if not slack.size:
        return Verdict("undecided", float("nan"), "nothing was measured")
    if np.isnan(slack).any() or np.isposinf(slack).any():  # infinitely good: the largest of nothing, a ratio to zero
        return Verdict("undecided", float("nan"), "what was measured is not a finite number")
    margin = float(np.clip(np.min(slack), -FAR, FAR))
    return Verdict("holds" if margin >= 0 else "fails", margin, detail, _elements(slack))


def _elements(slack: np.ndarray) -> Elements:
    return Elements(slack, np.where(slack >= 0, "holds", "fails"))


def _pair(expected: Any, measured: Any) -> list[np.ndarray]:
    """Both as arrays of one shape. (Changed settings may leave other numbers of things than were predicted.)"""
    pair = np.asarray(expected, float), np.asarray(measured.mean if isinstance(measured, Sample) else measured, float)
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
        unit = np.where(allowed > 0, allowed, 1)

        def slack(value: Values) -> Values:
            error = np.abs(value - p)
            return np.where(allowed > 0, 1 - error / unit, np.where(error == 0, 1.0, -1.0))

        detail = f"largest difference {np.abs(m - p).max():.3g}" if m.size else ""
        return _within(measured, p - allowed, p + allowed, slack, detail)

    @property
    def allowance(self) -> tuple[float, float]:
        return self.atol, self.rtol

    def describe(self) -> str:
        relative = f"{self.rtol:g}" + ("" if self.named == "1" else f" |{self.named}|")
        terms = [f"{self.atol:g}"] * bool(self.atol) + [relative] * bool(self.rtol)
        return f"|{self.subject} - {self.named}| <= {' + '.join(terms) or '0'}{self.certainty}"


@dataclass(frozen=True)
class exactly(Rule):
    """measured equals the target: for integers, truth values, strings and symbolic identities."""

    def compare(self, expected: Any, measured: Any) -> Verdict:
        found = measured.values if isinstance(measured, Seeds) else measured  # every seed, not their mean
        equal = np.asarray(np.asarray(expected, dtype=object) == np.asarray(found, dtype=object), dtype=bool)
        each = _elements(np.where(equal, 1.0, -1.0))
        return Verdict("holds" if equal.all() else "fails", 1.0 if equal.all() else -1.0, each=each, compared=found)

    def describe(self) -> str:
        return f"measured = {self.named}, exactly"


@dataclass(frozen=True)
class at_most(Rule):
    """measured <= target + slack, elementwise; `paper`: over which range the paper states the bound, where it does."""

    slack: float = 0.0
    paper: str = field(default="", kw_only=True)

    def compare(self, expected: Any, measured: Any) -> Verdict:
        p, _ = _pair(expected, measured)
        scale, bound = _bound_scale(p, self.slack), p + self.slack
        return _within(measured, np.full_like(p, -np.inf), bound, lambda value: (bound - value) / scale)

    @property
    def asks(self) -> str:
        return "<= {}" + (f" + {self.slack:g}" if self.slack else "")

    def describe(self) -> str:
        return f"{self.subject} <= {self.named}" + (f" + {self.slack:g}" if self.slack else "") + self.certainty


@dataclass(frozen=True)
class at_least(Rule):
    """measured >= target - slack, elementwise; `paper`: over which range the paper states the bound, where it does."""

    slack: float = 0.0
    paper: str = field(default="", kw_only=True)

    def compare(self, expected: Any, measured: Any) -> Verdict:
        p, _ = _pair(expected, measured)
        scale, bound = _bound_scale(p, self.slack), p - self.slack
        return _within(measured, bound, np.full_like(p, np.inf), lambda value: (value - p + self.slack) / scale)

    @property
    def asks(self) -> str:
        return ">= {}" + (f" - {self.slack:g}" if self.slack else "")

    def describe(self) -> str:
        return f"{self.subject} >= {self.named}" + (f" - {self.slack:g}" if self.slack else "") + self.certainty


@dataclass(frozen=True)
class mean_near(Rule):
    """The mean over seeds = target within `errors` bootstrapped standard errors (and an absolute floor).

    For a target that theory gives exactly: the tolerance shrinks as seeds are added, so it can be refuted by any
    difference. The reading gives `Seeds`, or an array with seeds first. (At few seeds the bootstrap is too narrow;
    four errors make up for it.)
    """

    errors: float = 4.0
    floor: float = 0.0
    min_seeds: int = 3

    def compare(self, expected: Any, measured: Any) -> Verdict:
        values = np.asarray(measured.values if isinstance(measured, Seeds) else measured, float)  # seeds first
        if len(values) < self.min_seeds:
            return Verdict(
                "undecided", float("nan"), f"{pluralize(len(values), 'seed')}; the rule needs {self.min_seeds}"
            )
        allowed = np.maximum(self.errors * bootstrap_error(values), self.floor)
        difference = np.abs(values.mean(axis=0) - np.asarray(expected, float))
        return replace(_decide(1 - difference / np.maximum(allowed, 1e-300)), compared=Seeds(values))

    @property
    def asks(self) -> str:
        return f"{{}} within {self.errors:g} standard errors"

    def describe(self) -> str:
        return f"|mean over seeds - {self.named}| <= max({self.errors:g} bootstrapped standard errors, {self.floor:g})"


@dataclass(frozen=True)
class slope_near(Rule):
    """The least-squares slope of log y against log x = target within `tolerance`. Measured is the pair (x, y); where
    y is `Seeds`, each seed has its own slope."""

    tolerance: float

    def compare(self, expected: Any, measured: Any) -> Verdict:
        x, y = np.asarray(measured[0], float), measured[1]
        if x.size < 3:
            return Verdict("undecided", float("nan"), f"{pluralize(x.size, 'point')}; a slope needs 3")
        if isinstance(y, Seeds):
            slopes = Seeds([log_slope(x, np.asarray(one, float)) for one in y.values], y.exact)
            return replace(near(expected, atol=self.tolerance)(expected, slopes), compared=slopes)
        slope = log_slope(x, np.asarray(y, float))
        verdict = _decide(1 - abs(slope - float(expected)) / self.tolerance, f"slope {slope:.4f}")
        return replace(verdict, compared=slope)

    @property
    def asks(self) -> str:
        return "slope {}"

    @property
    def allowance(self) -> tuple[float, float]:
        return self.tolerance, 0.0

    def describe(self) -> str:
        what = "mean over seeds of the slope of log(measured)" if self.over_seeds else "slope of log(measured)"
        return f"|{what} - {self.named}| <= {self.tolerance:g}{self.certainty}"


@dataclass(frozen=True)
class moves(Rule):
    """measured (a sequence) never moves against the target, "increasing" or "decreasing", by more than `slack`."""

    slack: float = 0.0

    def compare(self, expected: Any, measured: Any) -> Verdict:
        values = measured.values if isinstance(measured, Seeds) else measured
        steps = np.diff(np.asarray(values, float), axis=-1) * (1 if expected == "increasing" else -1)
        scale = max(float(np.abs(steps).max()), 1e-300) if steps.size else 1.0
        of_steps = Seeds(steps, measured.exact) if isinstance(measured, Seeds) else steps  # a seed's own steps: paired
        low, high = np.asarray(-self.slack), np.asarray(np.inf)
        verdict = _within(of_steps, low, high, lambda value: (value + self.slack) / scale)
        return replace(verdict, each=verdict.each and _by_worse_step(verdict.each))

    def describe(self) -> str:
        return f"{self.subject} is {self.named}" + (f", within {self.slack:g}" if self.slack else "") + self.certainty


def _by_worse_step(steps: Elements) -> Elements:
    """Of each value of a sequence the worse one of the steps to it and from it."""
    margins, statuses = np.atleast_1d(steps.margins), np.atleast_1d(steps.statuses)
    if margins.shape[-1] == 0:
        return steps
    before, after = (np.concatenate(pair, -1) for pair in ((margins[..., :1], margins), (margins, margins[..., -1:])))
    earlier, later = (
        np.concatenate(pair, -1) for pair in ((statuses[..., :1], statuses), (statuses, statuses[..., -1:]))
    )
    return Elements(np.minimum(before, after), np.where(before <= after, earlier, later))


def rises(slack: float = 0.0, *, over_seeds: bool = False) -> moves:
    return moves("increasing", slack, over_seeds=over_seeds)


def falls(slack: float = 0.0, *, over_seeds: bool = False) -> moves:
    return moves("decreasing", slack, over_seeds=over_seeds)


def bootstrap_error(values: np.ndarray, draws: int = 500) -> np.ndarray:
    """The standard error of the mean over axis 0, by resampling seeds (with a fixed stream of draws)."""
    stream = np.random.default_rng(0)
    picks = stream.integers(0, len(values), size=(draws, len(values)))
    return np.asarray(values[picks].mean(axis=1).std(axis=0, ddof=1))


def log_slope(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
