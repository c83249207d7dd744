"""Training on synthetic IOI (appendix J), with the last MLP dropped or cut at every record: Figures 19 and 20."""

from dataclasses import dataclass, field
from typing import Any

import jax
from jaxtyping import Array, Key

from lemmata.core import Count, Metrics, RunConfig, RunContext, RunOutput, Some, named_key, named_keys, require
from lemmata.papers.association.model import Transformer, TransformerConfig, batched_nll, block_weights
from lemmata.papers.association.model.truncate import truncate_compiled
from lemmata.papers.association.probe.answers import ioi_answers
from lemmata.papers.association.task import IOIConfig, SyntheticIOI
from lemmata.train import Batches, Descent, OptimizerConfig, QueryLoss, SGDConfig, fit_many, stack

FEW_STEPS = 50  # take less time than compiling them well


@dataclass(frozen=True, kw_only=True)
class IOITraining(RunConfig):
    """L layers on synthetic IOI, loss at the last position, watched on clean data with the last MLP cut, or the first
    ("dropped_first")."""

    kind = "association/ioi-training"
    version = 2

    task: IOIConfig = field(default_factory=IOIConfig)
    model: TransformerConfig = field(default_factory=lambda: TransformerConfig(vocab=66, feeds=("mlp",) * 3))
    optimizer: OptimizerConfig = field(default_factory=SGDConfig)
    batch: Count = 512
    steps: Count = 4000
    every: Count = 50
    rank: Count = 2  # kept of the last MLP's U_in: the paper's rho = 0.01 of 256
    test_sequences: Count = 512
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        for name, wanted in (("vocab", self.task.vocab), ("length", self.task.length)):
            allowed = f"the task's is {wanted}: set both"
            require(getattr(self.model, name) == wanted, f"model.{name}", getattr(self.model, name), allowed)
        ends = {self.model.feeds[0], self.model.feeds[-1]}
        require(ends == {"mlp"}, "model.feeds", self.model.feeds, "the first and the last layer need an MLP to drop")
        require(self.rank <= self.full_rank, "rank", self.rank, f"1 to {self.full_rank}")
        require(self.steps % self.every == 0, "steps", self.steps, f"a multiple of every = {self.every}")

    @property
    def depth(self) -> int:
        return len(self.model.feeds)

    @property
    def full_rank(self) -> int:
        """Of the last MLP's U_in."""
        return min(self.model.width, self.model.hidden or self.model.width)

    def execute(self, context: RunContext) -> RunOutput:
        task = SyntheticIOI(self.task)
        objective = Batches(QueryLoss(1, batched_nll), self.batch)
        algorithm = Descent(objective, block_weights, self.optimizer, self.optimizer.rate)
        # Not compiled as a whole: models of all depths share the draws of their matrices, one a shape.
        models = [Transformer.create(self.model, key=named_key(seed, "init")) for seed in self.seeds]
        layers = {"": f"blocks.{self.depth - 1}.feed", "_first": "blocks.0.feed"}

        def probe(model: Any, task: Any, key: Key[Array, ""]) -> Metrics:
            edits = {"full": model}
            for name, path in layers.items():
                (edits[f"dropped{name}"],) = truncate_compiled(model, path, (0.0,))
                (edits[f"truncated{name}"],) = truncate_compiled(model, f"{path}.inner", (self.rank / self.full_rank,))
            test_key = jax.random.fold_in(key, 1)  # the key itself is the training batch's
            return ioi_answers(edits, task, key=test_key, num=self.test_sequences)

        _, history = fit_many(
            algorithm,
            stack([task] * len(self.seeds)),
            stack([algorithm.init(model) for model in models]),
            named_keys(self.seeds, "data"),
            steps=self.steps,
            every=self.every,
            probe=probe,
            context=context,
            brief=self.steps <= FEW_STEPS,
        )
        return RunOutput(history.table(seed=self.seeds, phase=[1] * len(self.seeds)))
