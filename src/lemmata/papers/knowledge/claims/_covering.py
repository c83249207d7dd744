"""The run in which each held-out fact is covered once and left out once, and what claims on covering read from it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Part, RunResult, Runs, Scale, Successes, Undecided, at_least
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.probe.covering import after, extraction, of_failures
from lemmata.papers.knowledge.run.covering import CoveringRun
from lemmata.papers.knowledge.run.training import base_cell
from lemmata.report.plots import COLOURS, GREY

DESCENT, RANK_1, ADAMW = 0, 1, 2  # the run's fine-tunings; the last is not judged, and left out on a laptop
SIDES = {"covered": COLOURS["blue"], "uncovered": COLOURS["vermillion"]}


def covering_run(scale: Scale) -> CoveringRun:
    """K = 1 and a wide model, where templates show."""
    base = base_cell(scale)
    world = {"multiplicity": 1, "pad_multiplicity": None} | sizes.COVERING_FACTS.at(scale)
    return CoveringRun(
        facts=replace(base.facts, **world),
        model=replace(base.model, width=sizes.COVERING_WIDTH.at(scale)),
        pretraining=replace(base.pretraining, records=4, **sizes.COVERING_PRETRAINING.at(scale)),
        tuning=replace(base.tuning, learning_rate=1e-4, steps=sizes.COVERING_TUNING_STEPS.at(scale), records=1),
        adamw=scale.name != "laptop",
        seeds=sizes.seeds(scale, sizes.COVERING_SEEDS),
    )


class Covering(NamedTuple):
    """After one fine-tuning, or before (None); `shuffled`: half of the templates called covered are."""

    run: RunResult
    tuning: int | None
    shuffled: bool = False

    @property
    def gap(self) -> np.ndarray:
        """Extraction of covered less that of uncovered facts, for each seed."""
        return np.subtract(*extraction(self.run, self.tuning, shuffled=self.shuffled))

    @property
    def seeds_not_below(self) -> Successes:
        return Successes(int((self.gap >= 0).sum()), len(self.gap))

    @property
    def stored(self) -> np.ndarray:
        """Of the uncovered facts that do not come out, those whose own sentence gives the answer, for each seed
        that has such facts."""
        return self._of_failures(after(self.run, "recalled", self.tuning))

    @property
    def own(self) -> np.ndarray:
        """Of the uncovered facts that do not come out, those answered with their own relation, for each
        seed that has such facts."""
        reply = after(self.run, "reply", self.tuning)
        return self._of_failures((reply == 1 + self.run.arrays["templates"]).astype(float))

    def _of_failures(self, values: np.ndarray) -> np.ndarray:
        found = of_failures(self.run, values, covered=False, tuning=self.tuning)
        some = np.isfinite(found)
        if 2 * some.sum() < len(found):
            raise Undecided("in most seeds every held-out fact comes out: there are no failures to look at")
        return found[some]


GAP = {
    "mean over seeds": over_seeds(lambda found: found.gap, at_least(0.25)),
    "seeds in which it is none or more": Part(lambda found: found.seeds_not_below, at_least(0.75, over_seeds=True)),
    "uncovered and not reached, but stored": share_over_seeds(lambda found: found.stored, at_least(0.9)),
}


def sides(ax: Any, what: str, found: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> list[dict[str, Any]]:
    """Bars of covered and uncovered templates, dots a seed, for each fine-tuning; the table's rows."""
    rows = []
    for place, (name, both) in enumerate(found.items()):
        for offset, ((group, colour), values) in enumerate(zip(SIDES.items(), both, strict=True)):
            at = place + 0.36 * (offset - 0.5)
            ax.bar(at, values.mean(), 0.34, color=colour, label=None if place else group)
            ax.plot(np.full(len(values), at), values, "o", color=COLOURS["black"], markersize=3)
            row = {"what": what, "fine-tuning": name, "template": group}
            rows.append(row | {"mean": float(values.mean()), "std": float(values.std())})
    ax.set_xticks(range(len(found)), list(found))
    ax.axhline(0, color=GREY, linewidth=0.8)
    return rows


def described(runs: Runs) -> str:
    """Sizes and what pre-training reached, for captions."""
    run = runs["main"]
    config = run.config
    return (
        f"N = {config.facts.subjects}, |R| = {config.facts.templates}, K = 1, d = {config.model.width}; pre-training "
        f"accuracy {run.arrays['pretraining.fact_accuracy'].mean():.3f}, loss "
        f"{run.arrays['pretraining.excess'].mean():.3f} nats over the least; {len(config.seeds)} seeds. Every held-out "
        "fact is asked for after fine-tuning on the half of the templates that has its own, and on the other."
    )
