"""Many models trained side by side, each on its own problem."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx

from lemmata.core import named_keys
from lemmata.train import Descent, History, fit_many, stack


def train_all(
    algorithm: Descent, problems: list[Any], models: list[Any], seeds: Sequence[int], stage: str, **how: Any
) -> tuple[Any, History]:
    """Each model on its own problem: the trained models as a stack, and what was recorded; `how` is for `fit_many`."""
    states = eqx.filter_jit(eqx.filter_vmap(algorithm.init))(stack(models))
    state, found = fit_many(algorithm, stack(problems), states, named_keys(seeds, stage), stage=stage, **how)
    return state.model, found
