"""The run that trains three forms of one model side by side."""

from dataclasses import dataclass
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from lemmata.core import Count, Natural, Positive, RunConfig, RunContext, RunOutput, named_key, precision, require
from lemmata.papers.ic_recall.model import DenseTransformer, full_key_query, position_block, reduced, with_exact_memory
from lemmata.papers.ic_recall.run.adam_or_descent import RULES, adam_or_descent
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, chain_of_thought_loss
from lemmata.papers.ic_recall.task import RandomBijections, check_pairs, dataset_of, stored
from lemmata.train import Autodiff, Descent, fit, only

PAIRS = (
    ("dense - exact memory, position block", "dense_position", "memory_position"),
    ("dense - reduced, position block", "dense_position", "reduced"),
    ("dense - exact memory, full W^KQ", "dense_full", "memory_full"),
)
AGREEING = tuple(label for label, _, _ in PAIRS)
UNTRAINED = "reduced - its start"
REFUSED = ("dense, full W^KQ - reduced", "dense_full", "reduced")


Problems = tuple[FineTuning, FineTuning]  # as tokens, and as pattern counts


def side_by_side_loss(models: dict[str, Any], task: Problems, key: Key[Array, ""]) -> Float[Array, ""]:
    """The sum of the models' losses. Each has its own parameters and both rules are elementwise: each trains alone."""
    tokens, counts = task
    losses = [chain_of_thought_loss(m, counts if n == "reduced" else tokens, key) for n, m in models.items()]
    return jnp.sum(jnp.stack(losses))


def trained_leaves(models: dict[str, Any]) -> tuple[Any, ...]:
    parts = (full_key_query(m) if n.endswith("full") else position_block(m) for n, m in models.items())
    return tuple(leaf for part in parts for leaf in part)


def attention_columns(model: Any) -> Float[Array, " columns"]:
    """theta and omega: the columns of the position block that the two decoding steps use."""
    if not hasattr(model, "key_query"):
        return jnp.concatenate([model.theta, model.omega])
    block = model.key_query.position
    return jnp.concatenate([block[:-1, -2], block[:, -1]])


@dataclass(frozen=True, kw_only=True)
class ModelAgreement(RunConfig):
    """The same sequences, the same start, the same rule on every form that is exact for it."""

    kind = "ic-recall/engines"
    STORED = "EngineAgreement"

    n: int = 8
    relations: int = 64
    k: int = 2
    sequences: Count = 16
    temperature: Positive = 0.05
    algorithm: Literal["gradient descent", "adam"] = "adam"
    full: bool = True  # also the full W^KQ, on the two forms that can train it
    learning_rate: Positive = 1e-3
    steps: Natural = 500
    every: Count = 50
    seed: int = 0

    def cross_check(self) -> None:
        RandomBijections(n=self.n, relations=self.relations)
        check_pairs(self.k, self.n)
        require(self.n <= 64, "n", self.n, "at most 64: the dense model holds a memory of 3 n^2 hidden units")
        require(self.steps % self.every == 0, "steps", self.steps, f"a multiple of every = {self.every}")

    def execute(self, context: RunContext) -> RunOutput:
        world = RandomBijections(n=self.n, relations=self.relations).draw(self.seed)
        sequences = world.sequences(self.sequences, self.k, seed=self.seed, name="fine-tuning")
        with precision("float64"):
            dense = DenseTransformer.constructed(world.table, self.k, named_key(self.seed, "embeddings"))
            exact = with_exact_memory(dense, world.table)
            models: dict[str, Any] = {"dense_position": dense, "memory_position": exact, "reduced": reduced(exact)}
            if self.full:
                models |= {"dense_full": dense, "memory_full": exact}
            data = stored(world, sequences).batch, dataset_of(world, sequences)
            task = FineTuning(data[0], self.temperature), FineTuning(data[1], self.temperature)
            learning_rates = RULES[self.algorithm](self.learning_rate)
            _, history = fit(
                Descent(Autodiff(side_by_side_loss), only(trained_leaves), adam_or_descent, learning_rates),
                task,
                models,
                named_key(self.seed, "unused"),
                steps=self.steps,
                every=self.every,
                probe=_differences,
                context=context,
                stage="side by side",
                brief=True,
            )
        rows = {name: values for name, values in history.items() if name != "gradient_norm"}
        return RunOutput({"step": history.steps, **rows})


def _differences(models: dict[str, Any], task: Problems, key: Key[Array, ""]) -> dict[str, Array]:
    found = {UNTRAINED: jnp.abs(attention_columns(models["reduced"])).max()}
    for label, first, second in (*PAIRS, REFUSED):
        if first in models and second in models:
            pair = models[first], models[second]
            whole = all(hasattr(model, "key_query") for model in pair)
            one, other = ([*jax.tree.leaves(m.key_query)] if whole else [attention_columns(m)] for m in pair)
            found[label] = jnp.stack([jnp.abs(a - b).max() for a, b in zip(one, other, strict=True)]).max()
    return found
