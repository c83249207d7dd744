"""Many cells (N, |R|, K, F) of the pipeline: each world is pre-trained in stages once and asked about F subjects."""

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, Several, Some, require
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.probe import stored_facts
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig
from lemmata.papers.knowledge.run.pipeline import Pipeline, StagesConfig, answered, pretrained, theory_model
from lemmata.papers.knowledge.run.training import tune, under_another
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig
from lemmata.train import stack

AFTER = ("extraction", "relation", "another", "learned", "stored")


@dataclass(frozen=True, kw_only=True)
class CoveringCells(RunConfig):
    """metrics: a row for each world, number of asked subjects and seed, after fine-tuning; with the model before it:
    `excess`, `extraction_before`, and what the covering law reads (`model_before`)."""

    kind = "knowledge/covering-cells"

    worlds: Some[tuple[int, int, int]] = ((32, 8, 2), (32, 8, 4))  # N, |R|, K
    asked: Some[tuple[Several, Several]] = ((32, 4), (32, 8), (32, 16))  # N, F
    model: OneLayerConfig = field(default_factory=theory_model)
    stages: StagesConfig = field(default_factory=StagesConfig)
    descent: DescentConfig = field(default_factory=DescentConfig)
    steps: Several = 120
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        require(len(set(self.worlds)) == len(self.worlds), "worlds", self.worlds, "none of them twice")
        for world in self.worlds:
            require(bool(self.numbers(world[0])), "asked", self.asked, f"some numbers for N = {world[0]}")
            self.cell(world)

    def numbers(self, subjects: int) -> tuple[int, ...]:
        """How many subjects are asked about, in worlds of so many."""
        return tuple(sorted(f for n, f in self.asked if n == subjects))

    def cell(self, world: tuple[int, int, int]) -> Pipeline:
        """One world, with a fine-tuning for each number of asked subjects."""
        n, r, k = world
        tunings = tuple(
            FineTuningConfig(descent=self.descent, steps=self.steps, coverage=CoverageConfig(subjects=f))
            for f in self.numbers(n)
        )
        facts = FactsConfig(subjects=n, templates=r, multiplicity=k)
        return Pipeline(facts=facts, model=self.model, stages=self.stages, tunings=tunings, seeds=self.seeds)

    def execute(self, context: RunContext) -> RunOutput:
        tables = []
        for done, world in enumerate(self.worlds):
            context.progress("worlds", done, len(self.worlds))
            cell, numbers = self.cell(world), self.numbers(world[0])
            models, facts = pretrained(cell, context, f"stages {done}")
            outcomes = tune(models, facts, list(cell.tunings), self.seeds, context, f"questions {done}", probe=answered)
            before = jax.jit(jax.vmap(model_before))(models, stack(facts))
            for f, (metrics, _) in zip(numbers, outcomes, strict=True):
                rows = dict(
                    zip(("subjects", "templates", "multiplicity"), (np.full(len(facts), x) for x in world), strict=True)
                )
                rows |= {"asked": np.full(len(facts), f), "seed": np.array(self.seeds)}
                rows |= {name: metrics[name][:, -1] for name in AFTER}
                rows |= {"extraction_before": metrics["extraction"][:, 0]}
                tables.append(rows | {name: np.asarray(values) for name, values in before.items()})
        return RunOutput(under_another(tables))


def model_before(model: OneLayer, facts: Facts) -> Metrics:
    """What the covering law reads of a model before fine-tuning, means over subjects at their questions [o s p]."""
    subjects = jnp.arange(facts.vocabulary.subjects)
    prompts, relations = facts.prompts(subjects), 1 + facts.templates
    answers = 1 + facts.vocabulary.templates + subjects
    features = jax.vmap(lambda tokens: model.features(tokens)[-1])(prompts)
    hidden = jnp.einsum("sd,dmc->scm", features, model.matrices()[1])
    logits = model.class_logits(features)
    active = hidden > 0
    own = jnp.take_along_axis(active, relations[:, :, None], axis=1).astype(logits.dtype)  # subject, slot, neuron
    has = jnp.zeros((len(subjects), facts.vocabulary.templates)).at[subjects[:, None], facts.templates].set(1.0)
    by_template = jnp.einsum("skm,skr->srm", own, jax.nn.one_hot(facts.templates, has.shape[1]))
    counts = jnp.sum(by_template, axis=0)  # how many of a template's subjects activate each of its neurons
    pairs = jnp.sum(has, axis=0)[:, None] - 1
    both, single = jnp.sum(counts * (counts - 1)), jnp.sum(counts * pairs)
    attention = jnp.mean(jax.vmap(model.weights)(prompts)[:, -1], axis=0)
    mean: Any = jnp.mean
    return {
        "excess": stored_facts(model, facts)["excess"],
        "relation_logit": mean(jnp.take_along_axis(logits, relations, axis=1)),
        "answer_logit": mean(jnp.take_along_axis(logits, answers[:, None], axis=1)),
        "to_subject": attention[-2],
        "to_prompt": attention[-1],
        "active_relation": mean(own),
        "active_answer": mean(jnp.take_along_axis(active, answers[:, None, None], axis=1).astype(logits.dtype)),
        "shared": both / jnp.maximum(single, 1),
    }
