"""Section 3: one gradient step from random weights, beside the same step from zero, by the embeddings' dimension."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lemmata.core import (
    Batch,
    Count,
    Inside,
    RunConfig,
    RunContext,
    RunOutput,
    Some,
    named_generator,
    named_key,
    require,
    to_jax,
)
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.model.simplified import random_bases
from lemmata.papers.association.run.simplified import TableSize, ThreeOrMore, loss_gradient, sample, theory_task
from lemmata.papers.association.theory import RecallChain

BLOCKS = ("attention", "feed-forward")


@dataclass(frozen=True, kw_only=True)
class RandomStart(RunConfig):
    """By d and seed: how far the noise token's margins after a unit step are from those of a start at zero: root mean
    square over draws of the weights and test sequences, relative to the mean margin there. Weights are normal with
    variance 1/d (`spread`), or of the smallest d's variance at every d (`fixed`)."""

    kind = "association/random-start"

    num_tokens: TableSize = 16  # N
    length: ThreeOrMore = 64  # T
    alpha: Inside = 0.5
    widths: Some[Count] = (64, 192, 576)  # d
    samples: Count = 512
    tests: Count = 32
    draws: Count = 8  # of weights, a seed
    seeds: Some[int] = (0, 1, 2, 3)

    def cross_check(self) -> None:
        least = 2 * (self.num_tokens + 1)
        require(min(self.widths) >= least, "widths", self.widths, f"{least} and more: embeddings are orthonormal")

    def execute(self, context: RunContext) -> RunOutput:
        task = theory_task(RecallChain(self.num_tokens, self.length, self.alpha))
        rows = []
        for width in self.widths:
            for seed in self.seeds:
                batch = sample(task, self.samples, named_key(seed, "data"))
                tests = sample(task, self.tests, named_key(seed, "test")).tokens
                start, drawn = self._at_zero(width, seed), named_generator(seed, "weights", str(width))
                zero = np.asarray(_margins(start, batch, tests))
                apart = {}
                for name, variance in {"spread": 1 / width, "fixed": 1 / min(self.widths)}.items():
                    models = (_with_weights(start, variance, drawn) for _ in range(self.draws))
                    errors = np.array([np.asarray(_margins(model, batch, tests)) - zero for model in models])
                    apart[name] = np.sqrt((errors**2).mean(axis=(0, 2))) / zero.mean(axis=1)
                rows += [(width, seed, block, *(one[i] for one in apart.values())) for i, block in enumerate(BLOCKS)]
                context.progress("starts", len(rows), len(self.widths) * len(self.seeds) * len(BLOCKS))
        names = ("width", "seed", "block", "spread", "fixed")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})

    def _at_zero(self, width: int, seed: int) -> SimplifiedModel:
        """Equation (2)'s model in d dimensions."""
        vocab = self.num_tokens + 1
        inputs, outputs = random_bases(width, named_generator(seed, "embeddings", str(width)))
        rows = [to_jax(one, dtype=jnp.float32) for one in (inputs[:vocab], inputs[vocab : 2 * vocab], outputs[:vocab])]
        zero = jnp.zeros((width, width), dtype=jnp.float32)
        return SimplifiedModel(rows[0], rows[1], rows[2], attention=zero, value=zero, feed=zero)


def _with_weights(start: SimplifiedModel, variance: float, stream: np.random.Generator) -> SimplifiedModel:
    """The same with random weights of this variance."""
    drawn = np.sqrt(variance) * stream.standard_normal((3, *start.value.shape), dtype=np.float32)
    return eqx.tree_at(lambda m: (m.attention, m.value, m.feed), start, tuple(map(jnp.asarray, drawn)))


@eqx.filter_jit
def _margins(model: SimplifiedModel, batch: Batch, tests: Array) -> Float[Array, "block test"]:
    """Of the attention block and of the feed-forward block, each after its own unit step."""
    value, feed = loss_gradient(lambda m: (m.value, m.feed), model, batch)
    last, nothing = jnp.array([tests.shape[1] - 1]), jnp.zeros_like(value)
    attention = eqx.tree_at(lambda m: (m.value, m.feed), model, (model.value - value, nothing))
    forward = eqx.tree_at(lambda m: (m.value, m.feed), model, (nothing, model.feed - feed))

    def margin(one: SimplifiedModel) -> Array:
        logits = jax.vmap(lambda z: one.at(z, last)[0])(tests)
        return logits[:, -1] - logits[:, :-1].max(axis=1)

    return jnp.stack([margin(attention), margin(forward)])
