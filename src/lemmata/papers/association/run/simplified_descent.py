"""Gradient descent on all three matrices of equation (2), from zero: what appendices B.3 and F go through in phases."""

from dataclasses import dataclass, field

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Key

from lemmata.core import Batch, Count, Inside, Positive, RunConfig, RunContext, RunOutput, Some, named_keys, to_jax
from lemmata.core.config import stored_as
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.run.simplified import TRIGGER, TableSize, ThreeOrMore, masked_batch, theory_task
from lemmata.papers.association.task import NoisyRecall
from lemmata.papers.association.theory import RecallChain
from lemmata.train import QueryLoss, fit_many, stack
from lemmata.train.gradient_descent import GradientDescent

WATCHED = 512  # fresh sequences a record, for the prediction and the attention


class World(eqx.Module):
    task: NoisyRecall
    exclude: Bool[Array, ""]  # whether sequences with ȳ = q are left out

    def batch(self, num: int, key: Key[Array, ""]) -> Batch:
        return masked_batch(self.task, num, self.exclude, key)


@dataclass(frozen=True, kw_only=True)
class SimplifiedDescent(RunConfig):
    """W_QK, W_V and W_F learn together with one learning rate, each step on fresh sequences.

    `gap` is Theorem 2's first, ξ_{q→j} - ξ_{q→N+1}, the mean over j ≠ q; entries of W_V are read by W_U on the left and
    W_E or W̃_E on the right.
    """

    kind = "association/simplified-descent"

    num_tokens: TableSize = 16  # N
    length: ThreeOrMore = 64  # T
    alpha: Inside = 0.3
    exclude_trigger: bool = False  # whether ȳ = q is left out; the paper draws ȳ from all of [N]
    learning_rate: Positive = field(default=2.0, metadata=stored_as("rate"))
    batch: Count = 4096
    steps: Count = 150
    seeds: Some[int] = (0,)

    @property
    def chain(self) -> RecallChain:
        return RecallChain(self.num_tokens, self.length, self.alpha, self.exclude_trigger)

    def execute(self, context: RunContext) -> RunOutput:
        world = World(theory_task(self.chain), to_jax(self.exclude_trigger))
        batch = self.batch

        def loss(model: SimplifiedModel, world: World, key: Key[Array, ""]) -> Array:
            return QueryLoss(1)(model, world.batch(batch, key))

        algorithm = GradientDescent(loss, lambda m: (m.attention, m.value, m.feed), self.learning_rate)
        models = [SimplifiedModel.create(self.num_tokens + 1, seed) for seed in self.seeds]
        _, history = fit_many(
            algorithm,
            stack([world] * len(self.seeds)),
            stack([algorithm.init(jax.tree.map(lambda x: x.astype(jnp.float32), model)) for model in models]),
            named_keys(self.seeds, "data"),
            steps=self.steps,
            every=1,
            probe=_readings,
            context=context,
        )
        return RunOutput(history.table(seed=self.seeds))


def _readings(model: SimplifiedModel, world: World, key: Key[Array, ""]) -> dict[str, Array]:
    """All of them of the weights before the step that follows."""
    batch = world.batch(WATCHED, jax.random.fold_in(key, 1))  # the key itself is the training batch's
    noise = model.tokens.shape[0] - 1
    ordinary = slice(1, noise)  # k <= N, the trigger left out
    row = model.tokens[TRIGGER] @ model.attention
    on_token, on_previous = model.project(model.value)
    logits = model.tokens @ row
    last = jnp.array([batch.tokens.shape[1] - 1])
    probability = jax.nn.softmax(jax.vmap(lambda z: model.at(z, last)[0])(batch.tokens))
    kept = batch.mask[:, -1]
    return {
        "gap": logits[ordinary].mean() - logits[noise],
        "smallest_gap": logits[:noise].min() - logits[noise],
        "after_trigger": (model.previous @ row)[TRIGGER] - (model.previous @ row)[1:].max(),
        "largest_key": jnp.abs(model.attention).max(),
        "noise_probability": jnp.sum(probability[:, noise] * kept) / jnp.sum(kept),
        "diagonal": jnp.diagonal(on_token)[ordinary].mean(),
        "diagonal_previous": jnp.diagonal(on_previous)[ordinary].mean(),
        "noise_row": on_token[noise, ordinary].mean(),
        "noise_row_previous": on_previous[noise, ordinary].mean(),
        "noise_on_noise": on_token[noise, noise],
    }
