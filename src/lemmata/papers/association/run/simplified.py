"""What the theory runs share: the data and the one-layer model of equation (2), at zero or under Assumption F.1."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Bool, Key

from lemmata.core import Batch, Bound, Count, Inside, RunConfig, named_key, require, to_jax
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.papers.association.theory import RecallChain
from lemmata.train import QueryLoss

TRIGGER = 0
ThreeOrMore = Annotated[int, Bound(least=3)]
TableSize = Annotated[int, Bound(least=3, most=4096)]  # of N x N tables, which are held whole


@dataclass(frozen=True, kw_only=True)
class ChainRun(RunConfig):
    """A run on sampled sequences of section 3's process, whose exact law is `chain`."""

    num_tokens: TableSize  # N
    length: ThreeOrMore  # T
    alpha: Inside
    samples: Count
    batch: Count

    def cross_check(self) -> None:
        require(self.samples % self.batch == 0, "samples", self.samples, f"a multiple of batch = {self.batch}")

    @property
    def chain(self) -> RecallChain:
        return RecallChain(self.num_tokens, self.length, self.alpha)

    def batch_keys(self, seed: int) -> list[Key[Array, ""]]:
        """One key a batch of this seed's samples."""
        return [jax.random.fold_in(named_key(seed, "data"), part) for part in range(self.samples // self.batch)]


def theory_task(chain: RecallChain) -> NoisyRecall:
    """Section 3's data with uniform π_u and π_b: token 0 is the trigger, token N the noise; the loss is on y alone."""
    config = RecallConfig(
        source="uniform",
        symbols=chain.num_tokens,
        length=chain.length,
        triggers=(TRIGGER,),
        noise=None,
        alpha=chain.alpha,
        loss_on="last",
        trigger_outputs=True,
    )
    return NoisyRecall.create(config)


@eqx.filter_jit
def sample(task: NoisyRecall, num: int, key: Key[Array, ""]) -> Batch:
    """Compiled once for a task and a size, whichever run asks."""
    return task.sample(num, key=key)


@eqx.filter_jit
def masked_batch(task: NoisyRecall, num: int, exclude: Bool[Array, ""], key: Key[Array, ""]) -> Batch:
    """`num` sequences; those with ȳ = q are masked out on request, which is the law given ȳ != q. One program serves
    both cases."""
    drawn = task.draw(num, key=key)
    kept = ~(exclude & (drawn.outputs[:, 0] == TRIGGER))
    return Batch(drawn.tokens, drawn.following, task.mask(drawn) & kept[:, None])


def with_noise_learned(model: SimplifiedModel, chain: RecallChain) -> SimplifiedModel:
    """Assumption F.1: W_F alone predicts the noise with α and every possible output alike, in any context."""
    probability = np.maximum(chain.answer_law(), 1e-12)
    feed = np.outer(np.log(probability) @ np.asarray(model.output), np.asarray(model.tokens)[TRIGGER])
    return eqx.tree_at(lambda m: m.feed, model, to_jax(feed))


def loss_gradient(where: Callable[[SimplifiedModel], Any], model: SimplifiedModel, batch: Batch) -> Any:
    """Of the loss on y, in the weights of the model that `where` picks."""
    return jax.grad(lambda weights: QueryLoss(1)(eqx.tree_at(where, model, weights), batch))(where(model))
