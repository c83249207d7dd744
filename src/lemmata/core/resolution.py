"""How much a `holds` is worth: what this evidence would have refuted, by the rule's own measure.

Of an equality, the smallest relative change of the predicted value that the same measurement would reject, whichever
its sign; of a power law, the smallest change of the exponent; of a bound that the paper states, how much stronger it
could be at the tightest place; of a sign, an order or a threshold of ours, how far away it is in standard errors.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lemmata.core.evidence import Evidence, values_of
from lemmata.core.rule import Rule, at_least, at_most, exactly, mean_near, near, slope_near
from lemmata.core.sample import Seeds, Successes, shown_interval
from lemmata.core.verdict import Verdict

Kind = Literal["equality", "exact", "absolute", "exponent", "bound", "distance", "interval", "margin"]
LOOSE_BOUND, LOOSE_EQUALITY = 3.0, 0.25  # beyond these a verdict is flagged, not changed
SMALLEST, LARGEST = 1e-16, 1e3  # of changes that are tried
STEPS = 14  # of a bisection over their logarithm: to one part in a hundred


@dataclass(frozen=True, kw_only=True)
class Resolution:
    kind: Kind
    value: float | None  # None: no change that was tried is noticed, or none need be
    words: str

    @property
    def is_loose(self) -> bool:
        """Whether a quarter more, or a bound of a third, would pass as well."""
        if self.kind == "equality":
            return self.value is None or self.value > LOOSE_EQUALITY
        return self.kind == "bound" and self.value is not None and self.value > LOOSE_BOUND

    @property
    def order(self) -> float:
        """By which verdicts are sorted, the sharpest first: how much of what is said may be wrong unnoticed."""
        if self.kind == "exact":
            return 0.0
        if self.value is None:
            return math.inf
        return 1 / max(self.value, 1e-9) if self.kind == "distance" else abs(self.value)


def resolution(evidence: Evidence, place: Callable[[int], str] = lambda index: "") -> Resolution | None:
    """Of a part that holds; None of one that does not. `place`: where the element of an index stands, in words."""
    if evidence.verdict.status != "holds":
        return None
    accepted = evidence.predicted if evidence.printed is None else evidence.corrected
    match evidence.rule:
        case exactly():
            return Resolution(kind="exact", value=0.0, words="would notice any change")
        case slope_near():
            return _of_change(evidence.rule, accepted, evidence.measured, "exponent")
        case near() | mean_near():
            of_zero = not np.any(np.asarray(accepted, float))
            return _of_change(evidence.rule, accepted, evidence.measured, "absolute" if of_zero else "equality")
        case at_most() | at_least() if evidence.rule.paper:
            return _of_bound(evidence, accepted, place) or _of_threshold(evidence)
        case _:
            return _of_threshold(evidence)


def _of_change(rule: Rule, accepted: Any, measured: Any, kind: Kind) -> Resolution:
    expected = np.asarray(accepted, float)
    found = max(
        _smallest(lambda size, sign=sign: rule.compare(_changed(expected, sign * size, kind), measured))
        for sign in (-1, 1)
    )
    if found > LARGEST:
        return Resolution(kind=kind, value=None, words="would notice no change")
    amount = f"{found:.0e}" if found < 1e-3 else f"{found:.2g}" if kind != "equality" else f"{found:.1%}"
    what = {"absolute": " beside 0", "exponent": " in the exponent"}.get(kind, "")
    return Resolution(kind=kind, value=found, words=f"would notice {amount}{what}")


def _changed(expected: Any, change: float, kind: Kind) -> Any:
    return expected * (1 + change) if kind == "equality" else expected + change


def _smallest(verdict: Callable[[float], Verdict]) -> float:
    """The smallest change under which the verdict is `fails`: there is one beyond which all are rejected."""
    low, high = math.log(SMALLEST), math.log(LARGEST)
    if verdict(LARGEST).status != "fails":
        return math.inf
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if verdict(math.exp(middle)).status == "fails" else (middle, high)
    return math.exp(high)


def _of_bound(evidence: Evidence, accepted: Any, place: Callable[[int], str]) -> Resolution | None:
    """How many times stronger the paper's bound could be: the least over all places where it was asked."""
    found = np.asarray(values_of(evidence.compared()), float)
    bound, found = np.broadcast_arrays(np.asarray(accepted, float), found)
    if np.any(bound < 0) or np.any(found < 0) or not np.any((bound > 0) & (found > 0)):
        return None  # a sign: there is no ratio
    with np.errstate(divide="ignore", invalid="ignore"):
        slack = np.ravel(bound / found if isinstance(evidence.rule, at_most) else found / bound)
    slack = np.where(np.isnan(slack), np.inf, slack)  # nothing is asked where a count can only be 0
    tightest = int(np.argmin(slack))
    where = f" at {at}" if (at := place(tightest)) else ""
    return Resolution(kind="bound", value=float(slack[tightest]), words=f"slack {slack[tightest]:.3g}{where}")


def _of_threshold(evidence: Evidence) -> Resolution:
    found = evidence.compared()
    if isinstance(found, Successes):
        low, high = (np.ravel(one) for one in shown_interval(found))
        at = int(np.argmax(high - low))
        return Resolution(
            kind="interval", value=float(high[at] - low[at]), words=f"interval {low[at]:.2f} to {high[at]:.2f}"
        )
    if isinstance(found, Seeds) and not found.exact and found.count > 1:
        errors = _errors_away(found, evidence)
        if errors is not None and math.isfinite(errors):
            return Resolution(kind="distance", value=errors, words=f"{errors:.2g} standard errors away")
    margin = evidence.verdict.margin
    return Resolution(kind="margin", value=margin, words=f"clear by {margin:.2g} of its scale")


def _errors_away(found: Seeds, evidence: Evidence) -> float | None:
    """Of the element nearest to the threshold, in standard errors of its mean: what margins measure is the interval's
    end, so the distance is that of the interval as a whole."""
    values = np.asarray(found.values, float)
    error = values.std(axis=0, ddof=1) / math.sqrt(found.count)
    if not np.any(error > 0):
        return None
    target = evidence.predicted if evidence.printed is None else evidence.corrected
    try:
        away = np.abs(np.asarray(found.mean) - np.asarray(target, float))
    except (TypeError, ValueError):  # an order, as in "increasing": of its steps
        away = np.abs(np.asarray(found.mean))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.min(np.where(error > 0, away / np.where(error > 0, error, 1), np.inf)))
