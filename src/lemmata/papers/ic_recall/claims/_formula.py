"""Helpers for claims that compare a printed formula with autodiff at stored points."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lemmata.core import RunResult
from lemmata.core.legacy import Claim, Close, Correction, Results

EXACT = Close(atol=1e-10, rtol=1e-9)  # float64 rounding, amplified by 1/T and by a few cancellations


def formula(
    id: str,
    locus: str,
    statement: str,
    run: type,
    predict: Callable[[RunResult], Any],
    measure: Callable[[RunResult], Any],
    *,
    corrected: Callable[[RunResult], Any] | None = None,
    printed: str = "",
    right: str = "",
    reason: str = "",
    remark: str = "",
    check: Close = EXACT,
) -> Claim:
    """A formula against autodiff. The control is what autodiff says at other points (or for other rows)."""

    def of(reading: Callable[[RunResult], Any]) -> Callable[[Results], Any]:
        return lambda results: reading(results.one(run))

    correction = None
    if corrected is not None:
        correction = Correction(predict=of(corrected), printed=printed, corrected=right, reason=reason)
    return Claim(
        id=f"ic-recall/{id}",
        locus=locus,
        statement=statement,
        predict=of(predict),
        measure=of(measure),
        control=lambda results: np.roll(np.asarray(measure(results.one(run))), 1, axis=0),
        check=check,
        correction=correction,
        remark=remark,
    )
