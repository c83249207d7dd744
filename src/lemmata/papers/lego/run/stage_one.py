"""Stage 1 of Algorithms 1 and 2 for theory models of one world: their neurons learn T^1, attention is uniform."""

from collections.abc import Mapping, Sequence
from typing import Any

import equinox as eqx
import numpy as np

from lemmata.core import RunContext, named_key, named_keys
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.run.one_step import Descent
from lemmata.papers.lego.run.one_step_descent import Token
from lemmata.papers.lego.task import Lego, action
from lemmata.train import fit_many, stack, unstack


def model_config(action_name: str, variables: int, **settings: Any) -> TheoryConfig:
    """Of a model whose sizes are those of a world."""
    actions, values = action(action_name).table.shape
    return TheoryConfig(variables=variables, actions=actions, values=values, **settings)


def new_models(config: TheoryConfig, seeds: Sequence[int]) -> TheoryTransformer:
    """Untaught, one a seed along a leading axis."""
    create = eqx.filter_jit(lambda key: TheoryTransformer.create(config, key=key))
    return stack([create(named_key(seed, "init", "theory")) for seed in seeds])


def teach(
    models: TheoryTransformer, task: Lego, seeds: Sequence[int], descents: Mapping[Token, Descent], context: RunContext
) -> tuple[TheoryTransformer, dict[str, np.ndarray]]:
    """The models after stage 1; accuracy and loss of each token over all inputs are returned, never assumed."""
    arrays = {}
    for token, descent in descents.items():
        algorithm = descent.algorithm(token, None)
        state, history = fit_many(
            algorithm,
            stack([task] * len(seeds)),
            stack([algorithm.init(model) for model in unstack(models)]),
            named_keys(seeds, "one-step"),
            steps=descent.steps,
            every=descent.every,
            replicas="auto",
            context=context,
            stage=f"one-step-{token}",
        )
        models = state.model
        for name in ("accuracy", "loss"):
            arrays[f"one_step.{token}.{name}"] = history[name][:, -1].astype(np.float64)
    return models, arrays
