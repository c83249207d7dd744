"""The pipeline in a world whose subjects have unequal numbers of templates, K_s(j): stages, then questions."""

from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Int

from lemmata import core
from lemmata.papers.knowledge.model import OneLayerConfig
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig
from lemmata.papers.knowledge.run.pipeline import StagesConfig, answered, in_stages, theory_model
from lemmata.papers.knowledge.run.staged_pretraining import Prompts, whole_gradient
from lemmata.papers.knowledge.run.training import check_cell, tune, under_another
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig
from lemmata.train import stack


@dataclass(frozen=True, kw_only=True)
class UnequalMultiplicity(core.RunConfig):
    """metrics: a row for each number of asked subjects, seed and record of fine-tuning; record 0 is the model before
    it. arrays: `loss` (seed), the pre-training loss; `counts` (subject); `held_out` (seed, subject); `reply` (number,
    seed, subject) at the end, and `before.reply` (seed, subject), as the pipeline has them."""

    kind = "knowledge/unequal-multiplicity"

    facts: FactsConfig = field(default_factory=lambda: FactsConfig(subjects=36, templates=8, multiplicity=4))
    multiplicities: core.Some[core.Count] = (1, 2, 4)  # of the subjects in turn; the most is that of `facts`
    model: OneLayerConfig = field(default_factory=theory_model)
    stages: StagesConfig = field(default_factory=StagesConfig)
    descent: DescentConfig = field(default_factory=DescentConfig)
    asked: core.Some[core.Several] = (9, 18)  # F
    steps: core.Several = 120
    seeds: core.Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        check_cell(self.facts, self.model, self.tunings)
        core.require(self.facts.opened, "facts.opened", False, "True: stages begin at o")
        core.require(self.facts.phrase == 1, "facts.phrase", self.facts.phrase, "1, a token a template")
        pads = self.facts.pads
        core.require(pads == (None, None, None), "facts.pad_*", pads, "None: every sentence is read once")
        most = self.facts.multiplicity
        fits = max(self.multiplicities) == most and all(most % one == 0 for one in self.multiplicities)
        allowed = f"divisors of facts.multiplicity = {most}, itself among them"
        core.require(fits, "multiplicities", self.multiplicities, allowed)

    @property
    def tunings(self) -> tuple[FineTuningConfig, ...]:
        return tuple(
            FineTuningConfig(descent=self.descent, steps=self.steps, coverage=CoverageConfig(subjects=f))
            for f in self.asked
        )

    @property
    def counts(self) -> Int[np.ndarray, " subject"]:
        """K_s(j)."""
        return np.resize(np.array(self.multiplicities), self.facts.subjects)

    def execute(self, context: core.RunContext) -> core.RunOutput:
        worlds = [thinned(Facts.create(self.facts, seed), self.counts) for seed in self.seeds]
        prompts = [Prompts.of(world, self.counts) for world in worlds]
        models = in_stages(self, prompts, context)
        losses = jax.jit(jax.vmap(lambda model, one: whole_gradient(model, one)[0]))(models, stack(prompts))
        outcomes = tune(models, worlds, list(self.tunings), self.seeds, context, "questions", probe=answered)
        rows = [
            one.metrics.table(seed=self.seeds, asked=[number] * len(self.seeds))
            for number, one in zip(self.asked, outcomes, strict=True)
        ]
        first, questions = outcomes[0]
        arrays = {
            "loss": np.asarray(losses),
            "counts": self.counts,
            "held_out": np.stack([np.asarray(one.test)[:, 0] > 0 for one in questions]),
            "reply": np.stack([metrics["reply"][:, -1] for metrics, _ in outcomes]),
            "before.reply": first["reply"][:, 0],
        }
        return core.RunOutput(under_another(rows), arrays)


def thinned(world: Facts, counts: Int[np.ndarray, " subject"]) -> Facts:
    """With the first K_s(j) templates of each subject alone; they stand in the other slots again, equally often."""
    slots = np.arange(world.templates.shape[1]) % counts[:, None]
    templates: Any = np.take_along_axis(np.asarray(world.templates), slots, axis=1)
    return eqx.tree_at(lambda one: one.templates, world, jax.numpy.asarray(templates))
