"""Stage 1 along the gradient flow, watched: neurons learn the one-step task, and their features are kept over time."""

from dataclasses import dataclass, field, replace
from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, Scale, named_key, named_keys
from lemmata.core.constraints import Positive, Some
from lemmata.papers.lego import sizes
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer, require_sizes
from lemmata.papers.lego.probe import features
from lemmata.papers.lego.run.one_step_descent import Descent
from lemmata.papers.lego.run.stage_one import SCORES, descend, model_config
from lemmata.papers.lego.task import Lego, LegoConfig
from lemmata.train import stack


@dataclass(frozen=True, kw_only=True)
class OneStepTraining(RunConfig):
    """W_5 from every seed and every initial scale."""

    kind = "lego/one-step"
    version = 2

    task: LegoConfig = field(default_factory=lambda: LegoConfig(action="C6", variables=41, length=1))
    model: TheoryConfig = field(default_factory=TheoryConfig)
    scales: Some[Positive | None] = (0.02,)  # each replaces the model's own
    value: Descent = field(default_factory=Descent)
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        require_sizes(self.model, self.task)
        self.value.require_exact(self.model.reads)

    def execute(self, context: RunContext) -> RunOutput:
        task = Lego.create(self.task)
        cells = [(replace(self.model, scale=scale), seed) for scale in self.scales for seed in self.seeds]
        sigmas, seeds = [model.sigma for model, _ in cells], [seed for _, seed in cells]
        create = eqx.filter_jit(TheoryTransformer.create)
        models = stack([create(model, key=named_key(seed, "init", "one-step")) for model, seed in cells])
        trained, history = descend(
            models, task, named_keys(seeds, "data", "value"), "value", self.value, context, over_fibres
        )
        arrays = features_of(models, "initial") | features_of(trained, "final") | {"magnitude": history["magnitude"]}
        arrays |= {f"value.{name}": history[name][:, -1].astype(np.float64) for name in SCORES}
        return RunOutput(history.table(scale=sigmas, seed=seeds), arrays)


def over_fibres(model: TheoryTransformer, task: Lego, key: Key[Array, ""]) -> Metrics:
    """V_{j,r} on the fibre of (j, y), for every class, neuron and value."""
    return {"magnitude": features(model).over_fibres(task.table)}


def features_of(models: TheoryTransformer, moment: str) -> dict[str, np.ndarray]:
    found = eqx.filter_jit(eqx.filter_vmap(features))(models)
    return {f"{moment}.action": np.asarray(found.action), f"{moment}.value": np.asarray(found.value)}


def families(scale: Scale) -> dict[str, str]:
    """A simply transitive action and a symmetry action."""
    return dict(zip(("transitive", "symmetric"), sizes.FEATURE_ACTIONS.at(scale), strict=True))


def one_step_training(name: str, scale: Scale, model: dict[str, Any], **settings: Any) -> OneStepTraining:
    """Of one action, in the vocabulary of a scale."""
    variables = sizes.FEATURE_VARIABLES.at(scale)
    task = LegoConfig(action=name, variables=variables, length=1)
    return OneStepTraining(task=task, model=model_config(name, variables, **model), **settings)
