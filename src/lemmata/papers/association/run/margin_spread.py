"""How the noise's margin after one gradient step varies with the sample, by N and by the number of sequences m."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lemmata.core import Batch, Count, Inside, RunConfig, RunContext, RunOutput, Some, named_key, optimized_jit, require
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.run.simplified import TableSize, loss_gradient, sample, theory_task
from lemmata.papers.association.theory import RecallChain

BLOCKS = ("feed-forward", "attention")


@dataclass(frozen=True, kw_only=True)
class MarginSpread(RunConfig):
    """One step from zero on each of `groups` samples of `group` sequences. Logits are linear in the gradient, so the
    steps on larger samples are means of those on smaller ones: m = group × each of `multiples`."""

    kind = "association/margin-spread"

    sizes: Some[TableSize] = (16, 64)  # N
    ratio: Count = 4  # T/N
    alpha: Inside = 0.3
    group: Count = 8
    groups: Count = 2048
    multiples: Some[Count] = (1, 4, 16)
    tests: Count = 8
    seed: int = 0

    def cross_check(self) -> None:
        for multiple in self.multiples:
            allowed = f"divisors of groups = {self.groups}, eight times in it at least"
            possible = self.groups % multiple == 0 and self.groups >= 8 * multiple
            require(possible, "multiples", self.multiples, allowed)

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        for done, n in enumerate(self.sizes):
            logits = self._logits(n)  # [block, group, test, token]
            for multiple in self.multiples:
                means = logits.reshape(2, -1, multiple, *logits.shape[2:]).mean(axis=2)
                margins = means[..., -1] - means[..., :-1].max(axis=-1)
                for block, values in zip(BLOCKS, margins, strict=True):
                    spread = float((values.std(axis=0, ddof=1) / values.mean(axis=0)).mean())
                    positive = float((values > 0).mean())
                    rows.append((n, multiple * self.group, block, spread, positive, float(values.mean())))
            context.progress("spreads", done + 1, len(self.sizes))
        names = ("num_tokens", "samples", "block", "spread", "positive", "margin")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})

    def _logits(self, n: int) -> np.ndarray:
        task = theory_task(RecallChain(n, self.ratio * n, self.alpha))
        model = jax.tree.map(lambda x: x.astype(jnp.float32), SimplifiedModel.create(n + 1, self.seed))
        drawn = sample(task, self.group * self.groups, named_key(self.seed, "data", f"N={n}"))
        tests = sample(task, self.tests, named_key(self.seed, "test")).tokens
        last = jnp.array([self.ratio * n - 1])

        def step(model: SimplifiedModel, tests: Array, batch: Batch) -> Array:
            value, feed = loss_gradient(lambda m: (m.value, m.feed), model, batch)
            forward = eqx.tree_at(lambda m: m.feed, model, -feed)
            attention = eqx.tree_at(lambda m: m.value, model, -value)
            return jnp.stack([jax.vmap(lambda z, m=m: m.at(z, last)[0])(tests) for m in (forward, attention)])

        grouped = jax.tree.map(lambda x: x.reshape(self.groups, self.group, *x.shape[1:]), drawn)
        steps = optimized_jit(
            lambda model, tests, batches: jax.lax.map(lambda one: step(model, tests, one), batches, batch_size=64)
        )
        found = steps(model, tests, grouped)
        return np.asarray(found, dtype=float).transpose(1, 0, 2, 3)
