"""The runs of the extraction claims: a pre-training for each cell, and its fine-tunings by name.

Our text is cut before it says what fine-tunes. So there are two readings: the theory's gradient descent, and AdamW,
which pre-trains in the paper's experiments. Claims are judged in the first; where the second differs it has its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from lemmata.core import Condition, RunResult, Runs, Scale, TooShort, Undecided, of_config
from lemmata.papers.knowledge.model import TrainedPart
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig
from lemmata.papers.knowledge.run.training import FRESH, Extraction, lighter, setting
from lemmata.papers.knowledge.task import CoverageConfig, FactsConfig

Optimizer = Literal["descent", "AdamW"]
OPTIMIZERS: tuple[Optimizer, ...] = ("descent", "AdamW")
READ_AT = 120  # fine-tuning steps, fixed before any run; what longer fine-tuning does is the subject of Figure 6
LOW_RANK_LEARNING_RATE = 1e-3  # factors start from 0 and are slow at the full matrices' 3e-4
NARROW = 2  # K of the cell where the templates that fine-tuning covers vary too
FAST = "AdamW at the rate of low ranks"
LEARNED = 0.9  # of its own questions, at least: fine-tuning that has not learned these has not begun to extract
FEWEST = 3  # seeds in which it has
WITHOUT_ATTENTION = ("descent, neurons", "AdamW, neurons", "rank 1, neurons")  # A frozen

Tunings = Mapping[str, FineTuningConfig]


def on_all(reading: Optimizer) -> str:
    """The fine-tuning that asks about every subject not held out."""
    return f"{reading} on all"


def tuning(
    scale: Scale,
    reading: Optimizer,
    watched: bool = False,
    *,
    rank: int | None = None,
    part: TrainedPart = "both",
    **cover: Any,
) -> FineTuningConfig:
    """Up to where extraction is read, with a few records on the way; or watched, for twice as many steps."""
    base = setting(scale).tuning
    if scale.name != "smoke":
        base = replace(base, steps=2 * READ_AT, records=48) if watched else replace(base, steps=READ_AT, records=4)
    descent = DescentConfig() if reading == "descent" else None
    learning_rate = base.learning_rate if rank is None else LOW_RANK_LEARNING_RATE
    return replace(
        base, coverage=CoverageConfig(**cover), descent=descent, rank=rank, part=part, learning_rate=learning_rate
    )


def by_subjects(scale: Scale, watched: bool = False) -> Tunings:
    """In both readings, asking about all subjects that are not held out, then about fewer."""
    numbers = scale.pick(smoke=(1,), laptop=(1, 3, 10), paper=(1, 3, 10, 30, 100))
    every = {on_all(reading): tuning(scale, reading, watched) for reading in OPTIMIZERS}
    return every | {f"{reading} on {n}": tuning(scale, reading, subjects=n) for reading in OPTIMIZERS for n in numbers}


def main_tunings(scale: Scale, watched: bool | None = None) -> Tunings:
    """Also another split, other ranks, parts and rates. On a laptop another run is watched."""
    watched = scale.name != "laptop" if watched is None else watched
    ranks = scale.pick(smoke=(1,), laptop=(1, 4), paper=(1, 2, 4, 8))
    found = {**by_subjects(scale, watched), "by tuple": tuning(scale, "AdamW", split="tuple")}
    found |= {f"rank {rank}": tuning(scale, "AdamW", watched, rank=rank) for rank in ranks}
    found |= {"rank 1, neurons": tuning(scale, "AdamW", rank=1, part="neurons")}
    if scale.name == "smoke":
        return found
    parts: tuple[TrainedPart, ...] = ("attention", "neurons")
    found |= {f"{reading}, {part}": tuning(scale, reading, part=part) for reading in OPTIMIZERS for part in parts}
    return found | {FAST: replace(tuning(scale, "AdamW", watched), learning_rate=LOW_RANK_LEARNING_RATE)}


def _run(scale: Scale, tunings: Tunings, facts: FactsConfig | None = None) -> Extraction:
    """With 1,000 subjects the neurons start ten times larger: at 0.01 a class that the first batches lack is pushed
    below zero for every input within two steps of Adam and never comes back (a batch of 128 then stores 0.58, one of
    1,024 0.98 of the facts); at 0.1 all are stored. Figure 2 was run in `training.setting` itself: neurons at 0.01,
    2,000 steps instead of 3,000."""
    first, *others = tunings.values()
    base = setting(scale)
    config = replace(base, facts=facts or base.facts, tuning=first, others=tuple(others))
    if scale.name == "paper":
        model = replace(config.model, neuron_start=0.1)
        config = replace(config, model=model, pretraining=replace(config.pretraining, steps=3000))
    return config


def main_run(scale: Scale) -> Extraction:
    """The base cell of every scale; at the paper's, N = 1000 and K = |R| = 5."""
    return _run(scale, main_tunings(scale))


def watched_tunings(scale: Scale) -> Tunings:
    """Those of the base cell that are followed past where extraction is read, and their counterparts without A."""
    named = main_tunings(scale, watched=True)
    if scale.name != "laptop":
        return named
    wanted = (*map(on_all, OPTIMIZERS), "rank 1", "rank 4", FAST, *WITHOUT_ATTENTION)
    return {name: named[name] for name in wanted}


def watched_run(scale: Scale) -> Extraction:
    """On a laptop in many seeds of its own: ten left what it shows undecided now and then."""
    base = _run(scale, watched_tunings(scale))
    if scale.name != "laptop":
        return base
    first = max(base.seeds) + 1
    seeds = tuple(first + seed for seed in scale.seeds(smoke=1, laptop=48, paper=1))
    return replace(base, pretraining=lighter(scale), seeds=seeds)


def plain_tunings(scale: Scale) -> Tunings:
    return {on_all(reading): tuning(scale, reading) for reading in OPTIMIZERS}


def variant_run(scale: Scale, facts: Mapping[str, Any] | None = None, **model: Any) -> Extraction:
    """The base cell with another world or model, half of the seeds, and both readings of fine-tuning."""
    base = _run(scale, plain_tunings(scale))
    half = base.seeds[: max(1, len(base.seeds) // 2)]
    world = replace(base.facts, **(facts or {}))
    return replace(base, facts=world, model=replace(base.model, **model), seeds=half)


def uniform_run(scale: Scale) -> Extraction:
    """With uniform attention, in all of the base cell's seeds: half of them left its claims undecided now and then."""
    return replace(variant_run(scale, attention="uniform"), seeds=setting(scale).seeds)


def cell_runs(scale: Scale) -> dict[str, Extraction]:
    """Multiplicities, each with the same coverages."""
    numbers = scale.pick(smoke=(2, 3), laptop=(1, 2, 5, 10), paper=(1, 2, 5, 10))
    return {f"K/{k}": cell_run(scale, k) for k in numbers}


def cell_run(scale: Scale, multiplicity: int) -> Extraction:
    """In more seeds than the rest: with twelve the order of the cells was undecided now and then."""
    base = _run(scale, cell_tunings(scale, multiplicity), cell_facts(scale, multiplicity))
    return replace(base, seeds=tuple(FRESH + seed for seed in scale.seeds(smoke=2, laptop=16, paper=5)))


def cell_facts(scale: Scale, multiplicity: int) -> FactsConfig:
    """Of 20 templates, also at the paper's scale: its own 5 leave multiplicity no room."""
    templates = scale.pick(smoke=6, laptop=20, paper=20)
    return replace(setting(scale).facts, templates=templates, multiplicity=multiplicity)


def cell_tunings(scale: Scale, multiplicity: int) -> Tunings:
    """Where the base cell is one of the plane's, in the same seeds, they are one run."""
    same = scale.name != "laptop" and cell_facts(scale, multiplicity) == setting(scale).facts
    return main_tunings(scale) if same else by_subjects(scale)


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

    def curve(self, name: str, column: str = "extraction") -> tuple[np.ndarray, np.ndarray]:
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

    def learned_seeds(self, reading: Optimizer) -> np.ndarray:
        """The seeds in which fine-tuning on all has learned its own questions. (In some, attention at the new token p
        happens to start on o alone, out of the reach of gradient descent.)"""
        found = np.flatnonzero(self.after(on_all(reading), "asked_accuracy") >= LEARNED)
        if len(found) < FEWEST:
            raise Undecided(f"{reading} learned {LEARNED:g} of its own questions in {len(found)} seeds only")
        return found

    def reached(self, reading: Optimizer, name: str | None = None, column: str = "extraction") -> np.ndarray:
        """After a fine-tuning (on all, unless named), in the seeds in which the one on all has learned."""
        return self.after(name or on_all(reading), column)[self.learned_seeds(reading)]

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

    def asked(self, reading: Optimizer) -> dict[str, int]:
        """The fine-tunings by subjects, and how many each asks about: few to many."""
        config = self.run.config
        everyone = config.facts.subjects - config.facts.num_held_out
        numbers = {
            name: config.tunings[self.number(name)].coverage.subjects or everyone
            for name in self.named(f"{reading} on ")
        }
        return dict(sorted(numbers.items(), key=lambda pair: pair[1]))


class FineTuned(NamedTuple):
    """One fine-tuning of a run."""

    of: Tuned
    name: str

    @property
    def extraction(self) -> np.ndarray:
        """For each seed."""
        return self.of.after(self.name)

    @property
    def leak(self) -> np.ndarray:
        """The share of held-out questions that it asks, for each seed."""
        return self.of.run.arrays["leak"][self.of.number(self.name)]


def main(runs: Runs) -> Tuned:
    return Tuned(runs["main"], main_tunings(runs.scale))


def watched(runs: Runs) -> Tuned:
    return Tuned(runs["watched"], watched_tunings(runs.scale))


def variant(runs: Runs, name: str) -> Tuned:
    return Tuned(runs[name], plain_tunings(runs.scale))


def narrow(runs: Runs) -> Tuned:
    return Tuned(runs["narrow"], cell_tunings(runs.scale, NARROW))


def cells(runs: Runs) -> list[Tuned]:
    """In order of multiplicity."""
    found = [Tuned(run, cell_tunings(runs.scale, int(k))) for k, run in runs.group("K").items()]
    return sorted(found, key=lambda one: one.multiplicity)


@of_config
def long_enough(config: Any) -> Undecided | None:
    steps = config.tuning.steps
    early = f"{steps} steps of fine-tuning: extraction is read after {READ_AT}"
    return None if steps >= READ_AT else TooShort(early)


def in_many_seeds(least: int) -> Condition:
    """For what lies so near its bound that fewer seeds say one thing today and another tomorrow."""

    @of_config
    def condition(config: Any) -> Undecided | None:
        count = len(config.seeds)
        few = f"{count} seeds: so near the bound it takes {least} to tell (--seeds {least})"
        return None if count >= least else Undecided(few)

    return condition
