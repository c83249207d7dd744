"""Runs for Lemma D.1, Table 3 and Theorem 1: gradients at zero by autodiff, a step along them, the exact chain."""

from dataclasses import dataclass, field
from typing import Annotated

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Batch, RunConfig, RunContext, RunOutput, also, named_key, optimized_jit, precision
from lemmata.core.constraints import Bound, Count, Inside, Several, Share, Some
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.run.simplified import (
    TRIGGER,
    ChainRun,
    TableSize,
    ThreeOrMore,
    loss_gradient,
    sample,
    theory_task,
)
from lemmata.papers.association.task import NoisyRecall
from lemmata.papers.association.theory import RecallChain, one_step
from lemmata.papers.association.theory.one_step import TABLE_3, power


@dataclass(frozen=True, kw_only=True)
class SampledGradients(ChainRun):
    """Per-sequence gradients of the model at zero weights, by autodiff; each seed is `samples` fresh sequences."""

    kind = "association/sampled-gradients"
    version = 2

    num_tokens: TableSize = 12  # N; small, so that what the printed forms drop is seen
    length: ThreeOrMore = 48  # T
    alpha: Inside = 0.3
    samples: Count = 2048
    batch: Count = 512
    seeds: Some[int] = tuple(range(24))

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            rows = []
            task, model = theory_task(self.chain), SimplifiedModel.create(self.num_tokens + 1)

            sums = optimized_jit(lambda task, model, key: _gradient_sums(task, model, self.batch, key))
            for done, seed in enumerate(self.seeds):
                totals = [sums(task, model, key) for key in self.batch_keys(seed)]
                value, feed = (np.sum(parts, axis=0) / self.samples for parts in zip(*totals, strict=True))
                rows += self._rows(seed, value, feed)
                context.progress("gradients", done + 1, len(self.seeds))
        names = ("seed", "matrix", "row", "mean", "lowest", "highest", "variance")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})

    def _rows(self, seed: int, value: np.ndarray, feed: np.ndarray) -> list[tuple]:
        """Of each row of Table 3 (and of Lemma D.1): moments, the mean over its cells, and its two farthest means."""
        n = self.num_tokens
        read = [("value", row, value[:, *entry.cells(n)]) for row, entry in enumerate(TABLE_3)]
        read += [("feed", 0, feed[:, [n]]), ("feed", 1, feed[:, :n])]
        return [
            (seed, matrix, row, mean.mean(), mean.min(), mean.max(), (square - mean**2).mean())
            for matrix, row, (mean, square) in read
        ]


def _gradient_sums(task: NoisyRecall, model: SimplifiedModel, batch: int, key: Key[Array, ""]) -> tuple[Array, Array]:
    """Sums over a batch of each sequence's projected gradients and of their squares, of W_V and of W_F."""
    drawn = task.sample(batch, key=key)

    def one(tokens: Array, targets: Array, mask: Array) -> tuple[Array, Array]:
        single = Batch(tokens[None], targets[None], mask[None])
        value, feed = loss_gradient(lambda m: (m.value, m.feed), model, single)
        return model.project(value)[0], model.project(feed)[0][:, TRIGGER]

    value, feed = jax.vmap(one)(drawn.tokens, drawn.targets, drawn.mask)
    return jnp.stack([value.sum(0), (value**2).sum(0)]), jnp.stack([feed.sum(0), (feed**2).sum(0)])


@dataclass(frozen=True, kw_only=True)
class MeanGradients(ChainRun):
    """The same means on `samples` sequences a seed, by autodiff of each batch's mean loss: for sizes at which one
    gradient a sequence is too much. It has no variances."""

    kind = "association/mean-gradients"

    num_tokens: TableSize = 65  # N, the paper's
    length: ThreeOrMore = 256  # T, the paper's
    alpha: Inside = 0.3
    samples: Count = 1024
    batch: Count = 512
    seeds: Some[int] = tuple(range(12))

    def execute(self, context: RunContext) -> RunOutput:
        task, model = theory_task(self.chain), SimplifiedModel.create(self.num_tokens + 1)

        @eqx.filter_jit
        def projected(model: SimplifiedModel, batch: Batch) -> tuple[Array, Array]:
            value, feed = loss_gradient(lambda m: (m.value, m.feed), model, batch)
            return model.project(value)[0], model.project(feed)[0][:, TRIGGER]

        rows, n = [], self.num_tokens
        for done, seed in enumerate(self.seeds):
            found = [projected(model, sample(task, self.batch, key)) for key in self.batch_keys(seed)]
            value, feed = (np.mean(parts, axis=0) for parts in zip(*found, strict=True))
            read = [("value", row, value[entry.cells(n)]) for row, entry in enumerate(TABLE_3)]
            read += [("feed", 0, feed[[n]]), ("feed", 1, feed[:n])]
            rows += [(seed, matrix, row, mean.min(), mean.max()) for matrix, row, mean in read]
            context.progress("gradients", done + 1, len(self.seeds))
        names = ("seed", "matrix", "row", "lowest", "highest")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})


@dataclass(frozen=True, kw_only=True)
class LeadingCoefficients(RunConfig):
    """Table 3's coefficients read off the exact chain at a size where nothing but the leading order is left."""

    kind = "association/leading-coefficients"

    num_tokens: ThreeOrMore = 10**5
    length: Several = 10**11
    alphas: Some[Inside] = field(default=(0.3, 0.6), metadata=also("alpha"))
    digits: Annotated[int, Bound(least=15)] = 60  # differences of nearly equal variances are taken

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        with mpmath.workdps(self.digits):
            for done, alpha in enumerate(self.alphas):
                short = RecallChain(self.num_tokens, self.length, mpmath.mpf(str(alpha)))
                long = RecallChain(self.num_tokens, 2 * self.length, mpmath.mpf(str(alpha)))
                for index, entry in enumerate(TABLE_3):
                    size = mpmath.mpf(self.num_tokens) ** power(entry)
                    (mean, first), (_, second) = (one_step.exact_moments(entry, chain) for chain in (short, long))
                    over_t = 2 * self.length * (first - second) * size
                    over_n = (2 * second - first) * size * self.num_tokens
                    rows.append((alpha, index, float(mean * size), float(over_t), float(over_n)))
                context.progress("coefficients", done + 1, len(self.alphas))
        names = ("alpha", "row", "mean", "over_t", "over_n")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})


@dataclass(frozen=True, kw_only=True)
class OneStepMargins(ChainRun):
    """One gradient step from zero on `samples` sequences (a seed each), then the margins on fresh test sequences, up to
    `most_noise` of whose tokens were replaced by the noise: the margin depends on their share."""

    kind = "association/one-step-margins"
    version = 2

    num_tokens: TableSize = 32  # N
    length: ThreeOrMore = 128  # T
    alpha: Inside = 0.5
    samples: Count = 8192  # m
    batch: Count = 256
    tests: Count = 32
    most_noise: Share = 0.75
    seeds: Some[int] = tuple(range(3))

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            task, model = theory_task(self.chain), SimplifiedModel.create(self.num_tokens + 1)
            last = jnp.array([self.length - 1])
            gradient = optimized_jit(lambda model, batch: loss_gradient(lambda m: (m.value, m.feed), model, batch))

            @eqx.filter_jit
            def logits(model: SimplifiedModel, tests: Array, value: Array, feed: Array) -> tuple[Array, Array]:
                """xi_attn and xi_ff after a step of rate 1, each with the other block at zero."""
                attention = eqx.tree_at(lambda m: m.value, model, -value)
                forward = eqx.tree_at(lambda m: m.feed, model, -feed)
                return tuple(jax.vmap(lambda z, m=m: m.at(z, last)[0])(tests) for m in (attention, forward))

            drawn = sample(task, max(self.batch, self.tests), named_key(0, "test"))
            share = jnp.linspace(0.0, self.most_noise, self.tests)[:, None]
            replaced = jax.random.uniform(named_key(0, "noise in tests"), (self.tests, self.length)) < share
            tests = jnp.where(replaced.at[:, -1].set(False), self.num_tokens, drawn.tokens[: self.tests])
            margins = []  # of each seed: [block, test]
            for done, seed in enumerate(self.seeds):
                gradients = [gradient(model, sample(task, self.batch, key)) for key in self.batch_keys(seed)]
                value, feed = (jnp.asarray(sum(parts)) / len(parts) for parts in zip(*gradients, strict=True))
                blocks = [np.asarray(block) for block in logits(model, tests, value, feed)]
                margins.append([block[:, -1] - block[:, :-1].max(axis=1) for block in blocks])
                context.progress("margins", done + 1, len(self.seeds))
        attention, forward = np.array(margins).transpose(1, 0, 2).reshape(2, -1)
        table = {"seed": np.repeat(self.seeds, self.tests), "test": np.tile(np.arange(self.tests), len(self.seeds))}
        return RunOutput(table | {"attention": attention, "feed": forward}, {"tests": np.asarray(tests)})
