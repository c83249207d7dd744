"""Equation (3)'s W̄: what uniform attention gathers from a context, and how far it varies over contexts with one ȳ."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from lemmata.core import Count, Inside, RunConfig, RunContext, RunOutput, Some, named_key
from lemmata.papers.association.run.simplified import TRIGGER, TableSize, ThreeOrMore, theory_task
from lemmata.papers.association.theory import RecallChain


@dataclass(frozen=True, kw_only=True)
class AggregateSpread(RunConfig):
    """By T: the variance over sampled contexts with the same ȳ ≠ q, summed over orthonormal embeddings, of a context's
    mean embedding (`aggregate`), and of the embedding at one position, not averaged (`single`)."""

    kind = "association/aggregate-spread"

    num_tokens: TableSize = 16  # N
    lengths: Some[ThreeOrMore] = (64, 256, 1024)  # T
    alpha: Inside = 0.3
    samples: Count = 2048
    seeds: Some[int] = (0, 1, 2, 3)

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        for length in self.lengths:
            task = theory_task(RecallChain(self.num_tokens, length, self.alpha))

            @jax.jit
            def spreads(key: jax.Array, task=task, length=length) -> tuple[jax.Array, jax.Array]:
                drawn = task.draw(self.samples, key=key)
                target = drawn.outputs[:, :1]
                counted = target != TRIGGER  # with ȳ = q a context repeats its trigger: another law
                each = jax.nn.one_hot(drawn.tokens, self.num_tokens + 1)

                def variance(x: jax.Array) -> jax.Array:
                    """Given ȳ: of its own share, and of any other token's over the contexts in which that is not ȳ."""
                    own = jnp.take_along_axis(x, target, axis=1)
                    others = counted & (jnp.arange(self.num_tokens + 1) != target)
                    return jnp.var(own, where=counted) + jnp.sum(jnp.var(x, axis=0, where=others))

                return variance(each.mean(axis=1)), variance(each[:, length // 2])

            for seed in self.seeds:
                aggregate, single = spreads(named_key(seed, "contexts", str(length)))
                rows.append((seed, length, float(aggregate), float(single)))
            context.progress("spreads", len(rows), len(self.lengths) * len(self.seeds))
        names = ("seed", "length", "aggregate", "single")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})
