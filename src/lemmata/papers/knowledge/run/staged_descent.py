"""Gradient descent in the appendix's stages, for a range of first rates at once, and what attention does meanwhile."""

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Count, Metrics, Positive, RunConfig, RunContext, RunOutput, Some, named_keys, require
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.run.stages import Prompts, Query, StagedDescent
from lemmata.papers.knowledge.task import ASK, Facts, FactsConfig
from lemmata.train import fit_many, stack


def small_world() -> FactsConfig:
    return FactsConfig(subjects=16, templates=8, multiplicity=4)


def small_model() -> OneLayerConfig:
    return OneLayerConfig(width=64, scale=256.0, embeddings="orthonormal", neuron_start=4e-5)


@dataclass(frozen=True, kw_only=True)
class StagedPreTraining(RunConfig):
    """Rates are in units of m / (lambda^2 d): a step of one unit moves the logit of a prompt of weight 1 by order 1."""

    kind = "knowledge/staged-descent"

    facts: FactsConfig = field(default_factory=small_world)
    model: OneLayerConfig = field(default_factory=small_model)
    query: Query = "last"
    first_logits: Some[Positive] = (28.0, 40.0, 56.0, 80.0, 112.0)  # of d at [o] that the first step aims at
    first_steps: Count = 2
    second_rate: Positive = 20.0
    third_rate: Positive = 200.0
    steps: Count = 60
    every: Count = 2
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        world = self.facts
        pads = (world.pad_subjects, world.pad_templates, world.pad_multiplicity)
        plain = world.name_length == 1 and pads == (None, None, None)
        require(plain, "facts", world, "names of one token, without padding")
        allowed = "'softmax': uniform attention has no stages to follow"
        require(self.model.attention == "softmax", "model.attention", self.model.attention, allowed)
        fits = self.steps % self.every == 0 and self.first_steps % self.every == 0
        require(fits, "every", self.every, "a divisor of steps and of first_steps")
        require(self.steps >= self.first_steps, "steps", self.steps, f"at least first_steps = {self.first_steps}")
        self.model.check(int((world.vocabulary().read() & world.present()).sum()))

    @property
    def unit(self) -> float:
        return self.model.neurons / (self.model.scale**2 * self.model.width * self.model.sigma**2)

    def descent(self, logit: float) -> StagedDescent:
        """From w = 0 with half of d's neurons active, a step of eta makes d's logit at [o] 2 eta lambda^2 d / (3m)."""
        rates = (1.5 * logit * self.unit, self.second_rate * self.unit, self.third_rate * self.unit)
        return StagedDescent(rates, self.first_steps)

    def execute(self, context: RunContext) -> RunOutput:
        cells = [(seed, logit) for seed in self.seeds for logit in self.first_logits]
        seeds, logits = zip(*cells, strict=True)
        worlds = {seed: Facts.create(self.facts, seed) for seed in self.seeds}
        words = self.facts.vocabulary()
        parts = {"present": self.facts.present(), "read": words.read(), "classes": words.classes()}
        models = {seed: OneLayer.create(self.model, seed, **parts) for seed in self.seeds}
        _, history = fit_many(
            self.descent(logits[0]),
            stack([Prompts.of(worlds[seed], self.query) for seed in seeds]),
            stack([self.descent(logit).init(models[seed]) for seed, logit in cells]),
            named_keys(seeds, "data"),
            steps=self.steps,
            every=self.every,
            probe=watch,
            context=context,
            stage="stages",
        )
        after_first = history["full"][:, self.first_steps // self.every]
        shape = len(self.seeds), len(self.first_logits)
        return RunOutput(
            history.table(seed=seeds, first_logit=logits),
            {
                "after_first": after_first.reshape(*shape, *after_first.shape[1:]),  # alpha at [o s r], each fact
                "sentences": np.stack([_sentences(worlds[seed]) for seed in self.seeds]),  # n_r of each fact's template
            },
        )


def watch(model: Any, task: Any, key: Key[Array, ""]) -> Metrics:
    """Attention at its worst and on average, and how strongly an answer's neurons respond to its own subject."""
    two, three = task.attention(model, task.subjects), task.attention(model, task.facts)
    asked = task.attention(model, jnp.concatenate([task.subjects, jnp.full_like(task.subjects[:, :1], ASK)], axis=1))
    ratio = three[:, 1] / three[:, 2]
    own, other = feature_strengths(model, task)
    return {
        "first_two": jnp.max(two[:, 0]),
        "first_three": jnp.max(three[:, 0]),
        "ratio_min": jnp.min(ratio),
        "ratio_max": jnp.max(ratio),
        **{f"two_{i}": jnp.mean(two[:, i]) for i in range(2)},
        **{f"three_{i}": jnp.mean(three[:, i]) for i in range(3)},
        **{f"asked_{i}": jnp.mean(asked[:, i]) for i in range(3)},
        "own_strength": own,
        "other_strength": other,
        "full": three,
    }


def feature_strengths(model: OneLayer, prompts: Prompts) -> tuple[Array, Array]:
    """Lemma 15: (1/m) sum_k relu(<w_{a_j,k}, s_j>), the least over subjects; and its mean with another subject's s."""
    subjects = prompts.subjects[:, 1]
    answers = jnp.zeros_like(subjects).at[prompts.owner].set(prompts.answers)
    x, w = model.embeddings[subjects], model.matrices()[1]
    neurons = w[:, :, jnp.searchsorted(model.classes, answers)]  # width, neuron, subject
    own = jnp.mean(jax.nn.relu(jnp.einsum("sd,dms->sm", x, neurons)), axis=1)
    other = jnp.mean(jax.nn.relu(jnp.einsum("sd,dms->sm", jnp.roll(x, 1, axis=0), neurons)), axis=1)
    return jnp.min(own), jnp.mean(other)


def _sentences(facts: Facts) -> np.ndarray:
    """How many sentences are told with each fact's template."""
    templates = np.asarray(facts.templates).reshape(-1)
    return np.bincount(templates)[templates]
