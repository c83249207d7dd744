"""Gradient descent in the appendix's stages: its runs, and Lemma 10 with its continuation as parts of a claim."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lemmata.core import Part, Rule, RunResult, Scale, Seeds, at_least, at_most
from lemmata.core.rule import together
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.model import OneLayerConfig
from lemmata.papers.knowledge.model.one_layer import Query
from lemmata.papers.knowledge.run.staged_pretraining import StagedPreTraining
from lemmata.papers.knowledge.task import FactsConfig

SMALLEST = 1e-30  # float32 runs out below
OWN, SHARED = "own query", "shared query"  # the last token asks, or one query serves all prompts


def staged_runs(scale: Scale) -> dict[str, StagedPreTraining]:
    """The two readings, each with a lambda that suits it (attention moves against logits as 1/lambda^2)."""
    own, shared = sizes.OWN_QUERY_LOGITS.at(scale), sizes.ONE_QUERY_LOGITS.at(scale)
    return {OWN: _run(scale, "last", 16.0, own), SHARED: _run(scale, "first", 256.0, shared)}


def _run(scale: Scale, query: Query, lam: float, logits: tuple[float, ...]) -> StagedPreTraining:
    start: dict[str, Any] = {"embeddings": "orthonormal", "neuron_start": 0.01 / lam}
    return StagedPreTraining(
        facts=FactsConfig(multiplicity=4, **sizes.STAGED_FACTS.at(scale)),
        model=OneLayerConfig(scale=lam, query=query, **start, **sizes.STAGED_MODEL.at(scale)),
        first_logits=logits,
        steps=sizes.STAGED_STEPS.at(scale),
        seeds=sizes.seeds(scale, sizes.STAGED_SEEDS, sizes.STAGED_FIRST_SEED),
    )


@dataclass(frozen=True)
class Stages:
    """What a staged run does at one first learning rate."""

    run: RunResult
    logit: float
    seed: int | None = None  # one alone, or all together

    def by_seed(self) -> list["Stages"]:
        return [replace(self, seed=seed) for seed in self.seeds]

    @property
    def seeds(self) -> tuple[int, ...]:
        return self.run.config.seeds if self.seed is None else (self.seed,)

    @property
    def width(self) -> int:
        return self.run.config.model.width

    def at_first(self, *columns: str) -> np.ndarray:
        """The columns' values at the end of stage 1, all seeds together."""
        where = {"first_logit": self.logit, "step": self.run.config.first_steps}
        found = [self.run.column(one, seed=seed, **where) for one in columns for seed in self.seeds]
        return np.concatenate(found).astype(float)

    def in_second(self, *columns: str) -> np.ndarray:
        """The columns' values throughout stage 2, all seeds together."""
        found = []
        for seed in self.seeds:
            where = {"seed": seed, "first_logit": self.logit}
            step, stage = self.run.column("step", **where), self.run.column("stage", **where)
            # The model at T_2 is the first to be handed to stage 3.
            later = step[(stage == 2) & (step >= self.run.config.first_steps)]
            second = (step >= self.run.config.first_steps) & (step <= (later[0] if later.size else step[-1]))
            found += [self.run.column(one, **where)[second] for one in columns]
        return np.concatenate(found).astype(float)


ON_FIRST = ("first_two", "first_three")  # the largest attention to o, at [o s] and at [o s r]
KNOWN = ("relation_most", "answer_most")  # K_s(j) logit_r and logit_a, the largest of all facts


def worst(read: Callable[[Any], float], rule: Rule) -> Part:
    """A number of the worst fact, by seed, of anything that can be parted by seed."""
    return Part(lambda found: Seeds([read(one) for one in found.by_seed()]), replace(rule, over_seeds=True))


def orders(attention: np.ndarray) -> float:
    """The largest, in orders of magnitude: attention to o spreads over many of them from seed to seed."""
    return float(np.log10(max(attention.max(), SMALLEST)))


LEMMA = {
    "stage 1: log₁₀ 2d α₁": worst(lambda stages: orders(2 * stages.width * stages.at_first(*ON_FIRST)), at_most(0.0)),
    "stage 1: smallest α₂/α₃": worst(lambda stages: stages.at_first("ratio_min").min(), at_least(0.8)),
    "stage 1: largest α₂/α₃": worst(lambda stages: stages.at_first("ratio_max").max(), at_most(1.2)),
    "stage 1: best known fact": worst(lambda stages: stages.at_first(*KNOWN).max(), at_most(0.5)),
    "stage 2: log₁₀ 3d/2 α₁": worst(
        lambda stages: orders(1.5 * stages.width * stages.in_second(*ON_FIRST)), at_most(0.0)
    ),
    "stage 2: smallest α₂/α₃": worst(lambda stages: stages.in_second("ratio_min").min(), at_least(0.7)),
    "stage 2: largest α₂/α₃": worst(lambda stages: stages.in_second("ratio_max").max(), at_most(1.6)),
    "stage 2: best known fact": worst(lambda stages: stages.in_second(*KNOWN).max(), at_most(0.9)),
}


def holding(stages: Stages) -> np.ndarray:
    """In which seeds all statements hold, for every fact: truth values."""
    found = []
    for part in LEMMA.values():
        values = np.asarray(part.read(stages).values)
        found.append(values <= part.rule.target if isinstance(part.rule, at_most) else values >= part.rule.target)
    return np.all(found, axis=0)


def at_best_eta(run: RunResult) -> Stages:
    """At the first learning rate, eta_1, under which the lemma holds in most seeds; of equals, the nearer to it."""
    every = [Stages(run, logit) for logit in run.config.first_logits]
    return max(every, key=lambda one: (int(holding(one).sum()), nearness(one)))


def nearness(stages: Stages) -> float:
    """The margin of the statement that is furthest from holding."""
    return together({name: part.rule(part.rule.target, part.read(stages)) for name, part in LEMMA.items()}).margin
