"""Fine-tuning by Adam on random bijections (Section 5): the position block alone, or the full W^KQ."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, TrainState, named_key, precision, require
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
from lemmata.papers.ic_recall.run.problems import FineTuning, chain_of_thought_loss
from lemmata.papers.ic_recall.task import (
    Dataset,
    RandomBijections,
    TableWorld,
    check_pairs,
    correct_pattern,
    dataset,
    dataset_of,
    stored,
)
from lemmata.train import Adam, fit_many, stack

Trained = Literal["position block", "full W^KQ"]
COMPILED_ROWS = (16, 128)
PROBED = ("first_argmax", "first_probability", "second_argmax")


class Counted(eqx.Module):
    """Sequences as tokens and as pattern counts: what dense attention needs when the memory is exact."""

    tokens: Int[Array, "*replica batch seq"]
    log_counts: Float[Array, "*replica batch patterns"]


class CountedProblem(eqx.Module):
    train: Counted
    test: Counted
    temperature: Float[Array, "*replica"]


class ReducedProblem(eqx.Module):
    train: FineTuning
    test: Dataset


@dataclass(frozen=True, kw_only=True)
class AdamFineTuning(RunConfig):
    """Fine-tune one transformer a seed (its own world, embeddings and data) on each number of sequences."""

    kind: ClassVar[str] = "ic-recall/adam"

    world: RandomBijections
    k: int = 2
    temperature: float = 0.05
    trained: Trained = "position block"
    sequences: tuple[int, ...] = (128,)
    seeds: tuple[int, ...] = (0,)
    steps: int = 4000
    rate: float = 1e-3
    records: int = 8
    test_sequences: int = 1000

    def __post_init__(self) -> None:
        require(self.temperature > 0, "temperature", self.temperature, "above 0")
        check_pairs(self.k, self.world.n)
        require(min(self.sequences, default=0) >= 1, "sequences", self.sequences, "at least 1 each")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")
        require(self.rate > 0, "rate", self.rate, "above 0")
        require(self.records >= 1, "records", self.records, "at least 1")
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
        tests = {seed: self._test(worlds[seed], seed) for seed in self.seeds}
        problems = []
        for num, seed in cells:
            data = dataset(worlds[seed], num, self.k, seed, f"train {num}", max(self.sequences))
            test = dataset_of(worlds[seed], tests[seed], self.test_sequences)
            problems.append(ReducedProblem(FineTuning(data, self.temperature), test))
        algorithm = Adam(_reduced_loss, position_block, self.rate)
        states = [algorithm.init(PatternModel.zeros(self.k, self.world.n)) for _ in cells]
        return self._fit(algorithm, problems, states, cells, worlds, _probe_reduced, "train", context)

    def _full(
        self, worlds: dict[int, TableWorld], rows: int, numbers: list[int], context: RunContext
    ) -> tuple[dict, dict]:
        """Several numbers of sequences in one program: a set repeated to `rows` sequences has the same mean loss."""
        cells = [(num, seed) for num in numbers for seed in self.seeds]
        problems, states = [], []
        algorithm = Adam(_counted_loss, full_key_query, self.rate)
        for num, seed in cells:
            world = worlds[seed]
            train = _counted(world, world.sequences(num, self.k, seed=seed, name=f"train {num}"))
            repeated = jax.tree.map(lambda array, times=rows // num: jnp.tile(array, (times, 1)), train)
            test = _counted(world, self._test(world, seed))
            problems.append(CountedProblem(repeated, test, jnp.asarray(self.temperature)))
            model = MemoryTransformer.constructed(world.table, self.k, named_key(seed, "embeddings"))
            states.append(algorithm.init(model))
        return self._fit(algorithm, problems, states, cells, worlds, _probe_counted, f"{rows} rows", context)

    def _test(self, world: TableWorld, seed: int) -> Any:
        return world.sequences(self.test_sequences, self.k, seed=seed, name="test")

    def _fit(
        self,
        algorithm: Adam,
        problems: list[Any],
        states: list[TrainState],
        cells: list[tuple[int, int]],
        worlds: dict[int, TableWorld],
        probe: Any,
        stage: str,
        context: RunContext,
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        every = self.steps // self.records
        keys = jnp.stack([named_key(seed, "train") for _, seed in cells])
        _, found = fit_many(
            algorithm,
            stack(problems),
            stack(states),
            keys,
            steps=self.steps,
            every=every,
            probe=probe,
            context=context,
            stage=stage,
        )
        records = self.records + 1
        ceilings = {seed: _ceiling(world, self._test(world, seed)) for seed, world in worlds.items()}
        metrics = {
            "sequences": np.repeat([num for num, _ in cells], records),
            "seed": np.repeat([seed for _, seed in cells], records),
            "step": np.tile(np.arange(records) * every, len(cells)),
            "ceiling": np.repeat([ceilings[seed] for _, seed in cells], records),
            "loss": found["loss"].ravel(),
            **{name: found[name].ravel() for name in PROBED},
        }
        return metrics, {"first_attention": found["first_attention"], "second_attention": found["second_attention"]}


def _rows(num: int) -> int:
    """How many sequences a set is repeated to: few sizes, so few programs."""
    return next((rows for rows in COMPILED_ROWS if num <= rows and rows % num == 0), num)


def _ceiling(world: TableWorld, test: Any) -> float:
    """The best possible first-step accuracy on these very sequences: 1 / (relations that fit the context)."""
    return float(np.mean(1 / world.counts(test)[:, correct_pattern(test.k)]))


def _counted(world: TableWorld, sequences: Any) -> Counted:
    counts = world.counts(sequences)
    log_counts = np.log(counts, where=counts > 0, out=np.full(counts.shape, -np.inf))
    return Counted(stored(world, sequences).batch.tokens, jnp.asarray(log_counts, jnp.float32))


def _reduced_loss(model: PatternModel, task: ReducedProblem, key: Key[Array, ""]) -> Float[Array, ""]:
    return chain_of_thought_loss(model, task.train, key)


def _counted_loss(model: MemoryTransformer, task: CountedProblem, key: Key[Array, ""]) -> Float[Array, ""]:
    first, second = counted_surprises(model, task.train.tokens, task.train.log_counts, task.temperature)
    return jnp.mean(first) + jnp.mean(second)


def _probe_reduced(model: PatternModel, task: ReducedProblem, key: Key[Array, ""]) -> Metrics:
    first = first_accuracy(model, task.test, task.train.temperature)
    return {
        "first_argmax": first.argmax,
        "first_probability": first.probability,
        "second_argmax": second_accuracy(model, task.train.temperature).argmax,
        "first_attention": model.attention(),
        "second_attention": model.second_attention(),
    }


def _probe_counted(model: MemoryTransformer, task: CountedProblem, key: Key[Array, ""]) -> Metrics:
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
