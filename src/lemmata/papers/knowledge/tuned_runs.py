"""The runs that the extraction experiments share: a pre-training for each multiplicity, many fine-tunings of it."""

from dataclasses import replace
from typing import Any

from lemmata.core import Results, RunResult, Scale
from lemmata.papers.knowledge.training import Extraction, setting
from lemmata.tasks.knowledge import CoverageConfig
from lemmata.train.knowledge import FineTuningConfig

LOW_RANK_RATE = 1e-3  # factors start from 0 and are slow at the full matrices' 3e-4
RANKS = (1, 2, 4, 8)
FEW = 8  # subjects asked about at every number of templates, so that the templates alone differ
PLANE_TEMPLATES = 20  # |R| where multiplicity varies; the paper's own 5 leave it no room


def tuning(
    scale: Scale, *, rank: int | None = None, part: Any = "both", rate: float | None = None, **coverage: Any
) -> FineTuningConfig:
    """Watched for twice the steps after which extraction is read (`READ_AT`)."""
    base = setting(scale).tuning
    return replace(
        base,
        coverage=CoverageConfig(**coverage),
        rank=rank,
        part=part,
        rate=rate or (base.rate if rank is None else LOW_RANK_RATE),
        steps=scale.pick(smoke=base.steps, laptop=240, paper=240),
        records=scale.pick(smoke=2, laptop=48, paper=48),
    )


def by_subjects(scale: Scale) -> tuple[FineTuningConfig, ...]:
    """Asking about more and more subjects, the last time about all that are not held out; then, as a control, with
    other subjects' answers at both ends."""
    numbers = scale.pick(smoke=(1, None), laptop=(1, 3, 10, 30, None), paper=(1, 3, 10, 30, 100, None))
    right = tuple(tuning(scale, subjects=number) for number in numbers)
    return right + tuple(tuning(scale, subjects=number, answers="shuffled") for number in (1, None))


def by_templates(scale: Scale) -> tuple[FineTuningConfig, ...]:
    """Asking about few subjects whose templates all lie in a set, with their own answers and with others'."""
    few, numbers = scale.pick(smoke=2, laptop=FEW, paper=FEW), template_numbers(scale)
    right = tuple(tuning(scale, subjects=few, templates=number) for number in numbers)
    return right + tuple(
        tuning(scale, subjects=few, templates=n, answers="shuffled") for n in (numbers[0], numbers[-1])
    )


def template_numbers(scale: Scale) -> tuple[int, ...]:
    return scale.pick(smoke=(4, 6), laptop=(8, 12, 16, 20), paper=(8, 12, 16, 20))


def variants(scale: Scale) -> tuple[FineTuningConfig, ...]:
    """Other splits, ranks, parts and rates, all on every subject that is not held out."""
    low_rank = [tuning(scale, rank=rank) for rank in scale.pick(smoke=(1,), laptop=RANKS, paper=RANKS)]
    found = [tuning(scale, split="tuple"), *low_rank, tuning(scale, rank=1, part="neurons")]
    if scale.name == "smoke":
        return tuple(found)
    found += [tuning(scale, rank=1, subjects=number) for number in (3, 10)]
    found += [tuning(scale, rank=1, part="attention")]
    found += [tuning(scale, part="attention"), tuning(scale, part="neurons")]
    return (*found, tuning(scale, rate=LOW_RANK_RATE))


def _run(scale: Scale, tunings: tuple[FineTuningConfig, ...], **changes: Any) -> Extraction:
    """With 1,000 subjects the neurons start ten times larger: at 0.01 a class that the first batches lack is pushed
    below zero for every input within two steps of Adam and never comes back, and accuracy stops at 0.58."""
    everyone = tuning(scale)
    others = tuple(one for one in tunings if one != everyone)
    config = replace(setting(scale, **changes), tuning=everyone, others=others)
    if scale.name == "paper":
        model = replace(config.model, neuron_start=0.1)
        config = replace(config, model=model, pretraining=replace(config.pretraining, steps=3000))
    return config


def main_run(scale: Scale) -> Extraction:
    """The base cell of every scale; at the paper's, N = 1000 and K = |R| = 5."""
    return _run(scale, by_subjects(scale) + variants(scale))


def uniform_run(scale: Scale) -> Extraction:
    """The base cell without learned attention."""
    return _run(scale, (), attention="uniform")


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
    return next(run for run in standard(results) if any(one.coverage.split == "tuple" for one in run.config.tunings))


def templates_result(results: Results) -> RunResult:
    return next(run for run in standard(results) if any(one.coverage.templates for one in run.config.tunings))


def uniform_result(results: Results) -> RunResult:
    return next(run for run in results.where(Extraction) if run.config.model.attention == "uniform")


def standard(results: Results) -> list[RunResult]:
    """The runs with learned attention, in order of multiplicity."""
    runs = [run for run in results.where(Extraction) if run.config.model.attention == "softmax"]
    return sorted(runs, key=lambda run: run.config.facts.multiplicity)
