"""Figure 3's run: a GPT-2-shaped decoder reads spelled facts, is fine-tuned on half of the subjects, and is asked about
the others."""

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Key

from lemmata import core
from lemmata.core.config import UNSAID
from lemmata.core.constraints import Bound, Count, Natural, NonNegative, Positive, Some
from lemmata.papers.knowledge.model.gpt2 import GPT2, GPT2Config, matrices
from lemmata.papers.knowledge.probe.sweep import SIZES
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions
from lemmata.train import Batches, Descent, History, fit_many, masked_cross_entropy, stack

EVERYTHING = partial(jax.tree.map, eqx.is_inexact_array)  # of a model learns
LARGEST_CHECKPOINT = 10**9  # bytes: a larger one takes longer to write than to compute


@dataclass(frozen=True, kw_only=True)
class CellConfig(core.Config):
    """One world's sizes."""

    subjects: int = 64  # N
    templates: int = 20  # |R|
    multiplicity: int = 5  # K


@dataclass(frozen=True, kw_only=True)
class PhaseConfig(core.Config):
    """AdamW on matrices, a linear warm-up, then a cosine down to a tenth of the rate."""

    steps: Count
    every: Count  # a record each so many steps
    batch: Count
    learning_rate: Positive = field(metadata=core.stored_as("rate"))
    warmup: Natural = 0
    weight_decay: NonNegative = 0.0
    beta_2: Annotated[float, Bound(least=0, below=1)] = 0.98
    clip: Positive = 1.0

    def cross_check(self) -> None:
        core.require(self.steps % self.every == 0, "every", self.every, f"a divisor of steps = {self.steps}")
        core.require(self.warmup < self.steps, "warmup", self.warmup, f"0 to {self.steps - 1}")

    def __call__(self, learning_rate: Any) -> optax.GradientTransformation:
        up = optax.linear_schedule(0.0, learning_rate, self.warmup)
        down = optax.cosine_decay_schedule(learning_rate, self.steps - self.warmup, alpha=0.1)
        clipped = optax.chain(optax.clip_by_global_norm(self.clip), optax.scale_by_adam(b2=self.beta_2))
        return optax.chain(
            optax.flatten(clipped),  # all weights in one vector: fewer, longer loops
            optax.add_decayed_weights(self.weight_decay, mask=matrices),
            optax.scale_by_learning_rate(optax.join_schedules([up, down], [self.warmup])),
        )

    def descent(self, places: tuple[int, ...]) -> Descent:
        return Descent(Batches(PlacedLoss(places), self.batch), EVERYTHING, self, self.learning_rate)

    def fit(self, descent: Descent, tasks: list[Any], start: Any, keys: Any, **watched: Any) -> tuple[GPT2, History]:
        arrays = jax.tree.leaves(eqx.filter(start, eqx.is_array))
        watched["checkpoints"] = sum(leaf.nbytes for leaf in arrays) <= LARGEST_CHECKPOINT
        state, found = fit_many(descent, stack(tasks), start, keys, steps=self.steps, every=self.every, **watched)
        return state.model, found


@dataclass(frozen=True, kw_only=True)
class DecoderExtraction(core.RunConfig):
    """Every cell with every seed, in one program: the worlds are padded to one shape."""

    kind = "knowledge/gpt2"
    version = 2

    cells: Some[CellConfig]
    name_length: Count = 5  # more than one: names are spelled
    alphabet: int = 64
    phrase: Count = field(default=1, metadata=UNSAID)  # tokens of a template, where names are one token
    asked: Count | None = field(default=None, metadata=UNSAID)  # subjects, of the half that is not held out; None: all
    model: GPT2Config
    pretraining: PhaseConfig
    fine_tuning: PhaseConfig
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        vocab, length = self.facts(self.cells[0]).vocabulary().size, 2 * self.name_length + self.between + 1
        for name, least in (("vocab", vocab), ("length", length)):
            value = getattr(self.model, name)
            core.require(value >= least, f"model.{name}", value, f"at least {least}, which the sentences need")
        for cell in self.cells:
            CoverageConfig(subjects=self.asked).check(self.facts(cell), "asked")  # refuses a world that cannot be

    @property
    def between(self) -> int:
        """Tokens of a template, between a subject and its answer."""
        return max(self.name_length, self.phrase)

    def facts(self, cell: CellConfig) -> FactsConfig:
        """Padded to the shape that all cells share."""
        pads = {f"pad_{name}": max(getattr(one, name) for one in self.cells) for name in SIZES}
        names: dict[str, Any] = {"name_length": self.name_length, "alphabet": self.alphabet, "phrase": self.phrase}
        return FactsConfig(**vars(cell), **pads, **names)

    def replicas(self) -> list[tuple[CellConfig, int]]:
        return [(cell, seed) for cell in self.cells for seed in self.seeds]

    def execute(self, context: core.RunContext) -> core.RunOutput:
        """The models read, then are fine-tuned."""
        cells, seeds = zip(*self.replicas(), strict=True)
        worlds = [Facts.create(self.facts(cell), seed) for cell, seed in self.replicas()]
        create = eqx.filter_jit(lambda key: GPT2.create(self.model, key=key))
        first = {seed: create(core.named_key(seed, "init")) for seed in self.seeds}
        length = self.name_length
        reading = self.pretraining.descent((0, *range(length, 2 * length + self.between)))
        start = stack([reading.init(first[seed]) for seed in seeds])
        keys = core.named_keys(seeds, "data", "pretraining")
        models, stored_history = self.pretraining.fit(
            reading, worlds, start, keys, probe=stored_accuracy, context=context, stage="pretraining"
        )

        coverage, pairs = CoverageConfig(subjects=self.asked), zip(worlds, seeds, strict=True)
        questions = [Questions.choose(world, coverage, seed) for world, seed in pairs]
        asking = self.fine_tuning.descent(tuple(range(2 * length, 3 * length)))
        start = jax.jit(jax.vmap(asking.init))(models)
        keys = core.named_keys(seeds, "data", "fine-tuning")
        _, found = self.fine_tuning.fit(
            asking, questions, start, keys, probe=extraction, context=context, stage="fine-tuning"
        )

        sizes = {name: [getattr(cell, name) for cell in cells] for name in SIZES}
        stages = {"pretraining": stored_history, "fine-tuning": found}
        tables = [one.table(stage=[stage] * len(cells), seed=seeds, **sizes) for stage, one in stages.items()]
        return core.RunOutput(
            {
                name: np.concatenate([one.get(name, np.full(len(one["step"]), np.nan)) for one in tables])
                for name in sorted({name for table in tables for name in table})
            }
        )


class PlacedLoss(eqx.Module):
    """The next-token loss of sequences that are all masked alike: logits are computed at the masked places alone."""

    places: tuple[int, ...] = eqx.field(static=True)

    def __call__(self, model: GPT2, batch: core.Batch) -> Float[Array, ""]:
        places = np.array(self.places)
        logits = jax.vmap(lambda tokens: model.at(tokens, jnp.asarray(places)))(batch.tokens)
        return masked_cross_entropy(logits, batch.targets[:, places], batch.mask[:, places])


def stored_accuracy(model: GPT2, facts: Facts, key: Key[Array, ""]) -> core.Metrics:
    """The share of subjects whose answer follows one of their sentences, every letter right."""
    subjects = jnp.arange(facts.subject_order.shape[0])
    slots = jax.random.randint(key, subjects.shape, 0, facts.multiplicity)
    right = letters_right(
        model, facts.sentences(subjects, facts.templates[subjects, slots]), facts.vocabulary.name_length
    )
    return {"told": _mean(right.all(axis=1), subjects < facts.num_subjects)}


def extraction(model: GPT2, questions: Questions, key: Any = None) -> core.Metrics:
    """Held-out and asked subjects: the share with every letter right, which is a greedy answer's exact match (each
    letter is right after right ones), and with the first letter right."""
    facts = questions.facts
    subjects = jnp.arange(facts.subject_order.shape[0])
    right = letters_right(model, facts.question_batch(subjects), facts.vocabulary.name_length)
    held_out = questions.test.max(axis=1)
    return {
        "held_out": _mean(right.all(axis=1), held_out),
        "held_out_first": _mean(right[:, 0], held_out),
        "asked": _mean(right.all(axis=1), questions.asked_subjects),
    }


def letters_right(model: GPT2, batch: core.Batch, between: int) -> Array:
    """Which letters of the answers come out, each given those before it: after a name and so many tokens `between`."""
    length = (batch.tokens.shape[1] - 1 - between) // 2
    positions = length + between + jnp.arange(length)
    logits = jax.vmap(lambda tokens: model.at(tokens, positions))(batch.tokens)
    return jnp.argmax(logits, axis=-1) == batch.targets[:, positions]


def _mean(values: Array, weights: Array) -> Float[Array, ""]:
    return jnp.sum(values * weights) / jnp.maximum(jnp.sum(weights), 1)
