"""Section 7's training over the numbers that the paper does not print: sentences of the training set, and epochs."""

from dataclasses import dataclass, field
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import RunConfig, RunContext, RunOutput, TrainState, named_keys, require, stored_as
from lemmata.core.constraints import Count, Natural, Positive, Some
from lemmata.papers.lego.model import ExperimentalConfig, ExperimentalReasoner, require_sizes
from lemmata.papers.lego.probe.cells import as_columns, cell_marks
from lemmata.papers.lego.run import next_clause
from lemmata.papers.lego.run.length_training import BASE, SELF, SHORT, each_seed, each_seed_optimized
from lemmata.papers.lego.task import Lego, LegoConfig, check_length
from lemmata.train import Descent, fit_many


@dataclass(frozen=True, kw_only=True)
class DataSizes(RunConfig):
    """One action and one block, trained at `task.length` on the first sentences of one set, as many as each of `sizes`,
    and read after each of `epochs`. At the last of them comes one stage of self-training at length `stage`, and its
    control: as many steps more at the first length."""

    kind = "lego/data-sizes"
    version = 3

    task: LegoConfig = field(default_factory=LegoConfig)
    model: ExperimentalConfig = field(default_factory=ExperimentalConfig)
    learning_rate: Positive = field(default=1e-4, metadata=stored_as("rate"))
    batch: Count = 512
    sizes: Some[Count] = (3000, 10_000, 30_000)
    epochs: Some[Count] = (75, 150, 300)
    stage: int = 10
    stage_steps: Natural = 0  # 0: no self-training
    lengths: Some[int] = (5, 10, 20, 40)  # of the test sentences
    test_sentences: Count = 256
    replicas: Literal["map", "vmap"] = "map"
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        require_sizes(self.model, self.task)
        require(self.model.vocab < 2**15, "task.variables", self.task.variables, "a vocabulary that 16 bits can hold")
        for length in (*self.lengths, self.stage):
            check_length(length, self.task.variables)
        for name in ("sizes", "epochs", "lengths"):
            values = getattr(self, name)
            require(sorted(set(values)) == list(values), name, values, "increasing")
        first, most = self.task.length, self.batch * self.task.length
        require(first in self.lengths, "lengths", self.lengths, f"the training length {first} among them")
        require(first < self.stage <= most, "stage", self.stage, f"longer than {first}, at most {most}")

    def execute(self, context: RunContext) -> RunOutput:
        task, rows = Lego.create(self.task), []
        sets = self.sentences(task, self.task.length, max(self.sizes))
        algorithm = next_clause.next_clause_adam(self.batch, self.learning_rate)
        for size in self.sizes:
            models = each_seed(lambda key: ExperimentalReasoner.create(self.model, key=key), self.keys("init"))
            state = each_seed(algorithm.init, models)
            few, done = self.first(sets, size), 0
            for epochs in self.epochs:
                steps = self.steps(size, epochs) - done
                state = self.train(algorithm, few, state, steps, f"{size} sentences, {epochs} epochs", context)
                done += steps
                rows.append(self.evaluate(state.model, task, size, epochs, BASE))
            if self.stage_steps:
                rows += self.self_train(algorithm, state.model, few, task, size, context)
        return RunOutput({name: np.concatenate([row[name] for row in rows]) for name in rows[0]})

    def self_train(
        self, algorithm: Descent, models: Any, few: Any, task: Lego, size: int, context: RunContext
    ) -> list[dict[str, np.ndarray]]:
        """A stage on the model's own labels, and as many steps at the first length; both with Adam's memory empty."""
        last, steps = self.epochs[-1], self.stage_steps
        longer = self.train(algorithm, few, each_seed(algorithm.init, models), steps, f"{size}, {SHORT}", context)
        written = each_seed_optimized(
            next_clause.written_answers, models, self.sentences(task, self.stage, max(self.sizes))
        )
        at_stage = next_clause.next_clause_adam(self.batch * self.task.length // self.stage, self.learning_rate)
        labelled, start = self.first(written, size), each_seed(at_stage.init, models)
        self_trained = self.train(at_stage, labelled, start, steps, f"{size}, {SELF}", context)
        return [
            self.evaluate(longer.model, task, size, last, SHORT),
            self.evaluate(self_trained.model, task, size, last, SELF),
        ]

    def steps(self, size: int, epochs: int) -> int:
        """A step draws its sentences with replacement."""
        return -(-epochs * size // self.batch)

    def sentences(self, task: Lego, length: int, num: int) -> next_clause.SentenceSet:
        keys = self.keys("sentences", str(length))
        return each_seed(lambda key: next_clause.SentenceSet.draw(task, num, length, key=key), keys)

    def first(self, sets: next_clause.SentenceSet, size: int) -> next_clause.FirstSentences:
        return each_seed(next_clause.FirstSentences, sets.clauses, jnp.full(len(self.seeds), size))

    def train(
        self, algorithm: Descent, sets: Any, state: TrainState, steps: int, name: str, context: RunContext
    ) -> TrainState:
        """Once through the loop; another number of steps, or of sentences, is the same program."""
        keys = named_keys(self.seeds, "steps", name)
        state, _ = fit_many(
            algorithm,
            sets,
            state,
            keys,
            steps=steps,
            every=max(steps, 1),
            replicas=self.replicas,
            context=context,
            stage=name,
        )
        return state

    def evaluate(self, models: Any, task: Lego, size: int, epochs: int, branch: str) -> dict[str, np.ndarray]:
        found = cell_marks(
            models, task, jnp.array(self.lengths), max(self.lengths), self.keys("test"), self.test_sentences
        )
        count, lengths = len(self.seeds), len(self.lengths)
        return {
            "size": np.repeat(size, count * lengths),
            "epochs": np.repeat(epochs, count * lengths),
            "branch": np.repeat(branch, count * lengths),
            "seed": np.repeat(np.array(self.seeds), lengths),
            "length": np.tile(np.array(self.lengths), count),
            **as_columns(found),
        }

    def keys(self, *names: str) -> Key[Array, " seed"]:
        return named_keys(self.seeds, *names)
