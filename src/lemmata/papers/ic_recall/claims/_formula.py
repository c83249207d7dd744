"""Claims that compare a printed formula with what autodiff says at a run's points."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.core import Claim, Correction, Part, Recorded, RunResult, Runs, Severity, near

Reading = Callable[[RunResult], Any]
SOURCE = "the paper's text as converted from its PDF; a sign or an exponent lost there would be the conversion's"


def formula(
    id: str,
    locus: str,
    statement: str,
    predict: Reading,
    measure: Reading,
    *,
    corrected: Reading | None = None,
    severity: Severity = "step of a proof",
    printed: str = "",
    right: str = "",
    reason: str = "",
    root: str = "",
    survives: str = "",
    latex: str = "",
    remark: str = "",
    along: Mapping[str, Reading | Sequence[Any]] | None = None,  # the axes of what is measured
    atol: float = 1e-10,  # float64 rounding, amplified by 1/T and by a few cancellations
    rtol: float = 1e-9,
) -> Claim:
    """A formula against autodiff in the run "main". The control is what autodiff says at other points (or rows)."""

    def of_main(reading: Reading) -> Callable[[Runs], Any]:
        return lambda runs: reading(runs["main"])

    axes = {name: of_main(labels) if callable(labels) else labels for name, labels in (along or {}).items()}
    return Claim(
        id=id,
        locus=locus,
        statement=statement,
        subject=lambda runs: runs["main"],
        wrong=lambda runs: backwards(runs["main"]),
        parts=Part(measure, near(of_main(predict), atol, rtol), corrected=of_main(corrected or predict), along=axes),
        correction=Correction(
            severity=severity,
            printed=printed,
            corrected=right,
            reason=reason,
            root=root,
            survives=survives,
            source=SOURCE,
            latex=latex,
        )
        if corrected
        else None,
        remark=remark,
    )


def points(run: RunResult) -> range:
    """The numbers of a run's random attention vectors."""
    return range(1, len(run.arrays["v"]) + 1)


def scores(letter: str, count: int = 6) -> list[str]:
    """`v_1` to `v_6`."""
    return [f"{letter}_{i}" for i in range(1, count + 1)]


def backwards(run: RunResult) -> RunResult:
    """The run with its rows (points, temperatures, worlds) in the opposite order: every number is another row's."""

    def turned(recorded: Mapping[str, np.ndarray]) -> Recorded:
        return Recorded({name: values[::-1] if np.ndim(values) else values for name, values in recorded.items()})

    return replace(run, metrics=turned(run.metrics), arrays=turned(run.arrays))
