"""Fine-tuning along the gradient of equation (216) and along its part of rank 1, of the same pre-trained models."""

from dataclasses import dataclass, field, replace

import jax
import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, Some, named_keys, require
from lemmata.papers.knowledge.model import OneLayerConfig
from lemmata.papers.knowledge.probe import stored_facts
from lemmata.papers.knowledge.probe.question_gradient import question_gradient
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig
from lemmata.papers.knowledge.run.pipeline import StagesConfig, pretrained, theory_model
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig
from lemmata.papers.knowledge.run.training import check_cell, fine_tuned, under_another
from lemmata.papers.knowledge.task import FactsConfig, Questions
from lemmata.train import stack

WAYS = ("full", "rank 1", "neurons", "neurons, rank 1")


@dataclass(frozen=True, kw_only=True)
class QuestionGradient(RunConfig):
    """metrics: a row for each way (a number in WAYS), seed and record of fine-tuning; record 0 is the model before it.
    A and w move, or w alone; w along its whole gradient or along the part of rank 1."""

    kind = "knowledge/question-gradient"
    version = 3

    facts: FactsConfig = field(default_factory=FactsConfig)
    model: OneLayerConfig = field(default_factory=theory_model)
    stages: StagesConfig | None = field(default_factory=StagesConfig)
    pretraining: PreTrainingConfig = field(default_factory=PreTrainingConfig)  # AdamW's, where there are no stages
    tuning: FineTuningConfig = field(default_factory=lambda: FineTuningConfig(descent=DescentConfig(), records=6))
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        descent = self.tuning.descent
        whole = descent is not None and descent.gradient_rank is None and self.tuning.rank is None
        allowed = "gradient descent with the whole gradient of both parts: the others follow from it"
        require(whole and self.tuning.part == "both", "tuning", self.tuning, allowed)
        check_cell(self.facts, self.model, self.ways())
        fits = self.stages is None or self.facts.phrase == 1
        require(fits, "stages", self.stages, "None where templates are phrases")

    def ways(self) -> tuple[FineTuningConfig, ...]:
        both = self.tuning
        thin = replace(both, descent=replace(both.descent or DescentConfig(), gradient_rank=1))
        return both, thin, replace(both, part="neurons"), replace(thin, part="neurons")

    def execute(self, context: RunContext) -> RunOutput:
        models, facts = pretrained(self, context)
        pairs = zip(facts, self.seeds, strict=True)
        questions = [Questions.choose(world, self.tuning.coverage, seed) for world, seed in pairs]
        keys, tables = named_keys(self.seeds, "fine-tuning"), []
        for number, way in enumerate(self.ways()):
            watched = {"probe": question_gradient, "context": context, "stage": WAYS[number]}
            history = fine_tuned(way, questions, models, keys, **watched)
            tables.append(history.table(seed=self.seeds, way=[number] * len(self.seeds)))
        excess = jax.jit(jax.vmap(lambda model, world: stored_facts(model, world)["excess"]))
        return RunOutput(under_another(tables), {"excess": np.asarray(excess(models, stack(facts)))})
