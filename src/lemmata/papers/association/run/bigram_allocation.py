"""The same number of parameters spent on MLPs or on attention, trained to predict bigrams (Figure 6)."""

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Int, Key

from lemmata.core import RunConfig, RunContext, RunOutput, named_key, named_keys, require, to_jax
from lemmata.core.config import stored_as
from lemmata.core.constraints import Bound, Count, Inside, Positive, Some
from lemmata.models.matmul import MatmulPrecision
from lemmata.papers.association.model import MLP, Transformer, TransformerConfig, block_weights
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.train import Batches, Descent, fit_many, next_token_loss, stack


@dataclass(frozen=True, kw_only=True)
class BigramAllocation(RunConfig):
    """Two layers of `units` each: hidden units of the MLP plus inner width of W_O W_V. Either costs 2 d parameters a
    unit, so a total is a number of units and an allocation the MLP's share of it; W_QK is the same for all.

    Every allocation trains with every learning rate. One smaller than the largest is padded with units whose weights
    are zero on both sides, which gradient descent leaves at zero: one compiled program serves all.
    """

    kind = "association/bigram-allocation"

    task: RecallConfig = field(default_factory=lambda: RecallConfig(loss_on="bigrams"))
    width: Count = 256
    units: Some[Annotated[int, Bound(least=8)]] = (320, 640, 1280)
    shares: Some[Inside] = (0.125, 0.375, 0.625, 0.875)
    learning_rates: Some[Positive] = field(default=(0.01, 0.03, 0.1, 0.3), metadata=stored_as("rates"))
    momentum: Annotated[float, Bound(least=0, below=1)] = 0.9
    batch: Count = 512
    steps: Count = 100
    test_sequences: Count = 256
    precision: MatmulPrecision = "float32"
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        require(self.task.loss_on == "bigrams", "task.loss_on", self.task.loss_on, "bigrams")
        for units in self.units:
            possible = all(0 < self.hidden(units, share) < units for share in self.shares)
            require(possible, "shares", self.shares, f"of {units} units, each part must get one or more")
        twice = [cell for cell, count in Counter(self.cells()).items() if count > 1]
        allowed = "units, shares, learning rates and seeds that differ, shares also once rounded to units"
        require(not twice, "(hidden, inner, learning_rate, seed)", twice[:1], allowed)

    def execute(self, context: RunContext) -> RunOutput:
        task = NoisyRecall.create(self.task)
        hidden, inner, learning_rate, seed = (np.array(column) for column in zip(*self.cells(), strict=True))
        config = TransformerConfig(
            vocab=self.task.vocab,
            length=self.task.length,
            width=self.width,
            hidden=int(hidden.max()),
            value_width=int(inner.max()),
            precision=self.precision,
        )
        # Each replica's own learning rate is put into its state, in place of this one.
        rule = partial(optax.inject_hyperparams(optax.sgd, static_args="momentum"), momentum=self.momentum)
        algorithm = Descent(Batches(next_token_loss, self.batch), block_weights, rule, 0.1)
        test = eqx.filter_jit(lambda key: task.sample(self.test_sequences, key=key))(named_key(0, "test"))

        def start(hidden: Int[Array, ""], inner: Int[Array, ""], learning_rate: Array, key: Key[Array, ""]) -> Any:
            state = algorithm.init(allocate(Transformer.create(config, key=key), hidden, inner))
            return eqx.tree_at(lambda s: s.opt_state.hyperparams["learning_rate"], state, learning_rate)

        parts = to_jax(hidden), to_jax(inner), to_jax(learning_rate, dtype=jnp.float32)
        _, history = fit_many(
            algorithm,
            stack([task] * len(seed)),
            eqx.filter_jit(jax.vmap(start))(*parts, named_keys(seed.tolist(), "init")),
            named_keys(seed.tolist(), "data"),
            steps=self.steps,
            every=self.steps,
            probe=lambda model, task, key: {"test_loss": next_token_loss(model, test)},
            context=context,
        )
        # The loss of the true bigram on the test positions.
        tokens, targets = np.asarray(test.tokens[test.mask]), np.asarray(test.targets[test.mask])
        floor = -np.log(self.task.statistics().bigram[tokens, targets]).mean()
        columns = {"units": hidden + inner, "hidden": hidden, "rate": learning_rate, "seed": seed}
        final = {name: values[:, -1].astype(float) for name, values in history.items()}
        return RunOutput(columns | final, {"floor": np.array([floor])})

    def hidden(self, units: int, share: float) -> int:
        """How many of the units are the MLP's."""
        return round(share * units)

    def cells(self) -> list[tuple[int, int, float, int]]:
        """Hidden units, inner width, learning rate and seed of every replica."""
        return [
            (self.hidden(units, share), units - self.hidden(units, share), learning_rate, seed)
            for units in self.units
            for share in self.shares
            for learning_rate in self.learning_rates
            for seed in self.seeds
        ]


def allocate(model: Transformer, hidden: Int[Array, ""], inner: Int[Array, ""]) -> Transformer:
    """The model with the units beyond `hidden` and `inner` set to zero, and what they feed drawn for their number."""

    def narrowed(block: Any) -> Any:
        feed: MLP = block.feed
        unit, place = jnp.arange(feed.outer.shape[1]) < hidden, jnp.arange(block.value.shape[0]) < inner
        wider_feed, wider_value = jnp.sqrt(len(unit) / hidden), jnp.sqrt(len(place) / inner)
        new = MLP(feed.inner * unit, feed.outer * unit * wider_feed)
        parts = (block.value * place[:, None], block.output * place * wider_value, new)
        return eqx.tree_at(lambda b: (b.value, b.output, b.feed), block, parts)

    return eqx.tree_at(lambda m: m.blocks, model, tuple(narrowed(block) for block in model.blocks))
