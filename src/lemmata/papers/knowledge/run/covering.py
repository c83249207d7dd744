"""Fine-tuning on one half of the templates, then on the other: each held-out fact is covered once, left out once."""

from dataclasses import dataclass, field, replace

import equinox as eqx
import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, Some, named_keys, require
from lemmata.core.config import UNSAID
from lemmata.papers.knowledge.model import OneLayerConfig
from lemmata.papers.knowledge.probe.covering import answered_and_recalled
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig
from lemmata.papers.knowledge.run.training import check_cell, fine_tuned, pretrain, under_another
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions
from lemmata.train import concatenate

KEPT = ("reply", "recalled", "ask_pull", "ask_likeness")


@dataclass(frozen=True, kw_only=True)
class CoveringRun(RunConfig):
    """Arrays are (tuning, half, seed, ...): tuning 0 is gradient descent, 1 the same with gradients of rank 1, 2 AdamW
    if that is asked for; half 0 covers the first half of the seeded order of templates, half 1 the rest. `before.*` has
    no tuning. K is 1: a fact has one template."""

    kind = "knowledge/covering"
    version = 3

    facts: FactsConfig = field(default_factory=FactsConfig)
    model: OneLayerConfig = field(default_factory=OneLayerConfig)
    pretraining: PreTrainingConfig = field(default_factory=PreTrainingConfig)
    descent: DescentConfig = field(
        default_factory=lambda: DescentConfig(attention_learning_rate=1.0, neuron_learning_rate=10.0)
    )
    tuning: FineTuningConfig = field(default_factory=lambda: FineTuningConfig(steps=100))  # AdamW's
    adamw: bool = field(default=True, metadata=UNSAID)  # also with AdamW, for comparison
    seeds: Some[int] = (0, 1, 2)

    @property
    def tunings(self) -> dict[str, FineTuningConfig]:
        descents = {"descent": self.descent, "rank 1": replace(self.descent, gradient_rank=1)}
        descents |= {"adamw": None} if self.adamw else {}
        return {name: replace(self.tuning, descent=descent) for name, descent in descents.items()}

    def cross_check(self) -> None:
        allowed = "None: `descent` is that reading"
        require(self.tuning.descent is None, "tuning.descent", self.tuning.descent, allowed)
        whole = self.tuning.rank is None and self.tuning.part != "attention" and self.descent.gradient_rank is None
        require(whole, "tuning", self.tuning, "one that moves the neurons with their whole gradient")
        check_cell(self.facts, self.model, tuple(self.tunings.values()))
        allowed = "1: with more templates a subject, the halves overlap"
        require(self.facts.multiplicity == 1, "facts.multiplicity", self.facts.multiplicity, allowed)
        require(self.facts.templates % 2 == 0, "facts.templates", self.facts.templates, "an even number")
        pads = self.facts.pads
        require(pads == (None, None, None), "facts.pad_*", pads, "None: the other half is read backwards")

    def execute(self, context: RunContext) -> RunOutput:
        cells = [(self.facts, seed) for seed in self.seeds]
        models, facts, stored = pretrain(cells, self.model, self.pretraining, context)
        both = concatenate([models, models])
        questions = [
            self.half(world, seed, half) for half in (0, 1) for world, seed in zip(facts, self.seeds, strict=True)
        ]
        keys = named_keys(self.seeds * 2, "fine-tuning")
        outcomes = []
        for stage, tuning in self.tunings.items():
            watched = {"probe": answered_and_recalled, "context": context, "stage": stage}
            outcomes.append(fine_tuned(replace(tuning, records=1), questions, both, keys, **watched))
        shape = (2, len(self.seeds))
        arrays = {name: np.stack([o[name][:, -1].reshape(*shape, -1) for o in outcomes]) for name in KEPT}
        arrays |= {f"before.{name}": outcomes[0][name][:, 0].reshape(*shape, -1) for name in KEPT}
        arrays |= {
            "templates": np.stack([np.asarray(world.templates)[:, 0] for world in facts]),
            "held_out": np.stack([np.asarray(q.test)[:, 0] > 0 for q in questions[: len(facts)]]),
            "covered": np.stack([np.asarray(q.covered) for q in questions]).reshape(*shape, -1),
            "place": np.stack([np.argsort(np.asarray(world.template_order)) for world in facts]),
        }
        arrays |= {f"pretraining.{name}": stored[name][:, -1] for name in ("fact_accuracy", "excess")}
        names = {"half": np.repeat([0, 1], len(self.seeds)), "seed": self.seeds * 2}
        rows = under_another([one.table(tuning=[n] * len(questions), **names) for n, one in enumerate(outcomes)])
        return RunOutput({"after": np.sign(rows.pop("step")), **rows}, arrays)

    def half(self, facts: Facts, seed: int, half: int) -> Questions:
        """Asks about the subjects that are not held out and have a template of this half."""
        order = facts.template_order if half == 0 else facts.template_order[::-1]
        turned = eqx.tree_at(lambda one: one.template_order, facts, order)
        return Questions.choose(turned, CoverageConfig(templates=self.facts.templates // 2), seed)
