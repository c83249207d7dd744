"""The run behind Theorem 1: the noise token's margins after one gradient step from zero."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lemmata.core import Count, Inside, RunContext, RunOutput, Some, named_key, precision
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.run.simplified import ChainRun, ThreeOrMore, loss_gradient, sample, theory_task


@dataclass(frozen=True, kw_only=True)
class OneStepMargins(ChainRun):
    """One gradient step from zero on `samples` sequences (a seed each), then the margins on fresh test sequences."""

    kind = "association/one-step-margins"

    num_tokens: ThreeOrMore = 32  # N
    length: ThreeOrMore = 128  # T
    alpha: Inside = 0.5
    samples: Count = 8192  # m
    batch: Count = 256
    tests: Count = 32
    seeds: Some[int] = tuple(range(3))

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            task, model = theory_task(self.chain), SimplifiedModel.create(self.num_tokens + 1)
            last = jnp.array([self.length - 1])

            gradient = jax.jit(lambda batch: loss_gradient(lambda m: (m.value, m.feed), model, batch))

            @jax.jit
            def logits(value: Array, feed: Array) -> tuple[Array, Array]:
                """xi_attn and xi_ff after a step of rate 1, each with the other block at zero."""
                attention = eqx.tree_at(lambda m: m.value, model, -value)
                forward = eqx.tree_at(lambda m: m.feed, model, -feed)
                return tuple(jax.vmap(lambda z, m=m: m.at(z, last)[0])(tests) for m in (attention, forward))

            drawn = sample(task, max(self.batch, self.tests), named_key(0, "test"))
            tests = drawn.tokens[: self.tests]
            margins = []  # of each seed: [block, test]
            for done, seed in enumerate(self.seeds):
                gradients = [gradient(sample(task, self.batch, key)) for key in self.batch_keys(seed)]
                value, feed = (sum(parts) / len(parts) for parts in zip(*gradients, strict=True))
                blocks = [np.asarray(block) for block in logits(value, feed)]
                margins.append([block[:, -1] - block[:, :-1].max(axis=1) for block in blocks])
                context.progress("margins", done + 1, len(self.seeds))
        attention, forward = np.array(margins).transpose(1, 0, 2).reshape(2, -1)
        return RunOutput(
            {
                "seed": np.repeat(self.seeds, self.tests),
                "test": np.tile(np.arange(self.tests), len(self.seeds)),
                "attention": attention,
                "feed": forward,
            },
            {"tests": np.asarray(tests)},
        )
