"""Fine-tuning problems: what is trained on, and the losses, each written once for every form of the model."""

from typing import Any

import equinox as eqx
from jaxtyping import Array, Float, Key

from lemmata.core import UserError, require, to_jax
from lemmata.papers.ic_recall.model import PatternModel, mean_nll, second_loss, token_loss
from lemmata.papers.ic_recall.task import Dataset


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
