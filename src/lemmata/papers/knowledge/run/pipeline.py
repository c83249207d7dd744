"""The theory from end to end as one run: pre-training in the appendix's stages, then questions by gradient descent.

What our text leaves open is an axis of the run: what pre-trains (`stages`, or AdamW), whose query asks and whether o
opens a sentence (`model`, `facts`), what fine-tunes and for how long (`tunings`).
"""

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lemmata.core import Config, Count, Metrics, Positive, RunConfig, RunContext, RunOutput, Some, named_keys, require
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.probe import stored_facts
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig
from lemmata.papers.knowledge.run.staged_pretraining import Prompts, StagedDescent
from lemmata.papers.knowledge.run.training import check_cell, groups, pretrain, tune, under_another
from lemmata.papers.knowledge.task import Facts, FactsConfig, Questions
from lemmata.train import fit_many, stack

BEFORE = ("reply", "recalled", "answer_logit", "relation_logit")  # kept of the models before fine-tuning


@dataclass(frozen=True, kw_only=True)
class StagesConfig(Config):
    """Learning rates are in units of `model.learning_rate_unit`; the fragments give orders only."""

    first_logit: Positive = 56.0  # of d at [o], that the first step aims at
    first_steps: Count = 2  # "after 2 iterations"
    second_learning_rate: Positive = 20.0
    third_learning_rate: Positive = 100.0  # above 200 descent is not stable
    steps: Count = 240

    def descent(self, unit: float) -> StagedDescent:
        """From w = 0 with half of d's neurons active, a step of eta makes d's logit at [o] 2 eta lambda^2 d / (3m)."""
        first, second, third = 1.5 * self.first_logit, self.second_learning_rate, self.third_learning_rate
        return StagedDescent((first * unit, second * unit, third * unit), self.first_steps)


def theory_model(width: int = 128, neurons: int = 8, scale: float = 256.0) -> OneLayerConfig:
    """One query for all prompts, orthonormal embeddings, small first neurons: where Lemma 10 holds."""
    start = 0.01 / scale
    return OneLayerConfig(
        width=width, neurons=neurons, scale=scale, query="first", embeddings="orthonormal", neuron_start=start
    )


@dataclass(frozen=True, kw_only=True)
class Pipeline(RunConfig):
    """metrics: a row for each tuning, seed and record of fine-tuning; record 0 is the model before it. arrays: `excess`
    (seed), the pre-training loss over the least; `templates` (seed, subject, slot), `held_out` (seed, subject),
    `asked` (tuning, seed, subject) and `leak` (tuning, seed), the share of held-out questions that are asked; at the
    end `reply` (tuning, seed, subject: 0 for d, 1.. for relations, 1 + |R|.. for answers) and `recalled` (tuning, seed,
    subject, slot); the same before fine-tuning as `before.*`, where `attention` (seed, token) is that at a question."""

    kind = "knowledge/pipeline"

    facts: FactsConfig = field(default_factory=lambda: FactsConfig(subjects=32, templates=8, multiplicity=4))
    model: OneLayerConfig = field(default_factory=theory_model)
    stages: StagesConfig | None = field(default_factory=StagesConfig)
    pretraining: PreTrainingConfig = field(default_factory=PreTrainingConfig)  # AdamW's, where there are no stages
    tunings: Some[FineTuningConfig] = (FineTuningConfig(descent=DescentConfig()),)
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        check_cell(self.facts, self.model, self.tunings)
        pads = self.facts.pads
        require(pads == (None, None, None), "facts.pad_*", pads, "None: every sentence is read once")
        staged = self.stages is not None
        fits = not staged or (self.facts.opened and self.facts.phrase == 1 and self.model.attention == "softmax")
        allowed = "None where sentences do not begin with o, templates are phrases, or attention is uniform"
        require(fits, "stages", self.stages, allowed)

    def execute(self, context: RunContext) -> RunOutput:
        models, facts = pretrained(self, context)
        rows, found = [], []
        outcomes: dict[int, Any] = {}
        room = max((one.rank for one in self.tunings if one.rank is not None), default=None)
        for group in groups(self.tunings):
            some = [self.tunings[index] for index in group]
            tuned = tune(models, facts, some, self.seeds, context, f"fine-tuning {group[0]}", room, probe=answered)
            outcomes |= zip(group, tuned, strict=True)
        for number in range(len(self.tunings)):
            metrics, questions = outcomes[number]
            rows.append(metrics.table(seed=self.seeds, tuning=[number] * len(self.seeds)))
            found.append((metrics, questions))
        first, questions = found[0]
        stored = jax.jit(jax.vmap(lambda model, world: stored_facts(model, world)["excess"]))
        arrays = {
            "excess": np.asarray(stored(models, stack(facts))),
            "templates": np.stack([np.asarray(world.templates) for world in facts]),
            "held_out": np.stack([np.asarray(one.test)[:, 0] > 0 for one in questions]),
            "asked": np.stack([np.stack([np.asarray(one.asked_subjects) for one in each]) for _, each in found]),
            "leak": np.array([[one.leak() for one in each] for _, each in found]),
            "reply": np.stack([metrics["reply"][:, -1] for metrics, _ in found]),
            "recalled": np.stack([metrics["recalled"][:, -1] for metrics, _ in found]),
            "before.attention": first["attention"][:, 0],
        }
        return RunOutput(under_another(rows), arrays | {f"before.{name}": first[name][:, 0] for name in BEFORE})


def pretrained(config: Any, context: RunContext, stage: str = "stages") -> tuple[OneLayer, list[Facts]]:
    """Stacked models and their worlds, a seed each: by gradient descent in stages, or with AdamW. A run of several
    worlds gives each a stage's name of its own: checkpoints go by it."""
    if config.stages is None:
        cells = [(config.facts, seed) for seed in config.seeds]
        return pretrain(cells, config.model, config.pretraining, context, stage)[:2]
    worlds = [Facts.create(config.facts, seed) for seed in config.seeds]
    return in_stages(config, [Prompts.of(world) for world in worlds], context, stage), worlds


def in_stages(config: Any, prompts: list[Prompts], context: RunContext, stage: str = "stages") -> OneLayer:
    """Stacked models, a seed each, after gradient descent in stages on these prompts."""
    descent = config.stages.descent(config.model.learning_rate_unit)
    start = stack([descent.init(OneLayer.create(config.model, config.facts, seed)) for seed in config.seeds])
    steps, keys = config.stages.steps, named_keys(config.seeds, "data")
    watched: dict[str, Any] = {"context": context, "stage": stage, "replicas": "map"}
    return fit_many(descent, stack(prompts), start, keys, steps=steps, every=steps, **watched)[0].model


def answered(model: OneLayer, questions: Questions, key: Any = None) -> Metrics:
    """What every subject's question [o s p] gets, and whether every sentence [o s r] still gives its answer. Shares
    are of held-out facts, `learned` of the subjects asked about."""
    facts, words = questions.facts, questions.facts.vocabulary
    subjects = jnp.arange(words.subjects)
    prompts, answers = facts.prompts(subjects), 1 + words.templates + subjects
    logits = jax.vmap(model.last)(prompts)
    reply = jnp.argmax(logits, axis=1)
    right, relation = reply == answers, (reply >= 1) & (reply <= words.templates)
    held, asked = jnp.sum(questions.test, axis=1), questions.asked_subjects
    probability = jnp.take_along_axis(jax.nn.softmax(logits), answers[:, None], axis=1)[:, 0]

    def recall(templates: Any) -> Any:
        tokens = jnp.concatenate([facts.prefixes(subjects), facts.template_names[templates]], axis=1)
        return jnp.argmax(jax.vmap(model.last)(tokens), axis=1) == answers

    recalled = jax.lax.map(recall, facts.templates.T).T.astype(logits.dtype)

    def share(what: Any, among: Any) -> Any:
        return jnp.sum(what * among) / jnp.maximum(jnp.sum(among), 1)

    return {
        "extraction": share(right, held),
        "probability": share(probability, held),
        "relation": share(relation, held),
        "another": share((reply > words.templates) & ~right, held),
        "learned": share(right, asked),
        "stored": jnp.mean(recalled),
        "reply": reply,
        "recalled": recalled,
        "answer_logit": jnp.take_along_axis(logits, answers[:, None], axis=1)[:, 0],
        "relation_logit": jnp.mean(jnp.take_along_axis(logits, 1 + facts.templates, axis=1), axis=1),
        "attention": jnp.mean(jax.vmap(model.weights)(prompts)[:, -1], axis=0),
    }
