"""Fine-tuning by Adam on random bijections (Section 5): the position block alone, or the full W^KQ."""

from dataclasses import dataclass
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from lemmata.core import (
    Count,
    Metrics,
    Positive,
    RunConfig,
    RunContext,
    RunOutput,
    Some,
    named_key,
    named_keys,
    precision,
    require,
)
from lemmata.papers.ic_recall.model import (
    MemoryTransformer,
    PatternModel,
    both_attentions,
    counted_decoding,
    counted_surprises,
    first_accuracy,
    full_key_query,
    position_block,
    second_accuracy,
)
from lemmata.papers.ic_recall.run.problems import FineTuning, best_accuracy, chain_of_thought_loss
from lemmata.papers.ic_recall.task import (
    RandomBijections,
    Sequences,
    TableWorld,
    check_pairs,
    dataset,
    dataset_of,
    stored,
)
from lemmata.train import Autodiff, Descent, fit_many, only, stack

Trained = Literal["position block", "full W^KQ"]
COMPILED_ROWS = (16, 128)
PROBED = ("first_argmax", "first_probability", "second_argmax")


class Counted(eqx.Module):
    """Sequences as tokens and as pattern counts: what dense attention needs when the memory is exact."""

    tokens: Int[Array, "*replica batch seq"]
    log_counts: Float[Array, "*replica batch patterns"]


@dataclass(frozen=True, kw_only=True)
class AdamFineTuning(RunConfig):
    """Fine-tune one transformer a seed (its own world, embeddings and data) on each number of sequences."""

    kind = "ic-recall/adam"

    world: RandomBijections
    k: int = 2
    temperature: Positive = 0.05
    trained: Trained = "position block"
    sequences: Some[Count] = (128,)
    seeds: Some[int] = (0,)
    steps: Count = 4000
    rate: Positive = 1e-3
    records: Count = 8
    test_sequences: Count = 1000

    def cross_check(self) -> None:
        check_pairs(self.k, self.world.n)
        require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")

    def execute(self, context: RunContext) -> RunOutput:
        worlds = {seed: self.world.draw(seed) for seed in self.seeds}
        if self.trained == "position block":
            with precision("float64"):
                parts = [self._position_block(worlds, context)]
        else:
            sizes = sorted({_rows(num) for num in self.sequences})
            with precision("float32"):
                parts = [
                    self._full(worlds, rows, [num for num in self.sequences if _rows(num) == rows], context)
                    for rows in sizes
                ]
        metrics = {name: np.concatenate([part[0][name] for part in parts]) for name in parts[0][0]}
        arrays = {name: np.concatenate([part[1][name] for part in parts]) for name in parts[0][1]}
        return RunOutput(metrics, arrays)

    def _position_block(self, worlds: dict[int, TableWorld], context: RunContext) -> tuple[dict, dict]:
        """Every number of sequences at once: data sets are padded with rows of no weight."""
        cells = [(num, seed) for num in self.sequences for seed in self.seeds]
        tests = {
            seed: dataset_of(world, self._test(world, seed), self.test_sequences) for seed, world in worlds.items()
        }
        problems = []
        for num, seed in cells:
            data = dataset(worlds[seed], num, self.k, seed, f"train {num}", max(self.sequences))
            problems.append(FineTuning(data, self.temperature, tests[seed]))
        algorithm = Descent(Autodiff(chain_of_thought_loss), only(position_block), optax.adam, self.rate)
        models = [PatternModel.zeros(self.k, self.world.n) for _ in cells]
        return self._fit(algorithm, problems, models, cells, worlds, _probe_reduced, "train", context)

    def _full(
        self, worlds: dict[int, TableWorld], rows: int, numbers: list[int], context: RunContext
    ) -> tuple[dict, dict]:
        """Several numbers of sequences in one program: a set repeated to `rows` sequences has the same mean loss."""
        cells = [(num, seed) for num in numbers for seed in self.seeds]
        problems, models = [], []
        for num, seed in cells:
            world = worlds[seed]
            train = _counted(world, world.sequences(num, self.k, seed=seed, name=f"train {num}"))
            repeated = jax.tree.map(lambda array, times=rows // num: jnp.tile(array, (times, 1)), train)
            problems.append(FineTuning(repeated, self.temperature, _counted(world, self._test(world, seed))))
            models.append(MemoryTransformer.constructed(world.table, self.k, named_key(seed, "embeddings")))
        algorithm = Descent(Autodiff(_counted_loss), only(full_key_query), optax.adam, self.rate)
        return self._fit(algorithm, problems, models, cells, worlds, _probe_counted, f"{rows} rows", context)

    def _test(self, world: TableWorld, seed: int) -> Sequences:
        return world.sequences(self.test_sequences, self.k, seed=seed, name="test")

    def _fit(
        self,
        algorithm: Descent,
        problems: list[FineTuning],
        models: list[Any],
        cells: list[tuple[int, int]],
        worlds: dict[int, TableWorld],
        probe: Any,
        stage: str,
        context: RunContext,
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        seeds = [seed for _, seed in cells]
        _, found = fit_many(
            algorithm,
            stack(problems),
            stack([algorithm.init(model) for model in models]),
            named_keys(seeds, "train"),
            steps=self.steps,
            every=self.steps // self.records,
            probe=probe,
            context=context,
            stage=stage,
        )
        best = {seed: best_accuracy(world, self._test(world, seed)) for seed, world in worlds.items()}
        numbers, ceilings = [num for num, _ in cells], [best[seed] for seed in seeds]
        table = found.table(names=("loss", *PROBED), sequences=numbers, seed=seeds, ceiling=ceilings)
        return table, {name: found[name] for name in ("first_attention", "second_attention")}


def _rows(num: int) -> int:
    """How many sequences a set is repeated to: few sizes, so few programs."""
    return next((rows for rows in COMPILED_ROWS if num <= rows and rows % num == 0), num)


def _counted(world: TableWorld, sequences: Sequences) -> Counted:
    counts = world.counts(sequences)
    log_counts = np.log(counts, where=counts > 0, out=np.full(counts.shape, -np.inf))
    return Counted(stored(world, sequences).batch.tokens, jnp.asarray(log_counts, jnp.float32))


def _counted_loss(model: MemoryTransformer, task: FineTuning, key: Key[Array, ""]) -> Float[Array, ""]:
    first, second = counted_surprises(model, task.data.tokens, task.data.log_counts, task.temperature)
    return jnp.mean(first) + jnp.mean(second)


def _probe_reduced(model: PatternModel, task: FineTuning, key: Key[Array, ""]) -> Metrics:
    first = first_accuracy(model, task.test, task.temperature)
    return {
        "first_argmax": first.argmax,
        "first_probability": first.probability,
        "second_argmax": second_accuracy(model, task.temperature).argmax,
        "first_attention": model.attention(),
        "second_attention": model.second_attention(),
    }


def _probe_counted(model: MemoryTransformer, task: FineTuning, key: Key[Array, ""]) -> Metrics:
    tokens, log_counts = task.test.tokens, task.test.log_counts
    relation, answer = counted_decoding(model, tokens, log_counts)
    surprise, _ = counted_surprises(model, tokens, log_counts, task.temperature)
    v, q = both_attentions(model, tokens)
    return {
        "first_argmax": jnp.mean(relation),
        "first_probability": jnp.mean(jnp.exp(-surprise)),
        "second_argmax": jnp.mean(answer),
        "first_attention": jnp.mean(v, axis=0),
        "second_attention": jnp.mean(q, axis=0),
    }
