"""Experiments that were run and judged, and those that cannot be run here: what commands print and the page shows."""

from dataclasses import dataclass, replace
from typing import Any

from lemmata.core.claim import Claim, Judgement
from lemmata.core.errors import Undecided
from lemmata.core.experiment import Artefact, Experiment
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import Paper, Selection
from lemmata.core.rng import replicated
from lemmata.core.run import Runs
from lemmata.core.scale import Scale
from lemmata.core.to_json import to_json
from lemmata.core.warnings import suppress_warnings
from lemmata.record.record import NOT_RUN, Record
from lemmata.record.record_of import claim_facts, record_of


@dataclass(frozen=True)
class ExperimentResult:
    """An experiment's runs and the verdicts read from them."""

    selection: Selection
    runs: Runs
    judgements: tuple[Judgement, ...]
    head: tuple[str, ...] = ()  # what was changed, in words: a verdict under changed assumptions is not the paper's
    left_out: tuple[tuple[Claim, str], ...] = ()  # claims that rest on no changed run, each with what it rests on

    @property
    def experiment(self) -> Experiment:
        return self.selection.experiment

    @property
    def paper(self) -> Paper:
        return self.selection.paper

    @property
    def seeds(self) -> tuple[int, ...]:
        """Those named by the `seeds` or `seed` fields of the runs, in order."""
        found: set[int] = set()
        for run in self.runs.by_name.values():
            seeds = getattr(run.config, "seeds", ())
            found |= {seeds} if isinstance(seeds, int) else set(seeds)
            if isinstance(seed := getattr(run.config, "seed", None), int):
                found.add(seed)
        return tuple(sorted(found))

    @property
    def run_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(run.config.digest for run in self.runs.by_name.values()))

    @property
    def elsewhere(self) -> str:
        """Which of the runs were imported, in words; empty where all were computed here."""
        marks = {run.config.digest: run.record.get("imported") for run in self.runs.by_name.values()}
        if not (found := [mark for mark in marks.values() if mark]):
            return ""
        again = sum(mark.get("recomputed") == "true" for mark in found)
        places = ", ".join(sorted({mark.get("from", "") for mark in found}))
        return f"{len(found)} of {pluralize(len(marks), 'run')} computed elsewhere ({again} again here), from {places}"

    @property
    def seconds(self) -> float:
        """What the runs cost when they were computed."""
        return sum({run.config.digest: float(run.record["seconds"]) for run in self.runs.by_name.values()}.values())

    def draw(self) -> Artefact:
        """The experiment's drawing; where changed settings left nothing to draw, the reason as its caption."""
        try:
            with replicated(self.runs.replication), suppress_warnings(bool(self.head)):
                return self.experiment.draw(self.runs)
        except Undecided as undecided:
            return Artefact(None, {}, f"Not drawn: {undecided.reason}.")

    def records(self, limit: int | None = None) -> list[Record]:
        """A record a verdict; `limit`: of the evidence, so many elements a part alone."""
        more: dict[str, Any] = {"seconds": to_json(self.seconds), "runs": self.run_ids, "changed": self.head}
        return [
            record_of(one, limit, claim_facts(one.claim, self.selection, self.runs.scale), **more)
            for one in self.judgements
        ]

    def left_out_records(self) -> list[Record]:
        """Of the claims that no change reached, each with the reason."""
        facts = ((claim_facts(claim, self.selection, self.runs.scale), why) for claim, why in self.left_out)
        return [replace(record, left_out=why, changed=self.head) for record, why in facts]


@dataclass(frozen=True)
class NotRun:
    """An experiment that cannot be run on this machine, and why: an extra is not installed, weights are not there."""

    selection: Selection
    scale: Scale
    reason: str

    @property
    def experiment(self) -> Experiment:
        return self.selection.experiment

    @property
    def paper(self) -> Paper:
        return self.selection.paper

    def records(self) -> list[Record]:
        """A record a claim: no evidence, and the reason as its detail."""
        known = (claim_facts(claim, self.selection, self.scale) for claim in self.selection.claims)
        return [replace(one, status=NOT_RUN, detail=self.reason) for one in known]
