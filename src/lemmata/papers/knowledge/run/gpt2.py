"""Figure 3's run: a GPT-2-shaped decoder reads spelled facts, is fine-tuned on half of the subjects, and is asked about
the others."""

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Key

from lemmata.core import Batch, Metrics, RunConfig, RunContext, RunOutput, named_key, require
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
from lemmata.train import StochasticDescent, fit_many, masked_cross_entropy, stack

LARGEST_CHECKPOINT = 10**9  # bytes


@dataclass(frozen=True, kw_only=True)
class CellConfig:
    """One world's sizes."""

    subjects: int = 64  # N
    templates: int = 20  # |R|
    multiplicity: int = 5  # K


@dataclass(frozen=True, kw_only=True)
class PhaseConfig:
    """AdamW on matrices, a linear warm-up, then a cosine down to a tenth of the rate."""

    steps: int
    every: int  # a record each so many steps
    batch: int
    rate: float
    warmup: int = 0
    weight_decay: float = 0.0
    beta_2: float = 0.98
    clip: float = 1.0

    def __post_init__(self) -> None:
        for name in ("steps", "every", "batch"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        require(self.steps % self.every == 0, "every", self.every, f"a divisor of steps = {self.steps}")
        require(0 <= self.warmup < self.steps, "warmup", self.warmup, f"0 to {self.steps - 1}")
        for name in ("rate", "clip"):
            require(getattr(self, name) > 0, name, getattr(self, name), "positive")
        require(self.weight_decay >= 0, "weight_decay", self.weight_decay, "not negative")
        require(0 <= self.beta_2 < 1, "beta_2", self.beta_2, "in [0, 1)")

    def algorithm(self, places: tuple[int, ...]) -> StochasticDescent:
        start = 0.0 if self.warmup else self.rate
        rate = optax.warmup_cosine_decay_schedule(start, self.rate, self.warmup, self.steps, self.rate / 10)
        clipped = optax.chain(optax.clip_by_global_norm(self.clip), optax.scale_by_adam(b2=self.beta_2))
        optimizer = optax.chain(
            optax.flatten(clipped),  # all weights in one vector: fewer, longer loops
            optax.add_decayed_weights(self.weight_decay, mask=matrices),
            optax.scale_by_learning_rate(rate),
        )
        return StochasticDescent(optimizer, self.batch, PlacedLoss(places), everything)


@dataclass(frozen=True, kw_only=True)
class DecoderExtraction(RunConfig):
    """Every cell with every seed, in one program: the worlds are padded to one shape."""

    kind = "knowledge/gpt2"

    cells: tuple[CellConfig, ...]
    name_length: int = 5
    alphabet: int = 64
    model: GPT2Config
    pretraining: PhaseConfig
    fine_tuning: PhaseConfig
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        require(len(self.cells) >= 1, "cells", self.cells, "at least one")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")
        require(self.name_length >= 2, "name_length", self.name_length, "at least 2: names are spelled")
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
        parts = [told, self.fine_tuned(models, context)]
        names, counts = {name for part in parts for name in part}, [len(part["step"]) for part in parts]
        return RunOutput(
            {
                name: np.concatenate(
                    [part.get(name, np.full(n, np.nan)) for part, n in zip(parts, counts, strict=True)]
                )
                for name in sorted(names)
            }
        )

    def pretrained(self, context: RunContext) -> tuple[GPT2, dict[str, np.ndarray]]:
        """Every replica's model after reading, stacked, and a row a record."""
        replicas, phase = self.replicas(), self.pretraining
        create = eqx.filter_jit(lambda key: GPT2.create(self.model, key=key))
        first = {seed: create(named_key(seed, "init")) for seed in self.seeds}
        algorithm = phase.algorithm((0, *range(self.name_length, 3 * self.name_length)))
        state = stack([algorithm.init(first[seed]) for _, seed in replicas])
        state, told = fit_many(
            algorithm,
            stack(self.worlds()),
            state,
            jnp.stack([named_key(seed, "data", "pretraining") for _, seed in replicas]),
            steps=phase.steps,
            every=phase.every,
            probe=told_accuracy,
            context=context,
            stage="pretraining",
            checkpoints=_quick_to_write(state),
        )
        return state.model, self.rows("pretraining", told, phase)

    def fine_tuned(self, models: GPT2, context: RunContext) -> dict[str, np.ndarray]:
        """Two fine-tunings of every model, with true answers and with another subject's; a row a record."""
        seeds, phase = [seed for _, seed in self.replicas()] * 2, self.fine_tuning
        true, shuffled = (
            [
                PhraseQuestions(Questions.choose(world, CoverageConfig(answers=answers), seed))
                for world, seed in zip(self.worlds(), seeds, strict=False)
            ]
            for answers in ("true", "shuffled")
        )
        algorithm = phase.algorithm(tuple(range(2 * self.name_length, 3 * self.name_length)))
        twice = jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), models)
        state = jax.jit(jax.vmap(algorithm.init))(twice)
        _, found = fit_many(
            algorithm,
            stack(true + shuffled),
            state,
            jnp.stack([named_key(seed, "data", "fine-tuning") for seed in seeds]),
            steps=phase.steps,
            every=phase.every,
            probe=lambda model, task, key: extraction(model, task.questions),
            context=context,
            stage="fine-tuning",
            checkpoints=_quick_to_write(state),
        )
        half = len(true)
        parts = [
            self.rows(name, {key: value[part] for key, value in found.items()}, phase)
            for name, part in (("true", slice(half)), ("shuffled", slice(half, None)))
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def worlds(self) -> list[Facts]:
        """Padded to one shape."""
        sizes = {name: max(getattr(cell, name) for cell in self.cells) for name in ("subjects", "templates")}
        slots = max(cell.multiplicity for cell in self.cells)
        return [padded(Facts.create(self.facts(cell), seed), slots=slots, **sizes) for cell, seed in self.replicas()]

    def rows(self, stage: str, metrics: dict[str, np.ndarray], phase: PhaseConfig) -> dict[str, np.ndarray]:
        """Metrics of shape (replica, record) as long columns."""
        replicas, (count, records) = self.replicas(), metrics["loss"].shape
        sizes = ("subjects", "templates", "multiplicity")
        return {
            "stage": np.full(count * records, stage),
            "seed": np.repeat([seed for _, seed in replicas], records),
            "step": np.tile(phase.every * np.arange(records), count),
            **{name: np.repeat([getattr(cell, name) for cell, _ in replicas], records) for name in sizes},
            **{name: values.reshape(-1).astype(float) for name, values in metrics.items()},
        }


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
