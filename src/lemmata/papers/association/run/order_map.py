"""When the noise and when the context begin to be learned, by learning rate, noise level and depth (section 3)."""

from dataclasses import dataclass
from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, named_key, named_keys
from lemmata.core.constraints import Bound, Count, Inside, Positive, Some
from lemmata.models.matmul import MatmulPrecision
from lemmata.papers.association.model import Transformer, TransformerConfig, batched_nll, block_weights
from lemmata.papers.association.probe.answers import answers
from lemmata.papers.association.probe.held_out import held_out
from lemmata.papers.association.probe.snapshot import feed_margin
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.train import Batches, Descent, QueryLoss, SGDConfig, fit_many, stack

BLIND = 2.0  # times a guess of one who knows at most the noise level: from there on the context tells
MOMENTS = ("noise", "another", "margin", "margin_of_another", "last_margin", "context")


@dataclass(frozen=True, kw_only=True)
class OrderMap(RunConfig):
    """First recorded steps of some moments, by cell and seed.

    The noise (`another`: another token) is the likeliest answer at most test positions; a feed-forward layer's margin
    of it at the bare trigger is positive, the last's; the correct token has twice a blind guess, of an untrained model
    or of one that knows the noise level. What never comes has the step after the last.
    """

    kind = "association/order-map"

    symbols: Annotated[int, Bound(least=4)] = 65  # N
    length: Annotated[int, Bound(least=4)] = 256  # T
    width: Count = 256  # d
    precision: MatmulPrecision = "float32"
    batch: Count = 512
    steps: Count = 1000
    every: Count = 5
    test_sequences: Count = 128
    rates: Some[Positive] = (0.003, 0.01, 0.03)
    alphas: Some[Inside] = (0.2, 0.5, 0.8)
    depths: Some[Annotated[int, Bound(least=2)]] = (2, 4)  # L, each layer with an MLP
    seeds: Some[int] = (0,)

    def execute(self, context: RunContext) -> RunOutput:
        worlds = [NoisyRecall.create(self.task(alpha)) for alpha in self.alphas]
        rows = []
        for depth in self.depths:
            model = TransformerConfig(
                vocab=worlds[0].config.vocab,
                length=self.length,
                width=self.width,
                feeds=("mlp",) * depth,
                precision=self.precision,
            )
            models = [Transformer.create(model, key=named_key(seed, "init", str(depth))) for seed in self.seeds]
            for rate in self.rates:
                rows += self._cells(depth, rate, worlds, models, context)
        names = ("depth", "rate", "alpha", "seed", *MOMENTS)
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})

    def task(self, alpha: float) -> RecallConfig:
        return RecallConfig(symbols=self.symbols, length=self.length, alpha=alpha)

    def _cells(
        self, depth: int, rate: float, worlds: list[NoisyRecall], models: list[Transformer], context: RunContext
    ) -> list[tuple[Any, ...]]:
        """All noise levels and seeds at one depth and rate: one program."""
        algorithm = Descent(
            Batches(QueryLoss(worlds[0].queries, batched_nll), self.batch), block_weights, SGDConfig(), rate
        )
        cells = [(world, seed, model) for world in worlds for seed, model in zip(self.seeds, models, strict=True)]
        world = worlds[0]
        task, test = world.config, held_out(world, self.test_sequences).clean
        trigger, another = task.triggers[0], task.outputs()[-1]

        def probe(model: Any, world: Any, key: Key[Array, ""]) -> Metrics:
            logits = jax.vmap(model)(test.tokens)
            said, other = (answers(logits, test, token) for token in (task.noise_token, another))
            return {
                "noise": said["noise_fraction"],
                "another": other["noise_fraction"],
                "margin": largest_margin(model, trigger, task.noise_token),
                "margin_of_another": largest_margin(model, trigger, another),
                "last_margin": feed_margin(model, trigger, task.noise_token),
                "context": said["correct"],
            }

        _, history = fit_many(
            algorithm,
            stack([world.with_table_of(alpha) for alpha in self.alphas for _ in self.seeds]),
            stack([algorithm.init(model) for _, _, model in cells]),
            named_keys([seed for _, seed, _ in cells], "data"),
            steps=self.steps,
            every=self.every,
            probe=probe,
            context=context,
            stage=f"L = {depth}, rate {rate:g}",
        )
        rows = []
        for place, (own, seed, _) in enumerate(cells):
            alpha = own.config.alpha
            blind = BLIND * max((1 - alpha) / len(task.outputs()), 1 / task.vocab)
            levels = {"noise": 0.5, "another": 0.5, "context": blind}
            firsts = [self._first(history[name][place] > levels.get(name, 0.0)) for name in MOMENTS]
            rows.append((depth, rate, alpha, seed, *firsts))
        return rows

    def _first(self, reached: np.ndarray) -> int:
        return int(reached.argmax()) * self.every if reached.any() else self.steps + self.every


def largest_margin(model: Transformer, trigger: int, token: int) -> Float[Array, ""]:
    """Of all feed-forward layers."""
    layers = range(len(model.blocks))
    return jnp.max(jnp.stack([feed_margin(model, trigger, token, layer) for layer in layers]))
