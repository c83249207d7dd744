"""The run behind appendix B.3: the feed-forward map alone learns the noise logit, at several step sizes."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from lemmata.core import Count, Inside, Positive, RunContext, RunOutput, Some, TrainState, named_key, precision, to_jax
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.run.simplified import TRIGGER, ChainRun, TableSize, ThreeOrMore, sample, theory_task
from lemmata.train import fit_many, stack
from lemmata.train.gradient_descent import GradientDescent


class Pairs(eqx.Module):
    """How often each (z_{T-1}, y) occurred: with W_V = 0 the loss sees nothing else of a sequence."""

    contexts: Int[Array, "previous 2"]  # the sequences (z_{T-1}, q)
    probability: Float[Array, "previous outputs"]


@dataclass(frozen=True, kw_only=True)
class NoiseLogitDescent(ChainRun):
    """Gradient descent on W_F with W_V = W_QK = 0, on sampled sequences, at several step sizes."""

    kind = "association/noise-logit"

    num_tokens: TableSize = 32  # N
    length: ThreeOrMore = 64  # T
    alpha: Inside = 0.3
    samples: Count = 65536
    batch: Count = 4096
    steps: Count = 150
    ratios: Some[Positive] = tuple(round(0.80 + 0.02 * i, 2) for i in range(21))  # of the step to 1/(α(1-α))
    seed: int = 0

    @property
    def unit(self) -> float:
        """Of the step sizes."""
        return 1 / (self.alpha * (1 - self.alpha))

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            algorithm = GradientDescent(_loss, lambda m: m.feed, self.unit)
            model = SimplifiedModel.create(self.num_tokens + 1, self.seed)
            states = stack([TrainState(model, to_jax(ratio * self.unit)) for ratio in self.ratios])
            keys = jax.random.split(named_key(self.seed, "unused"), len(self.ratios))
            tasks = stack([self._pairs()] * len(self.ratios))
            _, history = fit_many(
                algorithm, tasks, states, keys, steps=self.steps, every=1, probe=_lead, replicas="vmap", context=context
            )
        return RunOutput(history.table(names=("lead", "lead_over_sum"), ratio=self.ratios))

    def _pairs(self) -> Pairs:
        n, task = self.num_tokens, theory_task(self.chain)
        probability = np.zeros((n + 1, n + 1))
        for key in self.batch_keys(self.seed):
            drawn = sample(task, self.batch, key)
            np.add.at(probability, (np.asarray(drawn.tokens[:, -2]), np.asarray(drawn.targets[:, -1])), 1.0)
        contexts = np.stack([np.arange(n + 1), np.full(n + 1, TRIGGER)], axis=1)
        return Pairs(to_jax(contexts), to_jax(probability / probability.sum()))


def _logits(model: SimplifiedModel, pairs: Pairs) -> Float[Array, "previous outputs"]:
    last = jnp.array([1])
    return jax.vmap(lambda tokens: model.at(tokens, last)[0])(pairs.contexts)


def _loss(model: SimplifiedModel, pairs: Pairs, key: Key[Array, ""]) -> Float[Array, ""]:
    return -jnp.sum(pairs.probability * jax.nn.log_softmax(_logits(model, pairs)))


def _lead(model: SimplifiedModel, pairs: Pairs, key: Key[Array, ""]) -> dict[str, Array]:
    """The noise logit over the (soft) mean of the others: B.3's ξ, whose other logits are 0."""
    logits = _logits(model, pairs)
    others = jax.nn.logsumexp(logits[:, :-1], axis=1)
    over_sum = jnp.sum(pairs.probability.sum(axis=1) * (logits[:, -1] - others))
    return {"lead": over_sum + jnp.log(logits.shape[1] - 1), "lead_over_sum": over_sum}
