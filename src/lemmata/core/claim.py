"""A claim of a paper as a program: predict, measure, compare under a rule written beforehand, give a verdict."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lemmata.core.check import Check, Status, Undecided

if TYPE_CHECKING:
    from lemmata.core.experiment import Results

Reading = Callable[["Results"], Any]


@dataclass(frozen=True, kw_only=True)
class Correction:
    """The right form of a printed formula that is wrong."""

    predict: Reading
    printed: str  # the paper's formula, as text
    corrected: str  # ours
    reason: str = ""  # where the printed derivation goes astray


@dataclass(frozen=True, kw_only=True)
class Claim:
    id: str  # "ic-recall/lemma-3.1"
    locus: str  # where the paper says it
    statement: str  # what it says, in our own words
    predict: Reading  # from theory/: the printed form
    measure: Reading  # from the results of a real run
    control: Reading  # the same measurement on a deliberately wrong subject: the check must fail on it
    check: Check
    correction: Correction | None = None
    remark: str = ""  # what surprised us, or why it fails


@dataclass(frozen=True)
class Judgement:
    """A claim's verdict with its evidence."""

    claim: Claim
    status: Status
    predicted: Any
    measured: Any
    margin: float
    control_status: str
    detail: str = ""
    corrected: Any = None

    def row(self) -> dict[str, Any]:
        """The verdict as plain JSON data."""
        claim = self.claim
        row = {
            "id": claim.id,
            "status": self.status,
            "predicted": plain(self.predicted),
            "measured": plain(self.measured),
            "margin": plain(self.margin),
            "control_status": self.control_status,
            "detail": self.detail,
            "locus": claim.locus,
            "statement": claim.statement,
            "rule": claim.check.describe(),
            "remark": claim.remark,
        }
        if claim.correction:
            row |= {
                "corrected": plain(self.corrected),
                "printed_formula": claim.correction.printed,
                "corrected_formula": claim.correction.corrected,
                "reason": claim.correction.reason,
            }
        return row


def judge(claim: Claim, results: "Results") -> Judgement:
    """The printed form first; the corrected one where the printed fails; the control against whichever stood."""
    measured = claim.measure(results)
    predicted = claim.predict(results)
    verdict = claim.check(predicted, measured)
    status, accepted, corrected = verdict.status, predicted, None
    if claim.correction is not None:
        corrected = claim.correction.predict(results)
        if verdict.status == "fails":
            second = claim.check(corrected, measured)
            if second.status == "holds":
                status, accepted, verdict = "erratum", corrected, second
    control = claim.check(accepted, claim.control(results)).status
    detail = verdict.detail
    if control != "fails" and status in ("holds", "erratum"):
        status, detail = (
            "undecided",
            f"the control did not fail its check ({control}): the rule cannot tell here",
        )
    return Judgement(claim, status, predicted, measured, verdict.margin, control, detail, corrected)


def plain(value: Any, limit: int = 64) -> Any:
    """A value as JSON data; long arrays are summarised."""
    if isinstance(value, Undecided):
        return {"undecided": value.reason}
    if isinstance(value, Mapping):
        return {str(key): plain(item, limit) for key, item in value.items()}
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if np.isfinite(value) else str(float(value))
    array = np.asarray(value)
    if array.shape == ():
        return plain(array.item(), limit) if array.dtype != object else str(value)
    if array.size <= limit or array.dtype == object:
        return [plain(item, limit) for item in array]
    numbers = array.astype(float) if array.dtype.kind in "fiub" else None
    extremes = {} if numbers is None else {"min": numbers.min(), "mean": numbers.mean(), "max": numbers.max()}
    return {"shape": list(array.shape), **{name: plain(float(number)) for name, number in extremes.items()}}
