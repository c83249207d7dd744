"""Gradient descent on a parabola: one claim that holds, one erratum, one that fails, one that cannot be decided."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lemmata.core import (
    AbstractAlgorithm,
    Artefact,
    Metrics,
    RunConfig,
    RunContext,
    RunOutput,
    Scale,
    TrainState,
    Undecided,
    named_key,
    precision,
    require,
)
from lemmata.core.legacy import AtMost, Claim, Close, Correction, Experiment, Results
from lemmata.report.plots import band, new_figure
from lemmata.train import fit_many, stack


class Descent(AbstractAlgorithm):
    rate: float

    def init(self, model: Float[Array, ""]) -> TrainState:
        return TrainState(model, ())

    def step(self, task: Float[Array, ""], state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        return TrainState(state.model * (1 - self.rate * task), ()), {"x": state.model}


@dataclass(frozen=True, kw_only=True)
class Decay(RunConfig):
    kind: ClassVar[str] = "toy/decay"
    rate: float = 0.5
    steps: int = 20
    every: int = 1
    seeds: tuple[int, ...] = (0, 1)

    def __post_init__(self) -> None:
        require(0 < self.rate < 2, "rate", self.rate, "between 0 and 2")

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            algorithm = Descent(self.rate)
            state = stack([algorithm.init(jnp.asarray(1.0 + seed)) for seed in self.seeds])
            keys = jnp.stack([named_key(seed, "noise") for seed in self.seeds])
            curvature = jnp.ones(len(self.seeds))
            _, metrics = fit_many(
                algorithm, curvature, state, keys, steps=self.steps, every=self.every, context=context
            )
        values = metrics["x"]
        seeds = np.repeat(np.asarray(self.seeds), values.shape[1])
        steps = np.tile(np.arange(values.shape[1]), len(self.seeds))
        return RunOutput({"seed": seeds, "step": steps, "x": values.ravel()}, {"x": values})


def ratio(results: Results) -> float:
    values = results.one(Decay).arrays["x"]
    return float((values[:, 1] / values[:, 0]).mean())


def rate(results: Results) -> float:
    return results.one(Decay).config.rate


def claim(name: str, **parts: object) -> Claim:
    common = {"locus": "Section 1", "statement": "x decays <fast> & surely.", "check": Close(rtol=1e-12)}
    return Claim(**({"id": f"toy/{name}", "measure": ratio, "control": lambda _: 7.0} | common | parts))


def draw(results: Results) -> Artefact:
    run = results.one(Decay)
    figure, ax = new_figure()
    band(ax, np.arange(run.arrays["x"].shape[1]), run.arrays["x"], label="x")
    return Artefact(figure, {"seed": run.metrics["seed"], "x": run.metrics["x"]}, "x over steps.")


def grid(scale: Scale) -> tuple[RunConfig, ...]:
    steps = scale.pick(smoke=20, laptop=200, paper=2000)
    return (Decay(steps=steps, seeds=scale.seeds(smoke=2, laptop=3, paper=5)),)


EXPERIMENTS = (
    Experiment(
        id="toy/decay",
        title="Decay",
        grid=grid,
        claims=(
            claim("rate", predict=lambda results: 1 - rate(results)),
            claim(
                "typo",
                predict=lambda results: 1 + rate(results),
                correction=Correction(
                    predict=lambda results: 1 - rate(results), printed="1 + rate", corrected="1 - rate"
                ),
            ),
        ),
        render=draw,
    ),
    Experiment(
        id="toy/doubtful",
        title="Doubtful",
        grid=grid,
        claims=(
            claim("bound", predict=lambda _: 0.1, check=AtMost(), remark="The bound is too small."),
            claim("vague", predict=lambda _: 0.5, measure=lambda _: Undecided("too few seeds")),
        ),
        render=draw,
    ),
)
