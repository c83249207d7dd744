"""Fine-tuning by Adam on random bijections (Section 5): the position block alone, or the full W^KQ."""

from dataclasses import dataclass, field
from typing import Literal

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from lemmata import core
from lemmata.papers.ic_recall.model import (
    MemoryTransformer,
    PatternModel,
    both_attentions,
    decoding_from_counts,
    first_accuracy,
    full_key_query,
    nlls_from_counts,
    position_block,
    second_accuracy,
)
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, chain_of_thought_loss
from lemmata.papers.ic_recall.run.train_all import train_all
from lemmata.papers.ic_recall.task import RandomBijections, Sequences, TableWorld, check_pairs, dataset_of, stored
from lemmata.papers.ic_recall.task.best_accuracy import best_accuracy
from lemmata.train import Autodiff, Descent, only

Trained = Literal["position block", "full W^KQ"]
COMPILED_ROWS = (16, 128)
PROBED = ("first_argmax", "first_probability", "second_argmax")


class TokensAndCounts(eqx.Module):
    """Sequences as tokens and as pattern counts: what dense attention needs when the memory is exact."""

    tokens: Int[Array, "*replica batch seq"]
    log_counts: Float[Array, "*replica batch patterns"]


@dataclass(frozen=True, kw_only=True)
class AdamFineTuning(core.RunConfig):
    """Fine-tune one transformer a seed (its own world, embeddings and data) on each number of sequences."""

    kind = "ic-recall/adam"

    world: RandomBijections
    k: int = 2
    temperature: core.Positive = 0.05
    trained: Trained = "position block"
    sequences: core.Some[core.Count] = (128,)
    seeds: core.Some[int] = (0,)
    steps: core.Count = 4000
    learning_rate: core.Positive = field(default=1e-3, metadata=core.stored_as("rate"))
    records: core.Count = 8
    test_sequences: core.Count = 1000

    def cross_check(self) -> None:
        check_pairs(self.k, self.world.n)
        core.require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")

    def execute(self, context: core.RunContext) -> core.RunOutput:
        block = self.trained == "position block"
        groups: dict[int, list[int]] = {}  # numbers of sequences that one program trains
        for num in self.sequences:
            groups.setdefault(max(self.sequences) if block else _rows(num), []).append(num)
        worlds = {seed: self.world.draw(seed) for seed in self.seeds}
        with core.precision("float64" if block else "float32"):
            parts = [self._train(worlds, rows, groups[rows], context) for rows in sorted(groups)]
        metrics, arrays = ({name: np.concatenate([p[i][name] for p in parts]) for name in parts[0][i]} for i in (0, 1))
        return core.RunOutput(metrics, arrays)

    def _train(
        self, worlds: dict[int, TableWorld], rows: int, numbers: list[int], context: core.RunContext
    ) -> tuple[dict, dict]:
        """Several numbers of sequences at once, each set brought to the same number of rows."""
        block = self.trained == "position block"
        tests = {seed: self._sequences(world, self.test_sequences, seed, "test") for seed, world in worlds.items()}
        data_of = dataset_of if block else tokens_and_counts
        fresh = {seed: data_of(world, tests[seed], self.test_sequences) for seed, world in worlds.items()}
        cells = [(num, seed) for num in numbers for seed in self.seeds]
        problems = []
        for num, seed in cells:
            train = self._sequences(worlds[seed], num, seed, f"train {num}")
            problems.append(FineTuning(data_of(worlds[seed], train, rows), self.temperature, fresh[seed]))
        numbers, seeds = ([cell[i] for cell in cells] for i in (0, 1))
        if block:
            loss, where, probe = chain_of_thought_loss, position_block, _probe_reduced
            models = [PatternModel.zeros(self.k, self.world.n)] * len(cells)
        else:
            loss, where, probe = loss_from_counts, full_key_query, probe_from_counts
            built = {
                seed: MemoryTransformer.constructed(world.table, self.k, core.named_key(seed, "embeddings"))
                for seed, world in worlds.items()
            }
            models = [built[seed] for seed in seeds]
        algorithm = Descent(Autodiff(loss), only(where), optax.adam, self.learning_rate)
        how = {"steps": self.steps, "every": self.steps // self.records, "probe": probe, "context": context}
        _, found = train_all(algorithm, problems, models, seeds, f"{rows} rows", **how)
        best = {seed: best_accuracy(world, tests[seed]) for seed, world in worlds.items()}
        ceilings = [best[seed] for seed in seeds]
        table = found.table(names=("loss", *PROBED), sequences=numbers, seed=seeds, ceiling=ceilings)
        return table, {name: found[name] for name in ("first_attention", "second_attention")}

    def _sequences(self, world: TableWorld, num: int, seed: int, name: str) -> Sequences:
        return world.sequences(num, self.k, seed=seed, name=name)


def _rows(num: int) -> int:
    """How many sequences a set is repeated to: few sizes, so few programs."""
    return next((rows for rows in COMPILED_ROWS if num <= rows and rows % num == 0), num)


def tokens_and_counts(world: TableWorld, sequences: Sequences, rows: int) -> TokensAndCounts:
    """A set repeated to `rows` sequences has the same mean loss."""
    counts = world.counts(sequences)
    log_counts = np.log(counts, where=counts > 0, out=np.full(counts.shape, -np.inf))
    tokens = stored(world, sequences).batch.tokens
    times = (rows // len(sequences), 1)
    return TokensAndCounts(core.to_jax(np.tile(tokens, times)), core.to_jax(np.tile(log_counts, times)))


def loss_from_counts(model: MemoryTransformer, task: FineTuning, key: Key[Array, ""]) -> Float[Array, ""]:
    first, second = nlls_from_counts(model, task.data.tokens, task.data.log_counts, task.temperature)
    return jnp.mean(first) + jnp.mean(second)


def _probe_reduced(model: PatternModel, task: FineTuning, key: Key[Array, ""]) -> core.Metrics:
    first = first_accuracy(model, task.test, task.temperature)
    return {
        "first_argmax": first.argmax,
        "first_probability": first.probability,
        "second_argmax": second_accuracy(model, task.temperature).argmax,
        "first_attention": model.attention(),
        "second_attention": model.second_attention(),
    }


def probe_from_counts(model: MemoryTransformer, task: FineTuning, key: Key[Array, ""]) -> core.Metrics:
    tokens, log_counts = task.test.tokens, task.test.log_counts
    relation, answer = decoding_from_counts(model, tokens, log_counts)
    nll, _ = nlls_from_counts(model, tokens, log_counts, task.temperature)
    v, q = both_attentions(model, tokens)
    return {
        "first_argmax": jnp.mean(relation),
        "first_probability": jnp.mean(jnp.exp(-nll)),
        "second_argmax": jnp.mean(answer),
        "first_attention": jnp.mean(v, axis=0),
        "second_attention": jnp.mean(q, axis=0),
    }
