"""How a model changes: the loop, the losses, the algorithms."""

from lemmata.train.loop import fit, stack
from lemmata.train.losses import QueryLoss, masked_cross_entropy, next_token_loss
from lemmata.train.stochastic import AdamWConfig, OptimizerConfig, SGDConfig, StochasticDescent, every_weight

__all__ = [
    "AdamWConfig",
    "OptimizerConfig",
    "QueryLoss",
    "SGDConfig",
    "StochasticDescent",
    "every_weight",
    "fit",
    "masked_cross_entropy",
    "next_token_loss",
    "stack",
]
