"""Joint training as a run: neurons and attention from the start on T^2, without the curriculum of Algorithm 1."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, named_keys, optimized_jit, require
from lemmata.core.constraints import Count, Positive, Some
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import over_lengths, over_replicas, query_diagonals
from lemmata.papers.lego.run.joint_descent import JointDescent, Tokens
from lemmata.papers.lego.run.stage_one import model_config, new_models
from lemmata.papers.lego.task import Lego, LegoConfig, check_length
from lemmata.train import fit_many, stack, unstack

MEASURES = ("values", "value_probability", "probability", "both", "epsilon_worst_step", "gap")


@dataclass(frozen=True, kw_only=True)
class JointTraining(RunConfig):
    """Every seed of one action; a row a seed and length, and the losses along the way."""

    kind = "lego/joint"

    action: str = "C6"
    variables: int = 29
    width: Count = 12
    scale: Positive | None = 0.02  # sigma_0
    clip: Positive = 2.0  # C_B
    tokens: Tokens = "both"  # whose losses are summed
    batch: Count = 128
    stride: Positive = 0.3
    steps: Count = 2400
    every: Count = 200
    lengths: Some[int] = (2, 4, 8, 12)
    test_sentences: Count = 128
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        self.model_config()
        for length in (2, *self.lengths):
            check_length(length, self.variables)
        require(self.steps % self.every == 0, "every", self.every, f"a divisor of {self.steps}")

    def model_config(self) -> TheoryConfig:
        return model_config(self.action, self.variables, width=self.width, scale=self.scale, clip=self.clip)

    def execute(self, context: RunContext) -> RunOutput:
        task = Lego.create(LegoConfig(action=self.action, variables=self.variables, length=2))
        algorithm = JointDescent(tokens=self.tokens, batch=self.batch, stride=self.stride)
        state, history = fit_many(
            algorithm,
            stack([task] * len(self.seeds)),
            stack([algorithm.init(model) for model in unstack(new_models(self.model_config(), self.seeds))]),
            named_keys(self.seeds, "joint"),
            steps=self.steps,
            every=self.every,
            probe=diagonals,
            replicas="auto",
            context=context,
            stage="joint",
        )

        def one(model: TheoryTransformer, key: Key[Array, ""]) -> Metrics:
            return over_lengths(model, task, self.lengths, key=key, num=self.test_sentences, variables=True)

        test = named_keys(self.seeds, "test")
        found = optimized_jit(lambda models, keys: over_replicas(one, models, keys))(state.model, test)
        rows = {
            "seed": np.repeat(self.seeds, len(self.lengths)),
            "length": np.tile(self.lengths, len(self.seeds)),
            **{name: np.asarray(found[name], np.float64).reshape(-1) for name in MEASURES},
        }
        return RunOutput(rows, {name: values.astype(np.float64) for name, values in history.items()})


def diagonals(model: TheoryTransformer, task: Lego, key: Key[Array, ""]) -> Metrics:
    return query_diagonals(model)
