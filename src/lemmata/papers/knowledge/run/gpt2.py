"""Figure 3's run: a GPT-2-shaped decoder reads spelled facts, is fine-tuned on half of the subjects, and is asked about
the others."""

from dataclasses import dataclass
from typing import Annotated, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Key

from lemmata.core import (
    Batch,
    Bound,
    Config,
    Count,
    Metrics,
    Natural,
    NonNegative,
    Positive,
    RunConfig,
    RunContext,
    RunOutput,
    Several,
    Some,
    named_key,
    named_keys,
    require,
)
from lemmata.models.gpt2 import GPT2, GPT2Config, matrices
from lemmata.papers.knowledge.task import (
    CoverageConfig,
    Facts,
    FactsConfig,
    PhraseQuestions,
    Questions,
    padded,
    phrase_questions,
)
from lemmata.train import Batches, Descent, History, fit_many, masked_cross_entropy, stack

LARGEST_CHECKPOINT = 10**9  # bytes


@dataclass(frozen=True, kw_only=True)
class CellConfig(Config):
    """One world's sizes."""

    subjects: int = 64  # N
    templates: int = 20  # |R|
    multiplicity: int = 5  # K


@dataclass(frozen=True, kw_only=True)
class PhaseConfig(Config):
    """AdamW on matrices, a linear warm-up, then a cosine down to a tenth of the rate."""

    steps: Count
    every: Count  # a record each so many steps
    batch: Count
    rate: Positive
    warmup: Natural = 0
    weight_decay: NonNegative = 0.0
    beta_2: Annotated[float, Bound(least=0, below=1)] = 0.98
    clip: Positive = 1.0

    def cross_check(self) -> None:
        require(self.steps % self.every == 0, "every", self.every, f"a divisor of steps = {self.steps}")
        require(self.warmup < self.steps, "warmup", self.warmup, f"0 to {self.steps - 1}")

    def __call__(self, rate: Any) -> optax.GradientTransformation:
        up = optax.linear_schedule(0.0, rate, self.warmup)
        down = optax.cosine_decay_schedule(rate, self.steps - self.warmup, alpha=0.1)
        clipped = optax.chain(optax.clip_by_global_norm(self.clip), optax.scale_by_adam(b2=self.beta_2))
        return optax.chain(
            optax.flatten(clipped),  # all weights in one vector: fewer, longer loops
            optax.add_decayed_weights(self.weight_decay, mask=matrices),
            optax.scale_by_learning_rate(optax.join_schedules([up, down], [self.warmup])),
        )

    def descent(self, places: tuple[int, ...]) -> Descent:
        return Descent(Batches(PlacedLoss(places), self.batch), everything, self, self.rate)


@dataclass(frozen=True, kw_only=True)
class DecoderExtraction(RunConfig):
    """Every cell with every seed, in one program: the worlds are padded to one shape."""

    kind = "knowledge/gpt2"

    cells: Some[CellConfig]
    name_length: Several = 5  # names are spelled
    alphabet: int = 64
    model: GPT2Config
    pretraining: PhaseConfig
    fine_tuning: PhaseConfig
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        vocab, length = self.facts(self.cells[0]).vocabulary().size, 3 * self.name_length + 1
        for name, least in (("vocab", vocab), ("length", length)):
            value = getattr(self.model, name)
            require(value >= least, f"model.{name}", value, f"at least {least}, which the sentences need")
        for cell in self.cells:
            self.facts(cell)  # refuses a world that cannot be

    def facts(self, cell: CellConfig) -> FactsConfig:
        return FactsConfig(
            subjects=cell.subjects,
            templates=cell.templates,
            multiplicity=cell.multiplicity,
            name_length=self.name_length,
            alphabet=self.alphabet,
        )

    def replicas(self) -> list[tuple[CellConfig, int]]:
        return [(cell, seed) for cell in self.cells for seed in self.seeds]

    def execute(self, context: RunContext) -> RunOutput:
        models, told = self.pretrained(context)
        parts = [told, *self.fine_tuned(models, context)]
        names = sorted({name for part in parts for name in part})
        return RunOutput(
            {
                name: np.concatenate([part.get(name, np.full(len(part["step"]), np.nan)) for part in parts])
                for name in names
            }
        )

    def pretrained(self, context: RunContext) -> tuple[GPT2, dict[str, np.ndarray]]:
        """Every replica's model after reading, stacked, and a row a record."""
        seeds, phase = [seed for _, seed in self.replicas()], self.pretraining
        create = eqx.filter_jit(lambda key: GPT2.create(self.model, key=key))
        first = {seed: create(named_key(seed, "init")) for seed in self.seeds}
        descent = phase.descent((0, *range(self.name_length, 3 * self.name_length)))
        state = stack([descent.init(first[seed]) for seed in seeds])
        state, told = fit_many(
            descent,
            stack(self.worlds()),
            state,
            named_keys(seeds, "data", "pretraining"),
            steps=phase.steps,
            every=phase.every,
            probe=told_accuracy,
            context=context,
            stage="pretraining",
            checkpoints=_quick_to_write(state),
        )
        return state.model, self.rows("pretraining", told)

    def fine_tuned(self, models: GPT2, context: RunContext) -> list[dict[str, np.ndarray]]:
        """Two fine-tunings of every model, with true answers and with another subject's; a row a record."""
        seeds, phase = [seed for _, seed in self.replicas()], self.fine_tuning
        worlds = self.worlds()
        questions = [
            PhraseQuestions(Questions.choose(world, CoverageConfig(answers=answers), seed))
            for answers in ("true", "shuffled")
            for world, seed in zip(worlds, seeds, strict=True)
        ]
        descent = phase.descent(tuple(range(2 * self.name_length, 3 * self.name_length)))
        twice = jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), models)
        state = jax.jit(jax.vmap(descent.init))(twice)
        _, found = fit_many(
            descent,
            stack(questions),
            state,
            named_keys(seeds * 2, "data", "fine-tuning"),
            steps=phase.steps,
            every=phase.every,
            probe=lambda model, task, key: extraction(model, task.questions),
            context=context,
            stage="fine-tuning",
            checkpoints=_quick_to_write(state),
        )
        halves = {"true": slice(len(seeds)), "shuffled": slice(len(seeds), None)}
        return [
            self.rows(answers, History({name: values[half] for name, values in found.items()}, found.steps))
            for answers, half in halves.items()
        ]

    def worlds(self) -> list[Facts]:
        """Padded to one shape."""
        sizes = {name: max(getattr(cell, name) for cell in self.cells) for name in ("subjects", "templates")}
        slots = max(cell.multiplicity for cell in self.cells)
        return [padded(Facts.create(self.facts(cell), seed), slots=slots, **sizes) for cell, seed in self.replicas()]

    def rows(self, stage: str, history: History) -> dict[str, np.ndarray]:
        cells, seeds = zip(*self.replicas(), strict=True)
        sizes = {name: [getattr(cell, name) for cell in cells] for name in ("subjects", "templates", "multiplicity")}
        return history.table(stage=[stage] * len(cells), seed=seeds, **sizes)


class PlacedLoss(eqx.Module):
    """The next-token loss of sequences that are all masked alike: logits are computed at the masked places alone."""

    places: tuple[int, ...] = eqx.field(static=True)

    def __call__(self, model: GPT2, batch: Batch) -> Float[Array, ""]:
        places = np.array(self.places)
        logits = jax.vmap(lambda tokens: model.at(tokens, jnp.asarray(places)))(batch.tokens)
        return masked_cross_entropy(logits, batch.targets[:, places], batch.mask[:, places])


def everything(model: GPT2) -> Any:
    return jax.tree.map(eqx.is_inexact_array, model)


def told_accuracy(model: GPT2, facts: Facts, key: Key[Array, ""]) -> Metrics:
    """The share of subjects whose answer follows a sentence it was told in, every letter right."""
    subjects = jnp.arange(facts.subject_order.shape[0])
    slots = jax.random.randint(key, subjects.shape, 0, facts.multiplicity)
    right = letters_right(model, facts.sentences(subjects, facts.templates[subjects, slots]), facts)
    return {"told": _mean(right.all(axis=1), subjects < facts.num_subjects)}


def extraction(model: GPT2, questions: Questions) -> Metrics:
    """Held-out and asked subjects: the share with every letter right, which is a greedy answer's exact match (each
    letter is right after right ones), and with the first letter right."""
    facts = questions.facts
    subjects = jnp.arange(facts.subject_order.shape[0])
    right = letters_right(model, phrase_questions(facts, subjects), facts)
    held_out = questions.test.max(axis=1)
    return {
        "held_out": _mean(right.all(axis=1), held_out),
        "held_out_first": _mean(right[:, 0], held_out),
        "asked": _mean(right.all(axis=1), questions.asked_subjects),
    }


def letters_right(model: GPT2, batch: Batch, facts: Facts) -> Array:
    """Which letters of the answers come out, each given those before it."""
    length = facts.vocabulary.name_length
    positions = 2 * length + jnp.arange(length)
    logits = jax.vmap(lambda tokens: model.at(tokens, positions))(batch.tokens)
    return jnp.argmax(logits, axis=-1) == batch.targets[:, positions]


def _mean(values: Array, weights: Array) -> Float[Array, ""]:
    return jnp.sum(values * weights) / jnp.maximum(jnp.sum(weights), 1)


def _quick_to_write(state: Any) -> bool:
    return sum(leaf.nbytes for leaf in jax.tree.leaves(eqx.filter(state, eqx.is_array))) <= LARGEST_CHECKPOINT
