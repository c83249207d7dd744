"""Stochastic gradient methods: a fresh batch each step, drawn inside the step from the step's own key."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import optax
from jaxtyping import Array, Key, PyTree

from lemmata.core import AbstractAlgorithm, Metrics, TrainState, require
from lemmata.train.losses import Loss, value_and_gradient


class StochasticDescent(AbstractAlgorithm):
    """An optax rule on the loss of `batch` sequences. What is learned is a filter on the tree, not a flag in it."""

    optimizer: optax.GradientTransformation
    batch: int = eqx.field(static=True)
    loss: Loss
    trainable: Callable[[Any], PyTree]  # the model's filter: True on the leaves that move

    def init(self, model: Any) -> TrainState:
        return TrainState(model, self.optimizer.init(eqx.filter(model, self.trainable(model))))

    def step(self, task: Any, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        batch = task.sample(self.batch, key=key)
        learned, fixed = eqx.partition(state.model, self.trainable(state.model))
        loss, gradient = value_and_gradient(self.loss, learned, fixed, batch)
        updates, memory = self.optimizer.update(gradient, state.memory, learned)
        return TrainState(eqx.combine(eqx.apply_updates(learned, updates), fixed), memory), {"loss": loss}


@dataclass(frozen=True, kw_only=True)
class SGDConfig:
    """Gradient descent with heavy-ball momentum; weight decay is added to the gradient, before the momentum."""

    rate: float = 0.03
    momentum: float = 0.9
    weight_decay: float = 1e-4
    clip: float | None = None  # the gradient's global norm, at most

    def __post_init__(self) -> None:
        require(self.rate > 0, "rate", self.rate, "positive")
        require(0 <= self.momentum < 1, "momentum", self.momentum, "in [0, 1)")
        require(self.weight_decay >= 0, "weight_decay", self.weight_decay, "not negative")
        require(self.clip is None or self.clip > 0, "clip", self.clip, "None or positive")

    def optimizer(self) -> optax.GradientTransformation:
        return optax.chain(
            _clip(self.clip),
            optax.add_decayed_weights(self.weight_decay),
            optax.sgd(self.rate, momentum=self.momentum),
        )


@dataclass(frozen=True, kw_only=True)
class AdamWConfig:
    """Adam with decoupled weight decay; decay 0 is Adam."""

    rate: float = 1e-3
    beta_1: float = 0.9
    beta_2: float = 0.999
    weight_decay: float = 0.0
    clip: float | None = None

    def __post_init__(self) -> None:
        require(self.rate > 0, "rate", self.rate, "positive")
        for name in ("beta_1", "beta_2"):
            require(0 <= getattr(self, name) < 1, name, getattr(self, name), "in [0, 1)")
        require(self.weight_decay >= 0, "weight_decay", self.weight_decay, "not negative")
        require(self.clip is None or self.clip > 0, "clip", self.clip, "None or positive")

    def optimizer(self) -> optax.GradientTransformation:
        rule = optax.adamw(self.rate, b1=self.beta_1, b2=self.beta_2, weight_decay=self.weight_decay)
        return optax.chain(_clip(self.clip), rule)


OptimizerConfig = SGDConfig | AdamWConfig


def _clip(norm: float | None) -> optax.GradientTransformation:
    return optax.identity() if norm is None else optax.clip_by_global_norm(norm)
