"""Fine-tuning problems: what is trained on, and the losses, each written once for every form of the model."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Key

from lemmata.core import UserError, named_keys, require, to_jax
from lemmata.papers.ic_recall.model import PatternModel, mean_nll, second_loss, token_loss
from lemmata.papers.ic_recall.task import Dataset, Sequences, TableWorld, correct_pattern
from lemmata.train import Descent, History, fit_many, stack


class FineTuning(eqx.Module):
    """A fine-tuning set as the model wants it (pattern counts for the reduced one, tokens for the dense ones), the
    temperature, and fresh sequences of the same form where a probe asks for them."""

    data: Any
    temperature: Float[Array, "*replica"]
    test: Any

    def __init__(self, data: Any, temperature: float, test: Any = None):
        require(temperature > 0, "temperature", temperature, "above 0")
        self.data, self.temperature, self.test = data, to_jax(float(temperature)), test


def first_step_loss(model: PatternModel, task: FineTuning, key: Key[Array, ""]) -> Float[Array, ""]:
    """L_1 alone, the cross-entropy of the relation, on the reduced model."""
    if not isinstance(task.data, Dataset):
        raise UserError("the reduced model trains on pattern counts, not tokens: give it a Dataset")
    return mean_nll(model.theta, task.data.log_counts, task.data.weights, task.temperature, model.k)


def chain_of_thought_loss(model: Any, task: FineTuning, key: Key[Array, ""]) -> Float[Array, ""]:
    """L = L_1 + L_2 (eq. 1), on any form of the model."""
    if isinstance(model, PatternModel):
        return first_step_loss(model, task, key) + second_loss(model, task.temperature)
    if isinstance(task.data, Dataset):
        raise UserError("the dense models train on tokens, not pattern counts: give them a Batch")
    first, second = token_loss(model, task.data.tokens, task.data.targets, task.temperature)
    return first + second


def symmetric_pairs(model: PatternModel) -> PatternModel:
    """Attention averaged over the in-context pairs: where exact gradient flow from 0 would stay when the loss treats
    the pairs alike (observation 1 in the proof of Lemma B.4)."""

    def averaged(scores: Float[Array, " length"]) -> Float[Array, " length"]:
        k = model.k
        pairs = scores[: 2 * k].reshape(k, 2)
        return scores.at[: 2 * k].set(jnp.broadcast_to(pairs.mean(axis=0), (k, 2)).ravel())

    return eqx.tree_at(lambda m: (m.theta, m.omega), model, (averaged(model.theta), averaged(model.omega)))


def train_all(
    algorithm: Descent, problems: list[Any], models: list[Any], seeds: Sequence[int], stage: str, **how: Any
) -> tuple[Any, History]:
    """Each model on its own problem: the trained models as a stack, and what was recorded; `how` is for `fit_many`."""
    states = eqx.filter_jit(eqx.filter_vmap(algorithm.init))(stack(models))
    state, found = fit_many(algorithm, stack(problems), states, named_keys(seeds, stage), stage=stage, **how)
    return state.model, found


def adam_or_descent(learning_rates: tuple[Any, Any]) -> optax.GradientTransformation:
    """A step of Adam at the first learning rate and of gradient descent at the second: with one of them 0, one program
    for both rules."""
    adam = optax.adam(learning_rates[0])

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        steps, state = adam.update(updates, state, params)
        return jax.tree.map(lambda step, slope: step - learning_rates[1] * slope, steps, updates), state

    return optax.GradientTransformation(adam.init, update)


RULES = {"adam": lambda eta: (eta, 0.0), "gradient descent": lambda eta: (0.0, eta)}  # of `adam_or_descent`


def best_accuracy(world: TableWorld, sequences: Sequences) -> float:
    """The best possible first-step accuracy on these very sequences: 1 / (relations that fit the context)."""
    return float(np.mean(1 / world.counts(sequences)[:, correct_pattern(sequences.k)]))
