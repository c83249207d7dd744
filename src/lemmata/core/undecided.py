"""What a claim shows where its rule decides nothing: outside its setting, or of a run that is too short, the numbers
all the same; else the reason alone."""

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.core.claim import Claim, Judgement, Part, attempt, unnamed
from lemmata.core.condition import Condition, Needs, of_result
from lemmata.core.errors import OutsideSetting, TooShort, Undecided
from lemmata.core.evidence import Evidence
from lemmata.core.run import RunResult, Runs
from lemmata.core.sample import Sample
from lemmata.core.verdict import Elements, Verdict
from lemmata.core.warnings import suppress_warnings

UNJUDGED = (OutsideSetting, TooShort)  # no part decides, and whoever asked may see what came of it


def without_evidence(claim: Claim, why: Undecided, read: Collection[str]) -> Judgement:
    return Judgement(claim, "undecided", None, why, math.nan, "undecided", why.reason, reads=tuple(sorted(read)))


def undecided_judgement(claim: Claim, all_runs: Runs, needs: Needs, why: Undecided, read: Collection[str]) -> Judgement:
    """Undecided, with what was measured and predicted as far as it can be had; nothing of it is judged."""
    runs = all_runs.watched(
        {name: _with_numbers(given if isinstance(given, tuple) else (given,)) for name, given in needs.items()}
    )
    parts = claim.named_parts()
    with suppress_warnings(True):
        subject = _if_possible(claim.subject, runs)
        if isinstance(subject, Undecided):
            return without_evidence(claim, why, read)
        measured = {name: _if_possible(part.read, subject) for name, part in parts.items()}
        if all(isinstance(value, Undecided) for value in measured.values()):
            return without_evidence(claim, why, read)
        predicted = {name: _if_possible(part.rule.expected, runs) for name, part in parts.items()}
        corrected = None
        if claim.correction:
            corrected = {name: _if_possible(part.if_corrected, predicted[name], runs) for name, part in parts.items()}
        evidence = tuple(
            Evidence(
                name,
                part.rule,
                _undecided(part, predicted[name], measured[name], why),
                predicted[name],
                measured[name],
                corrected[name] if corrected else None,
                along=axes if isinstance(axes := _if_possible(part.axes, all_runs), dict) else {},
            )
            for name, part in parts.items()
        )
    return replace(
        without_evidence(claim, why, {*read, *runs.read}),
        predicted=unnamed(predicted),
        measured=unnamed(measured),
        corrected=unnamed(corrected) if corrected else None,
        evidence=evidence,
    )


def _with_numbers(given: Condition | tuple[Condition, ...]) -> Condition:
    """What an experiment asks of a run that is to be read at all."""

    @of_result
    def readable(run: RunResult) -> Undecided | None:
        reasons = (condition(run) for condition in (given if isinstance(given, tuple) else (given,)))
        return next((reason for reason in reasons if reason and not isinstance(reason, UNJUDGED)), None)

    return readable


def _if_possible(reading: Callable[..., Any], *of: Any) -> Any:
    """What a reading gives, if it can: whoever wrote it did not think of these settings, so it may raise anything."""
    try:
        return attempt(reading, *of)
    except Exception as error:
        return Undecided(f"cannot be read in this setting ({type(error).__name__})")


def _undecided(part: Part, predicted: Any, measured: Any, why: Undecided) -> Verdict:
    """No verdict on a part, and what of its measurement would have been compared."""
    if isinstance(measured, Undecided):
        return Verdict("undecided", math.nan, measured.reason)
    verdict = _if_possible(part.rule, predicted, measured)
    compared = measured if isinstance(verdict, Undecided) or verdict.compared is None else verdict.compared
    return Verdict("undecided", math.nan, why.reason, _elements(compared), compared)


def _elements(compared: Any) -> Elements | None:
    """None of them decided; None where nobody can say which number stands where."""
    values = _if_possible(lambda: np.asarray(compared.mean if isinstance(compared, Sample) else compared))
    if isinstance(values, Undecided) or values.dtype.kind == "O":
        return None
    return Elements(np.full(values.shape, math.nan), np.full(values.shape, "undecided"))
