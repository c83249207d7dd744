"""Measurements that vary: one value a seed, or a count of successes. A rule decides on the interval of their mean.

The interval says how sure the mean is; a rule holds where the whole interval is inside it, fails where the whole
interval is outside, and else is undecided, with the number of seeds (or trials) that would tell.
"""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import betaincinv, stdtrit  # scipy.stats takes as long to load as all the rest of a command

from lemmata.core.verdict import Elements, Verdict

LEVEL = 0.95
FAR = 1e6  # times a rule's tolerance or bound
ENDLESS = 100_000  # more seeds than this would be no experiment

SHARE = (0.0, 1.0)

Values = np.ndarray | float  # one number, or an element each
Slack = Callable[[Values], Values]  # how far inside a rule a value is, in the rule's own units


@dataclass(frozen=True)
class Sample(abc.ABC):
    unit: ClassVar[str]

    @property
    @abc.abstractmethod
    def count(self) -> int:
        """How many seeds or trials."""

    @property
    @abc.abstractmethod
    def mean(self) -> Values:
        """The estimate."""

    @abc.abstractmethod
    def interval(self, level: float = LEVEL, count: int | None = None) -> tuple[Values, Values]:
        """Both ends of the mean's interval; with `count`, as it would be after so many that vary as these do."""

    def summary(self) -> dict[str, Any]:
        """The evidence as it is shown."""
        low, high = shown_interval(self)
        return {"mean": self.mean, "low": low, "high": high, "level": LEVEL, self.unit: self.count}


@dataclass(frozen=True)
class Seeds(Sample):
    """One measurement a seed: seeds on axis 0, anything on the others.

    The interval is Student's t. (A bootstrap over three to five seeds is too narrow: it knows no spread beyond the
    values it was given, and covers the mean in some 80% of cases where it says 95%.) Seeds that agree to the last bit
    leave no doubt. One seed alone shows no spread and decides nothing, unless each value is told to be `exact`.

    `bounds` says what a value can be at all (`SHARE`: a probability, an accuracy). Student's t does not know it: what
    is shown of the interval ends there, what decides is the interval as it is.
    """

    unit = "seeds"
    values: Any
    exact: bool = False
    bounds: tuple[float, float] | None = None

    @property
    def count(self) -> int:
        return len(self.values)

    @property
    def mean(self) -> Values:
        values = np.asarray(self.values, float)
        return np.where(np.ptp(values, axis=0) == 0, values[0], values.mean(axis=0))  # a mean of equals may round

    def interval(self, level: float = LEVEL, count: int | None = None) -> tuple[Values, Values]:
        mean, values, count = self.mean, np.asarray(self.values, float), count or self.count
        if self.exact:
            return mean, mean
        if self.count == 1:
            return np.full_like(mean, -np.inf), np.full_like(mean, np.inf)
        spread = np.where(np.ptp(values, axis=0) == 0, 0.0, values.std(axis=0, ddof=1))
        half = stdtrit(count - 1, (1 + level) / 2) * spread / np.sqrt(count)
        return mean - half, mean + half


@dataclass(frozen=True)
class Successes(Sample):
    """So many successes in so many trials. The share's interval is Clopper and Pearson's, which never is too narrow."""

    unit = "trials"
    successes: Any
    trials: int

    @property
    def count(self) -> int:
        return self.trials

    @property
    def mean(self) -> Values:
        return np.asarray(self.successes, float) / self.trials

    def interval(self, level: float = LEVEL, count: int | None = None) -> tuple[Values, Values]:
        trials, tail = count or self.trials, (1 - level) / 2
        hits = self.mean * trials
        low = np.where(hits > 0, betaincinv(np.maximum(hits, 1e-9), trials - hits + 1, tail), 0.0)
        high = np.where(hits < trials, betaincinv(hits + 1, np.maximum(trials - hits, 1e-9), 1 - tail), 1.0)
        return low, high


def shown_interval(sample: Sample) -> tuple[Values, Values]:
    """Both ends of the mean's interval for a reader: none beyond what a value can be, where the mean is such a value
    itself (that of a jackknife need not be)."""
    low, high = sample.interval()
    if not isinstance(sample, Seeds) or sample.bounds is None or sample.count == 1:
        return low, high
    least, largest = sample.bounds
    inside = (sample.mean >= least) & (sample.mean <= largest)
    return np.where(inside, np.maximum(low, least), low), np.where(inside, np.minimum(high, largest), high)


def decide(sample: Sample, low: Values, high: Values, slack: Slack) -> Verdict:
    """Whether the mean lies between two bounds, elementwise, as far as its interval can tell.

    `holds` needs every element's interval inside, so each may have the whole level; one element outside is enough for
    `fails`, so there the elements share the level.
    """
    mean, (from_, to) = np.asarray(sample.mean), sample.interval()
    if not mean.size:
        return Verdict("undecided", float("nan"), "nothing was measured")
    if np.isnan(mean).any():
        return Verdict("undecided", float("nan"), f"not a number in one of {sample.count} {sample.unit}")
    inside = np.asarray((from_ >= low) & (to <= high))
    if inside.all():
        least = np.minimum(slack(from_), slack(to))
        each = _elements(least, inside, np.zeros_like(inside))
        return Verdict("holds", _near(least.min()), _interval_words(sample, int(np.argmin(least))), each)
    wider_from, wider_to = sample.interval(1 - (1 - LEVEL) / mean.size)
    outside = np.asarray((wider_to < low) | (wider_from > high))
    nearest = np.maximum(slack(wider_from), slack(wider_to))
    each = _elements(np.where(outside, nearest, slack(mean)), inside, outside)
    if outside.any():
        where = int(np.argmin(np.where(outside, nearest, np.inf)))
        return Verdict("fails", _near(np.ravel(nearest)[where]), _interval_words(sample, where), each)
    where = int(np.argmin(inside))
    needed = _seeds_needed(sample, low, high)
    return Verdict("undecided", _near(np.min(slack(mean))), f"{_interval_words(sample, where)}; {needed}", each)


def _elements(margins: Values, inside: np.ndarray, outside: np.ndarray) -> Elements:
    """Element by element what its interval can tell."""
    return Elements(np.asarray(margins), np.where(inside, "holds", np.where(outside, "fails", "undecided")))


def _near(margin: float) -> float:
    """A margin that can be printed: beyond `FAR` it is only far."""
    return float(np.clip(margin, -FAR, FAR))


def _interval_words(sample: Sample, where: int) -> str:
    """An element's mean and interval."""
    mean, from_, to = (np.ravel(value)[where] for value in (sample.mean, *shown_interval(sample)))
    if np.isinf(from_):
        return f"{mean:.4g} in one seed, which shows no spread"
    return f"mean {mean:.4g} over {sample.count} {sample.unit}, {LEVEL:.0%} interval {from_:.4g} to {to:.4g}"


def _seeds_needed(sample: Sample, low: Values, high: Values) -> str:
    """How many would, if they vary as these do."""
    if np.isinf(sample.interval()[0]).any():
        return "several can tell"

    def decided(count: int) -> bool:
        from_, to = sample.interval(count=count)
        return bool(np.all((from_ >= low) & (to <= high) | (to < low) | (from_ > high)))

    enough = sample.count + 1
    while not decided(enough):
        enough *= 2
        if enough > ENDLESS:
            return f"too close to the bound for any feasible number of {sample.unit} to tell"
    least = enough // 2
    while enough - least > 1:
        middle = (least + enough) // 2
        least, enough = (least, middle) if decided(middle) else (middle, enough)
    return f"about {enough} {sample.unit} would tell"
