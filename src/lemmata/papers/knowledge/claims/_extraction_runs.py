"""The runs of the extraction claims: a pre-training for each cell, and its fine-tunings by name.

Our text is cut before it says what fine-tunes. So there are two optimizers: the theory's gradient descent, and AdamW,
which pre-trains in the paper's experiments. Claims are judged under the first; those under the second end in -adamw.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from lemmata.core import Condition, Scale, TooShort, Undecided, of_config
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.model import TrainedPart
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig
from lemmata.papers.knowledge.run.training import Extraction, base_cell, lighter
from lemmata.papers.knowledge.task import CoverageConfig, FactsConfig

Optimizer = Literal["descent", "AdamW"]
OPTIMIZERS: tuple[Optimizer, ...] = ("descent", "AdamW")
READ_AT = 120  # fine-tuning steps, fixed before any run; what longer fine-tuning does is the subject of Figure 6
LOW_RANK_LEARNING_RATE = 1e-3  # factors start from 0 and are slow at the full matrices' 3e-4
NARROW = 2  # K of the cell where the templates that fine-tuning covers vary too
FAST = "AdamW at the rate of low ranks"
WITHOUT_ATTENTION = ("descent, neurons", "AdamW, neurons", "rank 1, neurons")  # A frozen

Tunings = Mapping[str, FineTuningConfig]


def on_all(optimizer: Optimizer) -> str:
    """The fine-tuning that asks about every subject not held out."""
    return f"{optimizer} on all"


def tuning(
    scale: Scale,
    optimizer: Optimizer,
    watched: bool = False,
    *,
    rank: int | None = None,
    part: TrainedPart = "both",
    **cover: Any,
) -> FineTuningConfig:
    """Up to where extraction is read, with a few records on the way; or watched, for twice as many steps."""
    base = base_cell(scale).tuning
    return replace(
        base,
        steps=min(base.steps, READ_AT) * (1 + (watched and scale.name != "smoke")),
        records=(sizes.WATCHED_RECORDS if watched else sizes.EXTRACTION_RECORDS).at(scale),
        coverage=CoverageConfig(**cover),
        descent=DescentConfig() if optimizer == "descent" else None,
        rank=rank,
        part=part,
        learning_rate=base.learning_rate if rank is None else LOW_RANK_LEARNING_RATE,
    )


def by_subjects(scale: Scale, watched: bool = False) -> Tunings:
    """Under both optimizers, asking about all subjects that are not held out, then about fewer."""
    every = {on_all(one): tuning(scale, one, watched) for one in OPTIMIZERS}
    numbers = sizes.ASKED_SUBJECTS.at(scale)
    return every | {f"{one} on {n}": tuning(scale, one, subjects=n) for one in OPTIMIZERS for n in numbers}


def main_tunings(scale: Scale, watched: bool | None = None) -> Tunings:
    """Also another split, other ranks, parts and learning rates. On a laptop another run is watched."""
    watched = scale.name != "laptop" if watched is None else watched
    found = {**by_subjects(scale, watched), "by tuple": tuning(scale, "AdamW", split="tuple")}
    found |= {f"rank {rank}": tuning(scale, "AdamW", watched, rank=rank) for rank in sizes.RANKS.at(scale)}
    found |= {"rank 1, neurons": tuning(scale, "AdamW", rank=1, part="neurons")}
    if scale.name == "smoke":
        return found
    parts: tuple[TrainedPart, ...] = ("attention", "neurons")
    found |= {f"{one}, {part}": tuning(scale, one, part=part) for one in OPTIMIZERS for part in parts}
    return found | {FAST: replace(tuning(scale, "AdamW", watched), learning_rate=LOW_RANK_LEARNING_RATE)}


def _run(scale: Scale, tunings: Tunings, facts: FactsConfig | None = None) -> Extraction:
    first, *others = tunings.values()
    base = base_cell(scale)
    return replace(
        base,
        facts=facts or base.facts,
        model=replace(base.model, neuron_start=sizes.EXTRACTION_NEURON_START.at(scale)),
        pretraining=replace(base.pretraining, steps=sizes.EXTRACTION_STEPS.at(scale)),
        tuning=first,
        others=tuple(others),
    )


def main_run(scale: Scale) -> Extraction:
    """The base cell of every scale; at the paper's, N = 1000 and K = |R| = 5."""
    return _run(scale, main_tunings(scale))


def watched_tunings(scale: Scale) -> Tunings:
    """Those of the base cell that are followed past where extraction is read, and their counterparts without A."""
    named = main_tunings(scale, watched=True)
    if scale.name != "laptop":
        return named
    return {name: named[name] for name in (*map(on_all, OPTIMIZERS), "rank 1", "rank 4", FAST, *WITHOUT_ATTENTION)}


def watched_run(scale: Scale) -> Extraction:
    """On a laptop in many seeds of its own."""
    base = _run(scale, watched_tunings(scale))
    if scale.name != "laptop":
        return base
    seeds = sizes.seeds(scale, sizes.WATCHED_SEEDS, max(base.seeds) + 1)
    return replace(base, pretraining=lighter(scale), seeds=seeds)


def plain_tunings(scale: Scale) -> Tunings:
    return {on_all(optimizer): tuning(scale, optimizer) for optimizer in OPTIMIZERS}


def variant_run(scale: Scale, facts: Mapping[str, Any] | None = None, **model: Any) -> Extraction:
    """The base cell with another world or model, half of the seeds, and both optimizers of fine-tuning."""
    base = _run(scale, plain_tunings(scale))
    half = base.seeds[: max(1, len(base.seeds) // 2)]
    world = replace(base.facts, **(facts or {}))
    return replace(base, facts=world, model=replace(base.model, **model), seeds=half)


def uniform_run(scale: Scale) -> Extraction:
    """With uniform attention, in all of the base cell's seeds: half of them left its claims undecided now and then."""
    return replace(variant_run(scale, attention="uniform"), seeds=base_cell(scale).seeds)


def cell_runs(scale: Scale) -> dict[str, Extraction]:
    """Multiplicities, each with the same coverages."""
    return {f"K/{k}": cell_run(scale, k) for k in sizes.CELL_MULTIPLICITIES.at(scale)}


def cell_run(scale: Scale, multiplicity: int) -> Extraction:
    base = _run(scale, cell_tunings(scale, multiplicity), cell_facts(scale, multiplicity))
    return replace(base, seeds=sizes.seeds(scale, sizes.CELL_SEEDS))


def cell_facts(scale: Scale, multiplicity: int) -> FactsConfig:
    return replace(base_cell(scale).facts, templates=sizes.CELL_TEMPLATES.at(scale), multiplicity=multiplicity)


def cell_tunings(scale: Scale, multiplicity: int) -> Tunings:
    """Where the base cell is one of the plane's, in the same seeds, they are one run."""
    same = scale.name != "laptop" and cell_facts(scale, multiplicity) == base_cell(scale).facts
    return main_tunings(scale) if same else by_subjects(scale)


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
