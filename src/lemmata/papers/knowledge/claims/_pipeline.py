"""The runs of the pipeline, with its fine-tunings by name, and what claims read of them: a number a seed, all seeds."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Part, Rule, RunResult, Runs, Scale, Undecided
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._trends import share_over_seeds
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig
from lemmata.papers.knowledge.run.pipeline import Pipeline, StagesConfig, theory_model
from lemmata.papers.knowledge.task import CoverageConfig, FactsConfig

ALL, RANK_1, NEURONS, ATTENTION = "full", "rank 1", "neurons alone", "attention alone"
LORA, ADAMW, TUPLE = "LoRA", "AdamW", "by tuple"
WRONG = "wrong answers"
COVERED, COVERED_RANK_1 = "half of the templates", "half, rank 1"
Tunings = Mapping[str, FineTuningConfig]


def descent(scale: Scale, rank: int | None = None, **fields: Any) -> FineTuningConfig:
    """The theory's: gradient descent on all questions that are asked."""
    steps = sizes.PIPELINE_TUNING_STEPS.at(scale)
    return FineTuningConfig(steps=steps, descent=DescentConfig(gradient_rank=rank), records=4, **fields)


def adamw(scale: Scale, learning_rate: float, **fields: Any) -> FineTuningConfig:
    steps = sizes.PIPELINE_TUNING_STEPS.at(scale)
    return FineTuningConfig(steps=steps, learning_rate=learning_rate, batch=16, records=4, **fields)


def main_tunings(scale: Scale) -> Tunings:
    return {
        ALL: replace(descent(scale), steps=2 * sizes.PIPELINE_TUNING_STEPS.at(scale), records=24),
        RANK_1: descent(scale, rank=1),
        NEURONS: descent(scale, part="neurons"),
        ATTENTION: descent(scale, part="attention"),
        LORA: adamw(scale, sizes.STAGED_LORA_LEARNING_RATE, rank=4),
        ADAMW: adamw(scale, sizes.STAGED_ADAMW_LEARNING_RATE),
    }


def covering_tunings(scale: Scale) -> Tunings:
    half = CoverageConfig(templates=sizes.PIPELINE_FACTS.at(scale)["templates"] // 2)
    return {COVERED: descent(scale, coverage=half), COVERED_RANK_1: descent(scale, rank=1, coverage=half)}


def reading_tunings(scale: Scale) -> Tunings:
    return {
        ALL: descent(scale),
        ADAMW: adamw(scale, 3e-4),
        NEURONS: descent(scale, part="neurons"),
        ATTENTION: descent(scale, part="attention"),
        TUPLE: descent(scale, coverage=CoverageConfig(split="tuple")),
    }


def wrong_tunings(scale: Scale) -> Tunings:
    """Each question is to give another subject's answer."""
    return {WRONG: descent(scale, coverage=CoverageConfig(answers="shuffled"))}


def pipeline(scale: Scale, tunings: Tunings, **facts: Any) -> Pipeline:
    return Pipeline(
        facts=FactsConfig(**sizes.PIPELINE_FACTS.at(scale) | facts),
        model=theory_model(**sizes.PIPELINE_MODEL.at(scale)),
        stages=StagesConfig(**sizes.PIPELINE_STAGES.at(scale)),
        tunings=tuple(tunings.values()),
        seeds=sizes.seeds(scale, sizes.PIPELINE_SEEDS, sizes.PIPELINE_FIRST_SEED),
    )


def main_run(scale: Scale) -> Pipeline:
    return pipeline(scale, main_tunings(scale))


def covering_run(scale: Scale) -> Pipeline:
    """One template a subject, and questions about subjects that have one of the first half of them."""
    base = pipeline(scale, covering_tunings(scale), multiplicity=1, **sizes.COVERING_FACTS.at(scale))
    return replace(base, seeds=sizes.seeds(scale, sizes.COVERING_SEEDS, sizes.PIPELINE_FIRST_SEED))


class Tuned(NamedTuple):
    """A run with its fine-tunings by name, after one of them; `step`: after so many of its steps."""

    run: RunResult
    tunings: Tunings
    name: str = ALL
    step: int | None = None

    @property
    def number(self) -> int:
        """The fine-tuning's number in the run's table."""
        number = list(self.tunings).index(self.name)
        if len(self.run.config.tunings) != len(self.tunings):
            raise Undecided(f"under these settings there is no fine-tuning {self.name!r}")
        return number

    def after(self, name: str) -> "Tuned":
        return self._replace(name=name)

    def untuned(self) -> "Tuned":
        return self._replace(step=0)

    def share(self, column: str) -> np.ndarray:
        """A metric, a number a seed. What all fine-tunings are read after is the theory's number of steps."""
        steps = self.run.config.tunings[self.number].steps
        read = min(steps, min(one.steps for one in self.run.config.tunings)) if self.step is None else self.step
        return self.run.column(column, tuning=self.number, step=read).astype(float)

    @property
    def extraction(self) -> np.ndarray:
        return self.share("extraction")

    @property
    def relation(self) -> np.ndarray:
        return self.share("relation")

    @property
    def learned(self) -> np.ndarray:
        return self.share("learned")

    @property
    def stored(self) -> np.ndarray:
        return self.share("stored")

    @property
    def another(self) -> np.ndarray:
        return self.share("another")

    def curve(self, column: str = "extraction") -> tuple[np.ndarray, np.ndarray]:
        return self.run.curve(column, tuning=self.number)


def after(run: str, tunings: Callable[[Scale], Tunings], name: str = ALL) -> Callable[[Runs], Tuned]:
    """A subject: the named run after a fine-tuning."""
    return lambda runs: Tuned(runs[run], tunings(runs.scale), name)


def share(column: str, rule: Rule, carries: bool = True) -> Part:
    """A metric of the subject under a rule on its mean over all seeds."""
    return replace(share_over_seeds(lambda tuned: tuned.share(column), rule), carries=carries)


class Pair(NamedTuple):
    """Two fine-tunings of the same models."""

    one: Tuned
    other: Tuned

    @property
    def gain(self) -> np.ndarray:
        """Extraction of the one less that of the other, seed by seed."""
        return self.one.extraction - self.other.extraction


def pair(run: str, tunings: Callable[[Scale], Tunings], one: str, other: str = ALL) -> Callable[[Runs], Pair]:
    """A subject: two fine-tunings of the named run."""
    return lambda runs: Pair(*(after(run, tunings, name)(runs) for name in (one, other)))


def said(run: RunResult) -> str:
    """Sizes and what pre-training reached, for captions."""
    config = run.config
    facts = config.facts
    return (
        f"N = {facts.subjects}, |R| = {facts.templates}, K = {facts.multiplicity}, d = {config.model.width}, "
        f"{len(config.seeds)} seeds, all counted; pre-training ended {run.arrays['excess'].mean():.3f} nats over the "
        "least loss."
    )
