"""Gradient descent in the appendix's stages, for a range of first rates at once, and what attention does meanwhile."""

from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, TrainState, named_key, require
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
    first_logits: tuple[float, ...] = (28.0, 40.0, 56.0, 80.0, 112.0)  # of d at [o] that the first step aims at
    first_steps: int = 2
    second_rate: float = 20.0
    third_rate: float = 200.0
    steps: int = 60
    every: int = 2
    seeds: tuple[int, ...] = (0, 1, 2)

    def __post_init__(self) -> None:
        world = self.facts
        plain = world.name_length == 1 and world.pad_subjects is None and world.pad_templates is None
        require(plain and world.pad_multiplicity is None, "facts", world, "names of one token, without padding")
        allowed = "'softmax': uniform attention has no stages to follow"
        require(self.model.attention == "softmax", "model.attention", self.model.attention, allowed)
        require(min(self.first_logits, default=0) > 0, "first_logits", self.first_logits, "positive, at least one")
        for name in ("second_rate", "third_rate"):
            require(getattr(self, name) > 0, name, getattr(self, name), "positive")
        require(self.first_steps >= 1, "first_steps", self.first_steps, "at least 1")
        fits = self.every >= 1 and self.steps % self.every == 0 and self.first_steps % self.every == 0
        require(fits, "every", self.every, "a divisor of steps and of first_steps")
        require(self.steps >= self.first_steps, "steps", self.steps, f"at least first_steps = {self.first_steps}")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")
        self.model.check(int((world.vocabulary().read() & world.present()).sum()))

    @property
    def unit(self) -> float:
        return self.model.neurons / (self.model.scale**2 * self.model.width * self.model.sigma**2)

    def first_rate(self, logit: float) -> float:
        """From w = 0 with half of d's neurons active, a step of eta makes d's logit at [o] 2 eta lambda^2 d / (3m)."""
        return 1.5 * logit * self.unit

    def execute(self, context: RunContext) -> RunOutput:
        algorithm = StagedDescent(
            (self.first_rate(self.first_logits[0]), self.second_rate * self.unit, self.third_rate * self.unit),
            self.first_steps,
        )
        cells = [(seed, logit) for seed in self.seeds for logit in self.first_logits]
        worlds = {seed: Facts.create(self.facts, seed) for seed in self.seeds}
        words = self.facts.vocabulary()
        parts = {"present": self.facts.present(), "read": words.read(), "classes": words.classes()}
        models = {seed: OneLayer.create(self.model, seed, **parts) for seed in self.seeds}
        _, metrics = fit_many(
            algorithm,
            stack([Prompts.of(worlds[seed], self.query) for seed, _ in cells]),
            stack([with_first_rate(algorithm.init(models[seed]), self.first_rate(logit)) for seed, logit in cells]),
            jnp.stack([named_key(seed, "data") for seed, _ in cells]),
            steps=self.steps,
            every=self.every,
            probe=watch,
            context=context,
            stage="stages",
        )
        records = self.steps // self.every + 1
        after_first = metrics.pop("full")[:, self.first_steps // self.every]
        table = {
            "seed": np.repeat([seed for seed, _ in cells], records),
            "first_logit": np.repeat([logit for _, logit in cells], records),
            "step": np.tile(self.every * np.arange(records), len(cells)),
            **{name: values.reshape(-1).astype(float) for name, values in metrics.items()},
        }
        shape = len(self.seeds), len(self.first_logits)
        sentences = np.stack([_sentences(worlds[seed]) for seed in self.seeds])
        return RunOutput(
            table,
            {
                "after_first": after_first.reshape(*shape, *after_first.shape[1:]),  # alpha at [o s r], each fact
                "sentences": sentences,  # n_r of each fact's template
            },
        )


def with_first_rate(state: TrainState, rate: float) -> TrainState:
    return eqx.tree_at(lambda one: one.opt_state.rates, state, state.opt_state.rates.at[0].set(rate))


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
