"""Optimizers as configs: they can be stored, and changed by name. Called with a rate, each is an optax rule."""

from dataclasses import dataclass
from typing import Annotated, Any

import optax

from lemmata.core import Bound, Config, NonNegative, Positive

Momentum = Annotated[float, Bound(least=0, below=1)]


@dataclass(frozen=True, kw_only=True)
class SGDConfig(Config):
    """Gradient descent with heavy-ball momentum; weight decay is added to the gradient, before the momentum."""

    rate: Positive = 0.03
    momentum: Momentum = 0.9
    weight_decay: NonNegative = 1e-4
    clip: Positive | None = None  # the gradient's global norm, at most

    def __call__(self, rate: Any) -> optax.GradientTransformation:
        decay = optax.add_decayed_weights(self.weight_decay)
        return optax.chain(_clip(self.clip), decay, optax.sgd(rate, momentum=self.momentum))


@dataclass(frozen=True, kw_only=True)
class AdamWConfig(Config):
    """Adam with decoupled weight decay; decay 0 is Adam."""

    rate: Positive = 1e-3
    beta_1: Momentum = 0.9
    beta_2: Momentum = 0.999
    weight_decay: NonNegative = 0.0
    clip: Positive | None = None

    def __call__(self, rate: Any) -> optax.GradientTransformation:
        rule = optax.adamw(rate, b1=self.beta_1, b2=self.beta_2, weight_decay=self.weight_decay)
        return optax.chain(_clip(self.clip), rule)


OptimizerConfig = SGDConfig | AdamWConfig


def _clip(norm: float | None) -> optax.GradientTransformation:
    return optax.identity() if norm is None else optax.clip_by_global_norm(norm)
