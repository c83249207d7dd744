"""Fine-tuning on one half of the templates, then on the other: each held-out fact is covered once, left out once."""

from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, named_key, require
from lemmata.papers.knowledge.model import OneLayerConfig
from lemmata.papers.knowledge.probe import extracted_facts
from lemmata.papers.knowledge.run.finetuning import FineTuning, FineTuningConfig
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig
from lemmata.papers.knowledge.run.stages import QuestionDescent
from lemmata.papers.knowledge.run.training import check_cell, pretrain, together
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions
from lemmata.train import fit_many, stack

TUNINGS = ("descent", "adamw")
KEPT = ("reply", "ask_pull", "ask_likeness")


@dataclass(frozen=True, kw_only=True)
class CoveringRun(RunConfig):
    """Arrays are (tuning, half, seed, ...): tuning 0 is gradient descent, 1 AdamW; half 0 covers the first half of the
    seeded order of templates, half 1 the rest. `before.*` has no tuning. K is 1: a fact has one template."""

    kind = "knowledge/covering"

    facts: FactsConfig = field(default_factory=FactsConfig)
    model: OneLayerConfig = field(default_factory=OneLayerConfig)
    pretraining: PreTrainingConfig = field(default_factory=PreTrainingConfig)
    descent_steps: int = 100
    attention_rate: float = 1.0  # of gradient descent, in units of m / (lambda^2 d), as in the stages of pre-training
    neuron_rate: float = 10.0
    adamw: FineTuningConfig | None = None  # besides, AdamW
    seeds: tuple[int, ...] = (0, 1, 2)

    def __post_init__(self) -> None:
        check_cell(self.facts, self.model, () if self.adamw is None else (self.adamw,))
        allowed = "1: with more templates a subject, the halves overlap"
        require(self.facts.multiplicity == 1, "facts.multiplicity", self.facts.multiplicity, allowed)
        require(self.facts.templates % 2 == 0, "facts.templates", self.facts.templates, "an even number")
        unpadded = self.facts.pad_templates is None
        require(unpadded, "facts.pad_templates", self.facts.pad_templates, "None: the other half is read backwards")
        for name in ("attention_rate", "neuron_rate"):
            require(getattr(self, name) > 0, name, getattr(self, name), "positive")
        require(self.descent_steps >= 1, "descent_steps", self.descent_steps, "at least 1")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")

    @property
    def unit(self) -> float:
        return self.model.neurons / (self.model.scale**2 * self.model.width * self.model.sigma**2)

    def execute(self, context: RunContext) -> RunOutput:
        cells = [(self.facts, seed) for seed in self.seeds]
        models, facts, stored = pretrain(cells, self.model, self.pretraining, context)
        both = jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), models)
        questions = [
            self.half(world, seed, half) for half in (0, 1) for world, seed in zip(facts, self.seeds, strict=True)
        ]
        descent = QuestionDescent(self.attention_rate * self.unit, self.neuron_rate * self.unit)
        outcomes = [self.tune(descent, both, questions, self.descent_steps, context, "descent")]
        if self.adamw is not None:
            adamw = FineTuning(self.adamw)
            outcomes.append(self.tune(adamw, both, questions, self.adamw.steps, context, "adamw"))
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
        return RunOutput(self.table(outcomes), arrays)

    def half(self, facts: Facts, seed: int, half: int) -> Questions:
        """Asks about the subjects that are not held out and are told with a template of this half."""
        order = facts.template_order if half == 0 else facts.template_order[::-1]
        turned = eqx.tree_at(lambda one: one.template_order, facts, order)
        return Questions.choose(turned, CoverageConfig(templates=self.facts.templates // 2), seed)

    def tune(
        self, algorithm: Any, models: Any, questions: list[Questions], steps: int, context: RunContext, stage: str
    ) -> dict[str, np.ndarray]:
        _, metrics = fit_many(
            algorithm,
            stack(questions),
            eqx.filter_vmap(algorithm.init)(models),
            jnp.stack([named_key(seed, "fine-tuning") for seed in self.seeds] * 2),
            steps=steps,
            every=steps,
            probe=lambda model, task, key: extracted_facts(model, task),
            replicas=together(),
            context=context,
            stage=stage,
        )
        return metrics

    def table(self, outcomes: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
        """A row for each tuning, half, seed, and before or after it."""
        count, tunings = len(self.seeds), len(outcomes)
        rows: dict[str, Any] = {
            "tuning": np.repeat(np.arange(tunings), 4 * count),
            "half": np.tile(np.repeat([0, 1], 2 * count), tunings),
            "seed": np.tile(np.repeat(self.seeds, 2), 2 * tunings),
            "after": np.tile([0, 1], 2 * tunings * count),
        }
        scalars = [name for name, values in outcomes[0].items() if values.ndim == 2]
        return rows | {name: np.concatenate([o[name].reshape(-1) for o in outcomes]).astype(float) for name in scalars}
