"""The gradient of the first decoding step's loss on every sequence of a small world, through the dense model."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from lemmata import core
from lemmata.papers.ic_recall.model import DenseTransformer
from lemmata.papers.ic_recall.task import AllBijections, RandomBijections, stored

PAIRS = 2  # in context
THREE = AllBijections(n=3)


@dataclass(frozen=True, kw_only=True)
class EverySequence(core.RunConfig):
    """By point, sequence and position: d l_1 / d theta with the memory of Lemma 3.1 as a matrix."""

    kind = "ic-recall/every-sequence"

    world: AllBijections | RandomBijections = THREE
    temperature: core.Positive = 0.05
    points: core.Count = 8
    seed: int = 0

    def execute(self, context: core.RunContext) -> core.RunOutput:
        world = self.world.draw(self.seed)
        with core.precision("float64"):
            model = DenseTransformer.constructed(world.table, PAIRS, core.named_key(self.seed, "embeddings"))
            batch = stored(world, world.every_sequence(PAIRS)).batch
            eos, first = 2 * PAIRS + 1, model.vocabulary.relations.start

            def nll(theta: jax.Array, tokens: jax.Array) -> jax.Array:
                position = model.key_query.position.at[: eos + 1, eos].set(theta)
                tried = eqx.tree_at(lambda m: m.key_query.position, model, position)
                logits = tried.relation_logits(tokens) / self.temperature
                return jax.nn.logsumexp(logits) - logits[tokens[-1] - first]

            every = jax.jit(jax.vmap(jax.vmap(jax.grad(nll), in_axes=(None, 0)), in_axes=(0, None)))
            thetas = jax.random.normal(core.named_key(self.seed, "points"), (self.points, eos + 1))
            gradients = np.asarray(every(thetas, jnp.asarray(batch.tokens)))
        spread = np.abs(gradients - gradients[:, :1]).max(axis=(1, 2)) / np.abs(gradients).max(axis=(1, 2))
        return core.RunOutput({"spread": spread, "sequences": np.full(self.points, gradients.shape[1])})
