"""How a model changes: the loop, the losses, the algorithms."""

from lemmata.train.descend import descend, push
from lemmata.train.gradient_descent import Adam, GradientDescent, trainable
from lemmata.train.loop import fit, stack
from lemmata.train.losses import QueryLoss, masked_cross_entropy, next_token_loss
from lemmata.train.perturbed import (
    OneLargeStep,
    Schedule,
    ToConvergence,
    TwoStages,
    perturb,
    perturbed_gradient_descent,
    radius,
)
from lemmata.train.stochastic import AdamWConfig, OptimizerConfig, SGDConfig, StochasticDescent

__all__ = [
    "Adam",
    "AdamWConfig",
    "GradientDescent",
    "OneLargeStep",
    "OptimizerConfig",
    "QueryLoss",
    "SGDConfig",
    "Schedule",
    "StochasticDescent",
    "ToConvergence",
    "TwoStages",
    "descend",
    "fit",
    "masked_cross_entropy",
    "next_token_loss",
    "perturb",
    "perturbed_gradient_descent",
    "push",
    "radius",
    "stack",
    "trainable",
]
