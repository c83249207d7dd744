"""Runs changed from the command line may lack what a claim reads: it is then undecided, and the figure says so."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lemmata.core import Artefact, Undecided
from lemmata.core.legacy import Claim, Correction, Experiment, Results


class NotRun(LookupError):
    """A run, or a fine-tuning within it, that an experiment reads and that the changed settings do not contain."""


def may_lack_runs(experiment: Experiment) -> Experiment:
    """The same experiment, where `NotRun` becomes an undecided claim and a figure left out, with the reason."""
    claims = tuple(_tolerant(claim) for claim in experiment.claims)
    return replace(experiment, claims=claims, render=_drawn(experiment.render))


def _tolerant(claim: Claim) -> Claim:
    fix = claim.correction
    corrected: Correction | None = None if fix is None else replace(fix, predict=_read(fix.predict))
    readings = {name: _read(getattr(claim, name)) for name in ("predict", "measure", "control")}
    return replace(claim, **readings, correction=corrected)


def _read(reading: Callable[[Results], Any]) -> Callable[[Results], Any]:
    def read(results: Results) -> Any:
        try:
            return reading(results)
        except NotRun as reason:
            return Undecided(str(reason))

    return read


def _drawn(render: Callable[[Results], Artefact]) -> Callable[[Results], Artefact]:
    def draw(results: Results) -> Artefact:
        try:
            return render(results)
        except NotRun as reason:
            return Artefact(None, {}, f"No figure: {reason}.")

    return draw
