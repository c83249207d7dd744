"""What extraction claims read from a run: its fine-tunings by name, in the seeds that have learned their questions."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lemmata.core import Claim, Configs, RunResult, Runs, Undecided, Word
from lemmata.papers.knowledge.claims import _extraction_runs as configured
from lemmata.papers.knowledge.claims._extraction_runs import NARROW, OPTIMIZERS, READ_AT, Optimizer, Tunings, on_all

LEARNED = 0.9  # of its own questions, at least: fine-tuning that has not learned these has not begun to extract
FEWEST = 3  # seeds in which it has
COLOUR = dict(zip(OPTIMIZERS, ("blue", "vermillion"), strict=True))
BY: dict[Optimizer, str] = {"descent": "by gradient descent", "AdamW": "with AdamW"}
Curve = tuple[np.ndarray, np.ndarray]  # steps, and values as [seed, step]


def under_both(claim: Callable[[Optimizer], Claim]) -> tuple[Claim, Claim]:
    """A claim under gradient descent, and the same with AdamW in fine-tuning."""
    theirs, other = (claim(optimizer) for optimizer in OPTIMIZERS)
    return theirs, replace(other, id=f"{theirs.id}-adamw", locus=f"{other.locus}, read with AdamW in fine-tuning")


@dataclass(frozen=True)
class Tuned:
    """A run, with the names of its fine-tunings. Values are one a seed, unless it says otherwise."""

    run: RunResult
    tunings: Tunings

    @property
    def multiplicity(self) -> int:
        return self.run.config.facts.multiplicity

    def number(self, name: str) -> int:
        """A fine-tuning's number in the run's table."""
        number = list(self.tunings).index(name) if name in self.tunings else -1
        # The first may have been changed on the command line; in place of the others there may be something else.
        if number < 0 or (number and self.run.config.tunings[number : number + 1] != (self.tunings[name],)):
            raise Undecided(f"under these settings there is no fine-tuning {name!r}")
        return number

    def curve(self, name: str, column: str = "extraction") -> Curve:
        """Fine-tuning steps, and the column's values as [seed, record]."""
        return self.run.curve(column, tuning=self.number(name))

    def before(self, column: str = "extraction") -> np.ndarray:
        return self.run.column(column, tuning=0, step=0)

    def after(self, name: str, column: str = "extraction") -> np.ndarray:
        """After `READ_AT` steps, or at the end of shorter fine-tuning."""
        steps, values = self.curve(name, column)
        at = min(READ_AT, steps[-1])
        if at not in steps:
            raise Undecided(f"nothing was recorded after {at} steps of the fine-tuning {name!r}")
        return values[:, list(steps).index(at)]

    def mean(self, name: str, column: str = "extraction") -> float:
        return float(self.after(name, column).mean())

    def level(self, optimizer: Optimizer, name: str | None = None) -> float:
        """After a fine-tuning (on all, unless named), the mean over the seeds that are judged."""
        return float(self.after(name or on_all(optimizer))[self.shown_seeds(optimizer)].mean())

    def learned_seeds(self, optimizer: Optimizer) -> np.ndarray:
        """The seeds in which fine-tuning on all has learned its own questions. (In some, attention at the new token p
        happens to start on o alone, out of the reach of gradient descent.)"""
        found = np.flatnonzero(self.after(on_all(optimizer), "asked_accuracy") >= LEARNED)
        if len(found) < FEWEST:
            raise Undecided(f"{optimizer} learned {LEARNED:g} of its own questions in {len(found)} seeds only")
        return found

    def shown_seeds(self, optimizer: Optimizer) -> np.ndarray:
        """The seeds that are judged; where they are too few to judge, all."""
        try:
            return self.learned_seeds(optimizer)
        except Undecided:
            return np.arange(len(self.run.config.seeds))

    def shown_curve(self, optimizer: Optimizer, name: str | None = None, column: str = "extraction") -> Curve:
        """Along a fine-tuning (on all, unless named), in those seeds."""
        steps, values = self.curve(name or on_all(optimizer), column)
        return steps, values[self.shown_seeds(optimizer)]

    def reached(self, optimizer: Optimizer, name: str | None = None, column: str = "extraction") -> np.ndarray:
        """After a fine-tuning (on all, unless named), in the seeds in which the one on all has learned."""
        return self.after(name or on_all(optimizer), column)[self.learned_seeds(optimizer)]

    @property
    def held_out(self) -> int:
        """How many subjects no question of fine-tuning names."""
        return self.run.config.facts.num_held_out

    @property
    def accuracy(self) -> float:
        """Of [o s r] -> a after pre-training, the mean over seeds."""
        return float(self.run.arrays["pretraining.fact_accuracy"][:, -1].mean())

    @property
    def excess(self) -> float:
        """Pre-training loss above the least possible, in nats, the mean over seeds."""
        return float(self.run.arrays["pretraining.excess"][:, -1].mean())

    def named(self, prefix: str) -> list[str]:
        return [name for name in self.tunings if name.startswith(prefix)]

    @property
    def ranks(self) -> list[str]:
        """The low-rank fine-tunings of both parts, every subject asked about, from rank 1 on."""
        return [name for name in self.named("rank ") if "," not in name]

    def asked(self, optimizer: Optimizer) -> dict[str, int]:
        """The fine-tunings by subjects, and how many each asks about: few to many."""
        config = self.run.config
        everyone = config.facts.subjects - config.facts.num_held_out
        numbers = {
            name: config.tunings[self.number(name)].coverage.subjects or everyone
            for name in self.named(f"{optimizer} on ")
        }
        return dict(sorted(numbers.items(), key=lambda pair: pair[1]))


class Answers(NamedTuple):
    """Of one model to held-out questions, a number a seed: those in which fine-tuning has learned its own questions."""

    of: Tuned
    extraction: np.ndarray
    before: np.ndarray

    @classmethod
    def after(cls, tuned: Tuned, optimizer: Optimizer) -> "Answers":
        return cls(tuned, tuned.reached(optimizer), tuned.before()[tuned.learned_seeds(optimizer)])

    def untuned(self) -> "Answers":
        """Of the same models before fine-tuning."""
        return self._replace(extraction=self.before)


def halves(run: str) -> dict[str, Word]:
    """Words of a statement for the subjects that fine-tuning asks about, and for the held-out ones."""

    def asked(configs: Configs) -> float:
        return 1 - configs[run].facts.held_out

    return {
        "half of the subjects": lambda configs: f"{asked(configs):g} of the subjects",
        "the other half": lambda configs: f"the other {1 - asked(configs):g}",
    }


def main(runs: Runs) -> Tuned:
    return Tuned(runs["main"], configured.main_tunings(runs.scale))


def watched(runs: Runs) -> Tuned:
    return Tuned(runs["watched"], configured.watched_tunings(runs.scale))


def variant(runs: Runs, name: str) -> Tuned:
    return Tuned(runs[name], configured.plain_tunings(runs.scale))


def narrow(runs: Runs) -> Tuned:
    return Tuned(runs["narrow"], configured.cell_tunings(runs.scale, NARROW))


def cells(runs: Runs) -> list[Tuned]:
    """In order of multiplicity."""
    found = [Tuned(run, configured.cell_tunings(runs.scale, int(k))) for k, run in runs.group("K").items()]
    return sorted(found, key=lambda one: one.multiplicity)
