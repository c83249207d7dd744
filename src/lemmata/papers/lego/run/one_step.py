"""Stage 1 of the algorithms as a run: the neurons learn the one-step task, and their features are kept over time."""

from dataclasses import dataclass, field, replace
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Config, Metrics, RunConfig, RunContext, RunOutput, Scale, named_key, named_keys, require
from lemmata.core.constraints import Count, Positive, Some
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer, require_sizes
from lemmata.papers.lego.probe import features
from lemmata.papers.lego.run.one_step_descent import OneStep, Token, score
from lemmata.papers.lego.task import Lego, LegoConfig, action
from lemmata.train import fit_many, stack

TOKENS: dict[Token, int] = {"variable": 4, "value": 5}


@dataclass(frozen=True, kw_only=True)
class Descent(Config):
    """Plain descent at a rate, or along the gradient flow by strides (see `OneStep`)."""

    steps: Count = 10_000
    rate: Positive = 10.0
    stride: Positive | None = None
    every: Count = 100

    def cross_check(self) -> None:
        require(self.steps % self.every == 0, "every", self.every, f"a divisor of {self.steps}")

    def algorithm(self, token: Token, batch: int | None) -> OneStep:
        stride = float("inf") if self.stride is None else self.stride
        return OneStep(token=token, rate=self.rate, stride=stride, batch=batch)


@dataclass(frozen=True, kw_only=True)
class OneStepTraining(RunConfig):
    """W_5, and W_4 if asked, from every seed and every initial scale."""

    kind = "lego/one-step"

    task: LegoConfig = field(default_factory=lambda: LegoConfig(action="C6", variables=41, length=1))
    model: TheoryConfig = field(default_factory=TheoryConfig)
    scales: Some[Positive | None] = (0.02,)  # each replaces the model's own
    value: Descent = field(default_factory=Descent)
    variable: Descent | None = None
    batch: Count | None = None  # sentences a step; none for the exact gradient
    test_sentences: Count = 4096  # for the last accuracy where sentences are drawn
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        require_sizes(self.model, self.task)
        exact = self.batch is None
        require(not exact or self.model.reads == "needed", "batch", self.batch, "a number if neurons read every slot")

    def execute(self, context: RunContext) -> RunOutput:
        task = Lego.create(self.task)
        cells = [(replace(self.model, scale=scale), seed) for scale in self.scales for seed in self.seeds]
        sigmas, seeds = [model.sigma for model, _ in cells], [seed for _, seed in cells]
        create = eqx.filter_jit(TheoryTransformer.create)
        models = [create(model, key=named_key(seed, "init", "one-step")) for model, seed in cells]
        tables, arrays = [], features_of(stack(models), "initial")
        descents: dict[Token, Descent | None] = {"value": self.value, "variable": self.variable}
        for token, descent in descents.items():
            if descent is None:
                continue
            algorithm = descent.algorithm(token, self.batch)
            state, history = fit_many(
                algorithm,
                stack([task] * len(cells)),
                stack([algorithm.init(model) for model in models]),
                named_keys(seeds, "data", token),
                steps=descent.steps,
                every=descent.every,
                probe=over_fibres if token == "value" else None,
                replicas="auto",
                context=context,
                stage=token,
            )
            if token == "value":
                arrays |= features_of(state.model, "final") | {"magnitude": history["magnitude"]}
            scores = {name: history[name][:, -1] for name in ("loss", "accuracy", "probability")}
            scores = scores if self.batch is None else self.on_many_sentences(state.model, task, token)
            arrays |= {f"{token}.{name}": part for name, part in scores.items()}
            tables.append(history.table(token=[TOKENS[token]] * len(cells), scale=sigmas, seed=seeds))
        return RunOutput({name: np.concatenate([table[name] for table in tables]) for name in tables[0]}, arrays)

    def on_many_sentences(self, models: TheoryTransformer, task: Lego, token: Token) -> dict[str, np.ndarray]:
        """Scores of the last models where a record's own batch is small."""
        algorithm, key = OneStep(token=token, batch=self.test_sentences), named_key(0, "test", token)

        def one(model: TheoryTransformer) -> Metrics:
            neurons = getattr(model, token)
            return score(neurons, *algorithm.inputs(neurons, task, key))

        found = eqx.filter_jit(lambda models: jax.lax.map(one, models))(models)
        return {name: np.asarray(value, np.float64) for name, value in found.items()}


def over_fibres(model: TheoryTransformer, task: Lego, key: Key[Array, ""]) -> Metrics:
    """V_{j,r} on the fibre of (j, y), for every class, neuron and value."""
    return {"magnitude": features(model).over_fibres(task.table)}


def features_of(models: TheoryTransformer, moment: str) -> dict[str, np.ndarray]:
    found = eqx.filter_jit(eqx.filter_vmap(features))(models)
    return {f"{moment}.action": np.asarray(found.action), f"{moment}.value": np.asarray(found.value)}


def families(scale: Scale) -> dict[str, str]:
    """A simply transitive action and a symmetry action."""
    transitive, symmetric = scale.pick(smoke=("C4", "S4"), laptop=("C6", "S5"), paper=("C6", "S5"))
    return {"transitive": transitive, "symmetric": symmetric}


def one_step_training(name: str, scale: Scale, model: dict[str, Any], **settings: Any) -> OneStepTraining:
    """Of one action, in the vocabulary of a scale."""
    (actions, values), variables = action(name).table.shape, scale.pick(smoke=7, laptop=41, paper=41)
    sizes = TheoryConfig(variables=variables, actions=actions, values=values, **model)
    return OneStepTraining(task=LegoConfig(action=name, variables=variables, length=1), model=sizes, **settings)
