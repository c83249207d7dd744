"""Stage 1 of the algorithms as a run: the neurons learn the one-step task, and their features are kept over time."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, named_key, require
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import features
from lemmata.papers.lego.run.one_step_descent import OneStep, Token, score
from lemmata.papers.lego.task import Lego, LegoConfig
from lemmata.train import fit_many, stack

TOKENS: dict[Token, int] = {"variable": 4, "value": 5}


@dataclass(frozen=True, kw_only=True)
class Descent:
    """Plain descent at a rate, or along the gradient flow by strides (see `train.lego.OneStep`)."""

    steps: int = 10_000
    rate: float = 10.0
    stride: float | None = None
    every: int = 100

    def __post_init__(self) -> None:
        require(self.steps >= 1, "steps", self.steps, "at least 1")
        require(self.every >= 1 and self.steps % self.every == 0, "every", self.every, f"a divisor of {self.steps}")
        require(self.rate > 0, "rate", self.rate, "positive")
        require(self.stride is None or self.stride > 0, "stride", self.stride, "positive, or none")

    def algorithm(self, token: Token, batch: int | None) -> OneStep:
        stride = float("inf") if self.stride is None else self.stride
        return OneStep(token=token, rate=self.rate, stride=stride, batch=batch)


@dataclass(frozen=True, kw_only=True)
class OneStepTraining(RunConfig):
    """W_5, and W_4 if asked, from every seed and every initial scale."""

    kind: ClassVar[str] = "lego/one-step"

    task: LegoConfig = field(default_factory=lambda: LegoConfig(action="C6", variables=41, length=1))
    model: TheoryConfig = field(default_factory=TheoryConfig)
    scales: tuple[float | None, ...] = (0.02,)  # each replaces the model's own
    value: Descent = field(default_factory=Descent)
    variable: Descent | None = None
    batch: int | None = None  # sentences a step; none for the exact gradient
    test_sentences: int = 4096  # for the last accuracy where sentences are drawn
    seeds: tuple[int, ...] = (0, 1, 2)

    def __post_init__(self) -> None:
        for name, wanted in zip(("variables", "actions", "values"), self.sizes(), strict=True):
            allowed = f"the task's are {wanted}: set both"
            require(getattr(self.model, name) == wanted, f"model.{name}", getattr(self.model, name), allowed)
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")
        require(len(self.scales) >= 1, "scales", self.scales, "at least one")
        require(self.batch is None or self.batch >= 1, "batch", self.batch, "at least 1, or none")
        exact = self.batch is None
        require(not exact or self.model.reads == "needed", "batch", self.batch, "a number if neurons read every slot")
        require(self.test_sentences >= 1, "test_sentences", self.test_sentences, "at least 1")

    def sizes(self) -> tuple[int, int, int]:
        shape = jax.eval_shape(lambda: Lego.create(self.task).table).shape
        return self.task.variables, *shape

    def execute(self, context: RunContext) -> RunOutput:
        task = Lego.create(self.task)
        cells = [(scale, seed) for scale in self.scales for seed in self.seeds]
        models = [self.create(scale, named_key(seed, "init", "one-step")) for scale, seed in cells]
        rows, arrays = [], features_of(stack(models), "initial")
        descents: dict[Token, Descent | None] = {"value": self.value, "variable": self.variable}
        for token, descent in descents.items():
            if descent is None:
                continue
            algorithm = descent.algorithm(token, self.batch)
            state, metrics = fit_many(
                algorithm,
                stack([task] * len(cells)),
                stack([algorithm.init(model) for model in models]),
                jnp.stack([named_key(seed, "data", token) for _, seed in cells]),
                steps=descent.steps,
                every=descent.every,
                probe=over_fibres if token == "value" else None,
                replicas="map" if jax.default_backend() == "cpu" else "vmap",
                context=context,
                stage=token,
            )
            if token == "value":
                arrays |= features_of(state.model, "final") | {"magnitude": metrics.pop("magnitude")}
            scores = {name: metrics[name][:, -1] for name in ("loss", "accuracy", "probability")}
            scores = scores if self.batch is None else self.on_many_sentences(state.model, task, token)
            arrays |= {f"{token}.{name}": part for name, part in scores.items()}
            rows.append(self.table(metrics, cells, token, descent.every))
        return RunOutput({name: np.concatenate([row[name] for row in rows]) for name in rows[0]}, arrays)

    def create(self, scale: float | None, key: Key[Array, ""]) -> TheoryTransformer:
        return create(replace(self.model, scale=scale), key)

    def on_many_sentences(self, models: TheoryTransformer, task: Lego, token: Token) -> dict[str, np.ndarray]:
        """Scores of the last models where a record's own batch is small."""
        algorithm = OneStep(token=token, batch=self.test_sentences)
        key = named_key(0, "test", token)

        def one(model: TheoryTransformer) -> Metrics:
            neurons = getattr(model, token)
            return score(neurons, *algorithm.inputs(neurons, task, key))

        found = eqx.filter_jit(lambda models: jax.lax.map(one, models))(models)
        return {name: np.asarray(value, np.float64) for name, value in found.items()}

    def table(
        self, metrics: dict[str, np.ndarray], cells: list[Any], token: Token, every: int
    ) -> dict[str, np.ndarray]:
        count, records = metrics["loss"].shape
        scale = [replace(self.model, scale=scale).sigma for scale, _ in cells]
        return {
            "token": np.full(count * records, TOKENS[token]),
            "scale": np.repeat(np.array(scale), records),
            "seed": np.repeat(np.array([seed for _, seed in cells]), records),
            "step": np.tile(every * np.arange(records), count),
            **{name: values.reshape(-1).astype(float) for name, values in metrics.items()},
        }


@eqx.filter_jit
def create(config: TheoryConfig, key: Key[Array, ""]) -> TheoryTransformer:
    return TheoryTransformer.create(config, key=key)


def over_fibres(model: TheoryTransformer, task: Lego, key: Key[Array, ""]) -> Metrics:
    """V_{j,r} on the fibre of (j, y), for every class, neuron and value."""
    return {"magnitude": features(model).over_fibres(task.table)}


def features_of(models: TheoryTransformer, moment: str) -> dict[str, np.ndarray]:
    found = eqx.filter_jit(eqx.filter_vmap(features))(models)
    return {f"{moment}.action": np.asarray(found.action), f"{moment}.value": np.asarray(found.value)}
