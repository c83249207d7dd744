"""The runs that the extraction experiments share: a pre-training for each multiplicity, many fine-tunings of it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lemmata.core import RunResult, Scale
from lemmata.core.legacy import Results
from lemmata.papers.knowledge.missing import NotRun
from lemmata.papers.knowledge.model import Part
from lemmata.papers.knowledge.probe.readings import READ_AT
from lemmata.papers.knowledge.run.finetuning import FineTuningConfig
from lemmata.papers.knowledge.run.training import Extraction, setting
from lemmata.papers.knowledge.task import CoverageConfig

LOW_RANK_RATE = 1e-3  # factors start from 0 and are slow at the full matrices' 3e-4
RANKS = (1, 2, 4, 8)
FEW = 8  # subjects asked about at every number of templates, so that the templates alone differ
PLANE_TEMPLATES = 20  # |R| where multiplicity varies; the paper's own 5 leave it no room


def tuning(
    scale: Scale,
    *,
    watched: bool = False,
    rank: int | None = None,
    part: Part = "both",
    rate: float | None = None,
    **coverage: Any,
) -> FineTuningConfig:
    """Up to where extraction is read; or watched, for twice as many steps."""
    base = setting(scale).tuning
    if scale.name != "smoke":
        base = replace(base, steps=2 * READ_AT, records=48) if watched else replace(base, steps=READ_AT, records=1)
    own_rate = base.rate if rank is None else LOW_RANK_RATE
    return replace(base, coverage=CoverageConfig(**coverage), rank=rank, part=part, rate=rate or own_rate)


def by_subjects(scale: Scale, watched: bool = False) -> tuple[FineTuningConfig, ...]:
    """Asking about all subjects that are not held out, then about fewer; and, as a control, about all and about one
    with other subjects' answers."""
    numbers = scale.pick(smoke=(None, 1), laptop=(None, 1, 3, 10, 30), paper=(None, 1, 3, 10, 30, 100))
    right = tuple(tuning(scale, watched=watched, subjects=number) for number in numbers)
    wrong = tuple(tuning(scale, watched=watched, subjects=number, answers="shuffled") for number in (None, 1))
    return right + wrong


def by_templates(scale: Scale) -> tuple[FineTuningConfig, ...]:
    """Asking about few subjects whose templates all lie in a set, with their own answers and with others'."""
    few, numbers = scale.pick(smoke=2, laptop=FEW, paper=FEW), template_numbers(scale)
    right = tuple(tuning(scale, subjects=few, templates=number) for number in numbers)
    ends = (numbers[0], numbers[-1])
    return right + tuple(tuning(scale, subjects=few, templates=n, answers="shuffled") for n in ends)


def template_numbers(scale: Scale) -> tuple[int, ...]:
    return scale.pick(smoke=(4, 6), laptop=(8, 12, 16, 20), paper=(8, 12, 16, 20))


def variants(scale: Scale) -> tuple[FineTuningConfig, ...]:
    """Other splits, ranks, parts and rates, all watched."""

    def one(**changes: Any) -> FineTuningConfig:
        return tuning(scale, watched=True, **changes)

    ranks = scale.pick(smoke=(1,), laptop=RANKS, paper=RANKS)
    found = [one(split="tuple"), *(one(rank=rank) for rank in ranks), one(rank=1, part="neurons")]
    if scale.name == "smoke":
        return tuple(found)
    found += [one(rank=1, subjects=number) for number in (3, 10)]
    found += [one(rank=1, part="attention"), one(part="attention"), one(part="neurons"), one(rate=LOW_RANK_RATE)]
    return tuple(found)


def _run(scale: Scale, tunings: tuple[FineTuningConfig, ...], **changes: Any) -> Extraction:
    """With 1,000 subjects the neurons start ten times larger: at 0.01 a class that the first batches lack is pushed
    below zero for every input within two steps of Adam and never comes back (a batch of 128 then stores 0.58, one of
    1,024 0.98 of the facts); at 0.1 all are stored. The figures that do not fine-tune many
    ways (2, 5, the loss) were run in `training.setting` itself: neurons at 0.01, 2,000 steps instead of 3,000."""
    config = replace(setting(scale, **changes), tuning=tunings[0], others=tunings[1:])
    if scale.name == "paper":
        model = replace(config.model, neuron_start=0.1)
        config = replace(config, model=model, pretraining=replace(config.pretraining, steps=3000))
    return config


def main_run(scale: Scale) -> Extraction:
    """The base cell of every scale; at the paper's, N = 1000 and K = |R| = 5."""
    return _run(scale, by_subjects(scale, watched=True) + variants(scale))


def uniform_run(scale: Scale) -> Extraction:
    """The base cell without learned attention."""
    return _run(scale, (tuning(scale, watched=True),), attention="uniform")


def plane_runs(scale: Scale) -> tuple[Extraction, ...]:
    """Multiplicities, each with the same coverages; the smallest but one also by templates."""
    base = setting(scale).facts
    templates = scale.pick(smoke=base.templates, laptop=PLANE_TEMPLATES, paper=PLANE_TEMPLATES)
    runs = []
    for k in scale.pick(smoke=(2, 3), laptop=(1, 2, 5, 10), paper=(1, 2, 5, 10)):
        if (templates, k) == (base.templates, base.multiplicity):
            runs.append(main_run(scale))
        else:
            more = by_templates(scale) if k == 2 else ()
            runs.append(_run(scale, by_subjects(scale) + more, templates=templates, multiplicity=k))
    return tuple(runs)


def templates_run(scale: Scale) -> Extraction:
    """The run of `plane_runs` that also varies the templates."""
    return next(run for run in plane_runs(scale) if any(one.coverage.templates for one in run.tunings))


def main_result(results: Results) -> RunResult:
    split = (run for run in standard(results) if any(one.coverage.split == "tuple" for one in run.config.tunings))
    return _first(split, "with learned attention and a split by tuple")


def templates_result(results: Results) -> RunResult:
    varied = (run for run in standard(results) if any(one.coverage.templates for one in run.config.tunings))
    return _first(varied, "with learned attention and coverage by templates")


def uniform_result(results: Results) -> RunResult:
    uniform = (run for run in results.where(Extraction) if run.config.model.attention == "uniform")
    return _first(uniform, "with uniform attention")


def _first(runs: Iterator[RunResult], what: str) -> RunResult:
    for run in runs:
        return run
    raise NotRun(f"with these settings there is no run {what}")


def standard(results: Results) -> list[RunResult]:
    """The runs with learned attention, in order of multiplicity."""
    runs = [run for run in results.where(Extraction) if run.config.model.attention == "softmax"]
    return sorted(runs, key=lambda run: run.config.facts.multiplicity)
