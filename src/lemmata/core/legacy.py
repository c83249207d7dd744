"""Forms that papers not yet turned still use; the registry turns their experiments into the present form."""

import abc
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lemmata.core.claim import NOTHING, Claim as NewClaim, Correction as NewCorrection, Part
from lemmata.core.errors import Undecided
from lemmata.core.experiment import Artefact, Experiment as NewExperiment
from lemmata.core.rule import Rule, Verdict, bootstrap_error, log_slope
from lemmata.core.run import RunConfig, RunResult, Runs
from lemmata.core.scale import Scale


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


@dataclass(frozen=True)
class Results:
    """The stored runs of one experiment at one scale."""

    runs: tuple[RunResult, ...]
    scale: Scale = field(default_factory=Scale)

    def __iter__(self) -> Iterator[RunResult]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def where(self, kind: type | None = None, **fields: Any) -> "Results":
        """The runs of a config class whose config has these field values."""
        kept = tuple(
            run
            for run in self.runs
            if (kind is None or isinstance(run.config, kind))
            and all(getattr(run.config, key, dataclasses.MISSING) == value for key, value in fields.items())
        )
        return Results(kept, self.scale)

    def one(self, kind: type | None = None, **fields: Any) -> RunResult:
        found = self.where(kind, **fields).runs
        if len(found) != 1:
            raise LookupError(f"expected one run of {kind} with {fields}, found {len(found)}")
        return found[0]

    @classmethod
    def of(cls, runs: Runs) -> "Results":
        return cls(tuple({run.config.digest: run for run in runs.values()}.values()), runs.scale)


Reading = Callable[[Results], Any]


@dataclass(frozen=True, kw_only=True)
class Correction:
    predict: Reading
    printed: str
    corrected: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Claim:
    id: str
    locus: str
    statement: str
    predict: Reading
    measure: Reading
    control: Reading
    check: Check
    correction: Correction | None = None
    remark: str = ""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    id: str
    title: str
    grid: Callable[[Scale], tuple[RunConfig, ...]]
    claims: tuple[Claim, ...]
    render: Callable[[Results], Artefact]
    notes: str = ""


@dataclass(frozen=True)
class LegacyRule(Rule):
    check: Check

    def compare(self, expected: Any, measured: Any) -> Verdict:
        return self.check(expected, measured)

    def describe(self) -> str:
        return self.check.describe()


def turned(old: Experiment) -> NewExperiment:
    return NewExperiment(
        id=old.id,
        title=old.title,
        runs=lambda scale: {str(i): config for i, config in enumerate(old.grid(scale))},
        claims=tuple(_claim(claim) for claim in old.claims),
        draw=lambda runs: old.render(Results.of(runs)),
        notes=old.notes,
    )


def _claim(old: Claim) -> NewClaim:
    fix = old.correction
    part = Part(
        lambda value: value,
        LegacyRule(lambda runs: old.predict(Results.of(runs)), old.check),
        NOTHING if fix is None else lambda runs: fix.predict(Results.of(runs)),
    )
    return NewClaim(
        id=old.id,
        locus=old.locus,
        statement=old.statement,
        subject=lambda runs: old.measure(Results.of(runs)),
        wrong=lambda runs: old.control(Results.of(runs)),
        parts=part,
        correction=None
        if fix is None
        else NewCorrection(printed=fix.printed, corrected=fix.corrected, reason=fix.reason),
        remark=old.remark,
    )
