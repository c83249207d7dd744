"""How a model changes: the loop, the losses, the algorithms."""

from lemmata.train.descent import (
    Autodiff as Autodiff,
    Batches as Batches,
    Descent as Descent,
    Loss as Loss,
    Where as Where,
    chosen_leaves as chosen_leaves,
    only as only,
)
from lemmata.train.gradient_descent import GradientDescent as GradientDescent, Projection as Projection
from lemmata.train.history import History as History
from lemmata.train.loop import fit as fit, fit_many as fit_many
from lemmata.train.losses import (
    BatchLoss as BatchLoss,
    QueryLoss as QueryLoss,
    masked_cross_entropy as masked_cross_entropy,
    next_token_loss as next_token_loss,
)
from lemmata.train.optimizers import (
    AdamWConfig as AdamWConfig,
    OptimizerConfig as OptimizerConfig,
    SGDConfig as SGDConfig,
)
from lemmata.train.replicas import (
    concatenate as concatenate,
    one_of as one_of,
    split as split,
    stack as stack,
    unstack as unstack,
)
