"""Pre-training in the stages of the appendix: full-batch gradient descent on A and w, one learning rate a stage, for
several first ones at once, and what attention does meanwhile.

Stage 1 is a few steps of a large rate eta_1 (the proof of Lemma 10 says "after 2 iterations"); stage 2 goes on with
eta_2 until T_2, while neither relations nor answers are learned (1 - logit = Theta(1) for both); stage 3 goes on with
eta_3 to T_p. The text gives no number for T_2: here stage 2 ends when half is learned, that is, when the mean of
K_s(j) logit_r([o s_j]) or of logit_a([o s_j r]) passes 1/2.
"""

from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from lemmata import core
from lemmata.core.constraints import Count, Positive, Some
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.run.fast.sentence_gradient import sentence_gradient
from lemmata.papers.knowledge.task import ASK, DUMMY, START, Facts, FactsConfig
from lemmata.train import fit_many, stack

HALF = 0.5


class Prompts(eqx.Module):
    """Every different prompt of a set of facts with one-token names, and what follows it: the whole data set."""

    facts: Int[Array, "fact 3"]  # the tokens o s r of each sentence
    answers: Int[Array, " fact"]  # the token that follows
    subjects: Int[Array, "subject 2"]  # the tokens o s of each subject
    owner: Int[Array, " fact"]  # which subject a sentence is about
    templates: Int[Array, " fact"]
    multiplicity: Int[Array, "*fact"]  # K_s(j), of each sentence's subject or of all
    world: Facts

    @classmethod
    def of(cls, facts: Facts, counts: Int[np.ndarray, " subject"] | None = None) -> "Prompts":
        """Of an unpadded world: each of the N K sentences once; with `counts`, the first K_s(j) of each subject."""
        n, k = facts.templates.shape
        slots = np.ones((n, k), bool) if counts is None else np.arange(k) < counts[:, None]
        owner, slot = (jnp.asarray(one, jnp.int32) for one in np.nonzero(slots))
        templates = facts.templates[owner, slot]
        o, names = jnp.full(n, START, jnp.int32), facts.subject_names[:, 0]
        sentences_read = jnp.stack([o[owner], names[owner], facts.template_names[templates, 0]], axis=1)
        prompts = sentences_read, facts.answer_names[owner, 0], jnp.stack([o, names], axis=1), owner, templates
        return cls(*prompts, facts.multiplicity if counts is None else jnp.asarray(counts)[owner], facts)

    def attention(self, model: OneLayer, prompts: Int[Array, "p l"]) -> Float[Array, "p l"]:
        """alpha of the last position, for each prompt."""
        x = model.embeddings[prompts]
        asks = x[:, -1] if model.config.query == "last" else x[:, 0]
        return jax.nn.softmax(jnp.einsum("pd,pld->pl", asks @ model.matrices()[0], x))

    def features(self, model: OneLayer, prompts: Int[Array, "p l"]) -> Float[Array, "p d"]:
        """Xi of the last position, for each prompt."""
        x = model.embeddings[prompts]
        return x[:, -1] + jnp.einsum("pl,pld->pd", self.attention(model, prompts), x)

    def log_probabilities(self, model: OneLayer, prompts: Int[Array, "p l"]) -> Float[Array, "p class"]:
        return jax.nn.log_softmax(model.class_logits(self.features(model, prompts)))


def whole_gradient(
    model: OneLayer, prompts: Prompts
) -> tuple[Float[Array, ""], core.Metrics, Float[Array, "width width"], Float[Array, "width neuron class"]]:
    """The next-token loss over all sentences and their three questions, how much is learned (of relations and answers
    on average and at most), and the loss's gradients in A and w."""
    losses, attention, neurons = sentence_gradient(model, prompts.world, prompts.owner, prompts.templates)
    # 1 when all is learned
    relation, answer = prompts.multiplicity * jnp.exp(-losses.relation), jnp.exp(-losses.answer)
    known = {
        "dummy": jnp.exp(-losses.dummy),
        "relation": jnp.mean(relation),
        "answer": jnp.mean(answer),
        "relation_most": jnp.max(relation),
        "answer_most": jnp.max(answer),
    }
    return losses.loss(), known, attention, neurons


class Progress(eqx.Module):
    """The rates of the three stages (a replica may have its own), the stage it is in and the steps it has made."""

    lr: Float[Array, " stage"]
    stage: Int[Array, ""]
    step: Int[Array, ""]


class StagedDescent(core.AbstractAlgorithm):
    """x <- x - eta_stage * gradient on the attention matrix and the neurons; the task is the set of `Prompts`."""

    lr: tuple[float, float, float]
    first_steps: int = eqx.field(static=True, default=2)

    def init(self, model: Any) -> core.TrainState:
        start = Progress(jnp.asarray(self.lr, model.neurons.dtype), jnp.asarray(0), jnp.asarray(0))
        return core.TrainState(model, start)

    def step(self, task: Any, state: core.TrainState, *, key: Key[Array, ""]) -> tuple[core.TrainState, core.Metrics]:
        value, known, attention, neurons = whole_gradient(state.model, task)
        progress = state.opt_state
        half = (known["relation"] >= HALF) | (known["answer"] >= HALF)
        second = jnp.maximum(progress.stage, jnp.where(progress.step >= self.first_steps, 1, 0))
        stage = jnp.where((second == 1) & half, 2, second)
        learning_rate = progress.lr[stage]
        moved = state.model.attention - learning_rate * attention, state.model.neurons - learning_rate * neurons
        model = eqx.tree_at(lambda one: (one.attention, one.neurons), state.model, moved)
        after = Progress(progress.lr, stage, progress.step + 1)
        return core.TrainState(model, after), {"loss": value, "stage": stage.astype(value.dtype), **known}


@dataclass(frozen=True, kw_only=True)
class StagedPreTraining(core.RunConfig):
    """Rates are in units of `model.rate_unit`."""

    kind = "knowledge/staged-descent"
    version = 4

    facts: FactsConfig = field(default_factory=lambda: FactsConfig(subjects=16, templates=8, multiplicity=4))
    model: OneLayerConfig = field(
        default_factory=lambda: OneLayerConfig(width=64, scale=256.0, embeddings="orthonormal", neuron_start=4e-5)
    )
    first_logits: Some[Positive] = (28.0, 40.0, 56.0, 80.0, 112.0)  # of d at [o] that the first step aims at
    first_steps: Count = 2
    second_learning_rate: Positive = field(default=20.0, metadata=core.stored_as("second_rate"))
    third_learning_rate: Positive = field(default=200.0, metadata=core.stored_as("third_rate"))
    steps: Count = 60
    every: Count = 2
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        world = self.facts
        plain = world.name_length == 1 == world.phrase and world.opened and world.pads == (None, None, None)
        core.require(plain, "facts", world, "names of one token after o, without padding")
        allowed = "'softmax': uniform attention has no stages to follow"
        core.require(self.model.attention == "softmax", "model.attention", self.model.attention, allowed)
        fits = self.steps % self.every == 0 and self.first_steps % self.every == 0
        core.require(fits, "every", self.every, "a divisor of steps and of first_steps")
        core.require(self.steps >= self.first_steps, "steps", self.steps, f"at least first_steps = {self.first_steps}")
        self.model.check(world)

    def descent(self, logit: float) -> StagedDescent:
        """From w = 0 with half of d's neurons active, a step of eta makes d's logit at [o] 2 eta lambda^2 d / (3m)."""
        unit = self.model.learning_rate_unit
        return StagedDescent(
            (1.5 * logit * unit, self.second_learning_rate * unit, self.third_learning_rate * unit), self.first_steps
        )

    def execute(self, context: core.RunContext) -> core.RunOutput:
        cells = [(seed, logit) for seed in self.seeds for logit in self.first_logits]
        seeds, logits = zip(*cells, strict=True)
        worlds = {seed: Facts.create(self.facts, seed) for seed in self.seeds}
        models = {seed: OneLayer.create(self.model, self.facts, seed) for seed in self.seeds}
        prompts = {seed: Prompts.of(world) for seed, world in worlds.items()}
        start = stack([self.descent(logit).init(models[seed]) for seed, logit in cells])
        keys, descent = core.named_keys(seeds, "data"), self.descent(logits[0])
        watched: dict[str, Any] = {"probe": watch, "context": context, "stage": "stages", "replicas": "map"}
        tasks = stack([prompts[seed] for seed in seeds])
        _, history = fit_many(descent, tasks, start, keys, steps=self.steps, every=self.every, **watched)
        after_first = history["full"][:, self.first_steps // self.every]
        shape = len(self.seeds), len(self.first_logits)
        return core.RunOutput(
            history.table(seed=seeds, first_logit=logits),
            {
                "after_first": after_first.reshape(*shape, *after_first.shape[1:]),  # alpha at [o s r], each fact
                "sentences": np.stack([sentences(worlds[seed]) for seed in self.seeds]),
            },
        )


def watch(model: Any, task: Any, key: Key[Array, ""]) -> core.Metrics:
    """Attention at its worst and on average, how strongly an answer's neurons respond to its own subject, and what the
    facts' neurons and those of d make of their own prompts."""
    two, three = task.attention(model, task.subjects), task.attention(model, task.facts)
    asked = task.attention(model, jnp.concatenate([task.subjects, jnp.full_like(task.subjects[:, :1], ASK)], axis=1))
    ratio = three[:, 1] / three[:, 2]
    own, other = feature_strengths(model, task)
    dummy, answers = responses(model, task)
    right = jnp.argmax(task.log_probabilities(model, task.facts), axis=1) == jnp.searchsorted(
        model.classes, task.answers
    )
    return {
        "first_two": jnp.max(two[:, 0]),
        "first_three": jnp.max(three[:, 0]),
        "ratio_min": jnp.min(ratio),
        "ratio_max": jnp.max(ratio),
        **{f"two_{i}": jnp.mean(two[:, i]) for i in range(2)},
        **{f"three_{i}": jnp.mean(three[:, i]) for i in range(3)},
        **{f"asked_{i}": jnp.mean(asked[:, i]) for i in range(3)},
        "accuracy": jnp.mean(right.astype(own.dtype)),
        "dummy_response": dummy,
        "answer_response": jnp.max(answers),
        "relation_response": relation_response(model, task),
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


def responses(model: OneLayer, prompts: Prompts) -> tuple[Float[Array, ""], Float[Array, " fact"]]:
    """Lemma 10 (1) and equation (80): (1/m) sum_k <w_{d,k}, 2o>, and (1/m) sum_k <w_{a_j,k}, Xi([o s_j r_i])>."""
    neurons = jnp.mean(model.matrices()[1], axis=1)  # width, class
    answers = neurons[:, jnp.searchsorted(model.classes, prompts.answers)]
    own = jnp.sum(prompts.features(model, prompts.facts).T * answers, axis=0)
    return 2 * model.embeddings[START] @ neurons[:, jnp.searchsorted(model.classes, DUMMY)], own


def relation_response(model: OneLayer, prompts: Prompts) -> Float[Array, ""]:
    """Equation (97): (1/m) sum_k <w_{r_i,k}, Xi([o s_j])>, the mean over facts."""
    neurons = jnp.mean(model.matrices()[1], axis=1)  # width, class
    own = neurons[:, jnp.searchsorted(model.classes, prompts.facts[:, 2])]
    return jnp.mean(jnp.sum(prompts.features(model, prompts.subjects)[prompts.owner].T * own, axis=0))


def sentences(facts: Facts) -> np.ndarray:
    """n_r: how many sentences each fact's template stands in."""
    templates = np.asarray(facts.templates).reshape(-1)
    return np.bincount(templates)[templates]
