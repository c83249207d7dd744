"""The run that the paper's experiments share: facts, pre-training, one or more fine-tunings of the same model."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import numpy as np

from lemmata import core
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig, low_rank_factors
from lemmata.papers.knowledge.probe import extracted_facts, stored_facts
from lemmata.papers.knowledge.run.fast.token_descent import TokenDescent, begun
from lemmata.papers.knowledge.run.finetuning import FineTuningConfig, fine_tuning
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig, pre_training
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions
from lemmata.train import History, concatenate, fit_many, split, stack

BY_TEMPLATE = ("relation_logit", "answer_logit", "template_extraction", "relation_from_ask", "answer_from_relation")
BY_TEMPLATE += ("ask_pull", "ask_likeness")


@dataclass(frozen=True, kw_only=True)
class Extraction(core.RunConfig):
    """One cell (N, |R|, K, ...), several seeds; `others` fine-tune the same pre-trained models in other ways.

    metrics: a row for each seed, tuning (0 is `tuning`, then `others` in order) and record of fine-tuning; record 0 is
    the model before it. arrays: `pretraining.*` (seed, record); `attention_os`, `attention_osr` (seed, token) after
    pre-training, and before it as `untrained.*`; `templates` (seed, subject, slot); and for each tuning first (tuning,
    seed, ...): `attention_osp` (record, token), `reply` (subject: the class given to its question, 0 for d, 1.. for
    relations, 1 + |R|.. for answers), `asked` (subject), `held_out` (subject, slot), `covered` (template), `leak`, and
    `before.*`/`after.*` by template.
    """

    kind = "knowledge/extraction"
    version = 4

    facts: FactsConfig = field(default_factory=FactsConfig)
    model: OneLayerConfig = field(default_factory=OneLayerConfig)
    pretraining: PreTrainingConfig = field(default_factory=PreTrainingConfig)
    tuning: FineTuningConfig = field(default_factory=FineTuningConfig)
    others: tuple[FineTuningConfig, ...] = ()
    seeds: core.Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        check_cell(self.facts, self.model, self.tunings)

    @property
    def tunings(self) -> tuple[FineTuningConfig, ...]:
        return (self.tuning, *self.others)

    def execute(self, context: core.RunContext) -> core.RunOutput:
        cells = [(self.facts, seed) for seed in self.seeds]
        pretrained, facts, stored = pretrain(cells, self.model, self.pretraining, context)
        room = max((one.rank for one in self.tunings if one.rank is not None), default=None)
        outcomes: dict[int, Outcome] = {}
        for group in groups(self.tunings):
            tunings = [self.tunings[index] for index in group]
            stage = f"fine-tuning {'full' if tunings[0].rank is None else 'low-rank'} {group[0]}"
            found = tune(pretrained, facts, tunings, self.seeds, context, stage, room)
            outcomes |= zip(group, found, strict=True)
        return _output(self, facts, stored, [outcomes[index] for index in range(len(self.tunings))])


class Outcome(NamedTuple):
    """What one fine-tuning of every seed gave: metrics (seed, record, ...) and the questions it asked."""

    metrics: History
    questions: list[Questions]


def check_cell(facts: FactsConfig, model: OneLayerConfig, tunings: tuple[FineTuningConfig, ...]) -> None:
    """Refuse what does not fit together."""
    allowed = "1 here: the closed-form gradient and the probes are of names of one token"
    core.require(facts.name_length == 1, "facts.name_length", facts.name_length, allowed)
    model.check(facts)
    for number, tuning in enumerate(tunings):
        where = f"others[{number - 1}]" if number else "tuning"
        tuning.coverage.check(facts, f"{where}.coverage")
        tuning.check(model.width, model.neurons * len(facts.vocabulary().classes()), where)


def pretrain(
    cells: list[tuple[FactsConfig, int]],
    model: OneLayerConfig,
    config: PreTrainingConfig,
    context: core.RunContext,
    stage: str = "pre-training",
) -> tuple[OneLayer, list[Facts], History]:
    """Worlds and seeds of one padded shape, in one program: stacked models, facts, metrics (cell, record, ...)."""
    facts = [Facts.create(world, seed) for world, seed in cells]
    models = stack([OneLayer.create(model, world, seed) for world, seed in cells])
    keys, watched = core.named_keys([seed for _, seed in cells], "pre-training"), {"context": context, "stage": stage}
    algorithm, length = pre_training(config), (config.steps, config.records)
    start = jax.vmap(algorithm.init)(models)
    state, history = trained(algorithm, facts, start, keys, *length, probe=stored_facts, **watched)
    return state.model, facts, history


def tune(
    models: OneLayer,
    facts: list[Facts],
    tunings: list[FineTuningConfig],
    seeds: tuple[int, ...],
    context: core.RunContext,
    stage: str,
    room: int | None = None,
    probe: Callable[..., Any] = extracted_facts,
) -> list[Outcome]:
    """Fine-tunings that differ in coverage alone, of every model, in one program; a seed draws alike in all. Those of
    several ranks share one that has `room` for the largest."""
    config = tunings[0]
    questions = [
        Questions.choose(world, tuning.coverage, seed)
        for tuning in tunings
        for world, seed in zip(facts, seeds, strict=True)
    ]
    if config.rank is not None:
        _, d, m, c = models.neurons.shape
        factors = [low_rank_factors((d, m, c), config.rank, seed, room) for seed in seeds]
        models = models.with_factors(*stack(factors))
    if len(tunings) > 1:
        models = concatenate([models] * len(tunings))
    keys, watched = core.named_keys(seeds * len(tunings), "fine-tuning"), {"context": context, "stage": stage}
    history = fine_tuned(config, questions, models, keys, probe=probe, **watched)
    parts = [slice(start, start + len(seeds)) for start in range(0, len(questions), len(seeds))]
    return [
        Outcome(History({n: v[part] for n, v in history.items()}, history.steps), questions[part]) for part in parts
    ]


def fine_tuned(
    config: FineTuningConfig, questions: list[Questions], models: OneLayer, keys: Any, **watched: Any
) -> History:
    """Of stacked models, a set of questions and a key each: its metrics."""
    algorithm = fine_tuning(config, questions, models.config.learning_rate_unit)
    if isinstance(algorithm, TokenDescent):
        pairs = zip(split(models), split(stack(questions)), strict=True)
        start = concatenate([_begun(*pair, algorithm.subjects) for pair in pairs])  # one program for any number
    else:
        start = jax.vmap(algorithm.init)(models)
    return trained(algorithm, questions, start, keys, config.steps, config.records, **watched)[1]


@eqx.filter_jit
def _begun(models: OneLayer, questions: Questions, subjects: int) -> core.TrainState:
    return jax.vmap(partial(begun, subjects=subjects))(models, questions)


def trained(
    algorithm: core.AbstractAlgorithm, tasks: list[Any], start: Any, keys: Any, steps: int, records: int, **watched: Any
) -> tuple[core.TrainState, History]:
    """Stacked states, a task and a key each, with so many records besides the first."""
    return fit_many(
        algorithm, stack(tasks), start, keys, steps=steps, every=steps // records, replicas="auto", **watched
    )


def groups(tunings: tuple[FineTuningConfig, ...]) -> list[list[int]]:
    """The numbers of the tunings that one program serves. Split by tuple nearly every subject is asked about, by
    subject half of them: with room for the former the others would take longer."""
    found: dict[FineTuningConfig, list[int]] = {}
    for number, tuning in enumerate(tunings):
        found.setdefault(replace(tuning, coverage=CoverageConfig(split=tuning.coverage.split)), []).append(number)
    return list(found.values())


def under_another(tables: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Tables of the same columns as one."""
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def _output(config: Extraction, facts: list[Facts], stored: History, outcomes: list[Outcome]) -> core.RunOutput:
    tables = [
        outcome.metrics.table(seed=config.seeds, tuning=[number] * len(config.seeds))
        for number, outcome in enumerate(outcomes)
    ]
    arrays = {"pretraining.step": stored.steps, "templates": np.stack([np.asarray(one.templates) for one in facts])}
    arrays |= {f"pretraining.{name}": value for name, value in stored.items() if value.ndim == 2}
    for name in ("attention_os", "attention_osr"):
        arrays |= {name: stored[name][:, -1], f"untrained.{name}": stored[name][:, 0]}

    def each(read: Callable[[Outcome], np.ndarray]) -> np.ndarray:
        return np.stack([read(outcome) for outcome in outcomes])

    def of_questions(read: Callable[[Questions], Any]) -> np.ndarray:
        return each(lambda outcome: np.stack([np.asarray(read(one)) for one in outcome.questions]))

    arrays |= {
        "reply": each(lambda outcome: outcome.metrics["reply"][:, -1]),
        "asked": of_questions(lambda one: one.asked_subjects),
        "held_out": of_questions(lambda one: one.test > 0),
        "covered": of_questions(lambda one: one.covered),
        "leak": of_questions(lambda one: one.leak()),
        "attention_osp": each(lambda outcome: outcome.metrics["attention_osp"][:, [0, -1]]),
    }
    for when, record in (("before", 0), ("after", -1)):
        for name in BY_TEMPLATE:
            arrays[f"{when}.{name}"] = each(lambda outcome, n=name, r=record: outcome.metrics[n][:, r])
    return core.RunOutput(under_another(tables), arrays)


@cache  # asked for by every cell and fine-tuning
def base_cell(scale: core.Scale) -> Extraction:
    """The world and the training that most experiments vary."""
    return Extraction(
        facts=FactsConfig(**sizes.FACTS.at(scale)),
        model=OneLayerConfig(**sizes.MODEL.at(scale)),
        pretraining=PreTrainingConfig(**sizes.PRETRAINING.at(scale)),
        tuning=FineTuningConfig(**sizes.TUNING.at(scale)),
        seeds=sizes.seeds(scale, sizes.SEEDS),
    )


def lighter(scale: core.Scale) -> PreTrainingConfig:
    """On a laptop in half the batch and half the time, some .015 nats further from the least loss."""
    return replace(base_cell(scale).pretraining, batch=sizes.LIGHTER_BATCH.at(scale))
