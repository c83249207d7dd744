"""All of W^KQ by gradient descent on few sequences, the first decoding step: one score a position, one a token."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lemmata import core
from lemmata.papers.ic_recall.model import EosScores, eos_decoding, eos_nll
from lemmata.papers.ic_recall.run.adam_fine_tuning import TokensAndCounts, tokens_and_counts
from lemmata.papers.ic_recall.run.algorithm_1 import descend
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning
from lemmata.papers.ic_recall.task import RandomBijections, check_pairs
from lemmata.papers.ic_recall.task.best_accuracy import best_accuracy
from lemmata.train import stack


@dataclass(frozen=True, kw_only=True)
class FewByDescent(core.RunConfig):
    """Test accuracy of the relation, by number of sequences and seed, each seed with its own world and data."""

    kind = "ic-recall/few-by-descent"

    world: RandomBijections
    k: int = 2
    temperature: core.Positive = 0.05
    learning_rate: core.Positive = 0.1
    sequences: core.Some[core.Count] = (4, 8, 16, 32)
    steps: core.Count = 1000
    seeds: core.Some[int] = (0,)
    test_sequences: core.Count = 500

    def cross_check(self) -> None:
        check_pairs(self.k, self.world.n)

    def execute(self, context: core.RunContext) -> core.RunOutput:
        worlds = {seed: self.world.draw(seed) for seed in self.seeds}
        tests = {s: w.sequences(self.test_sequences, self.k, seed=s, name="test") for s, w in worlds.items()}
        best = [best_accuracy(worlds[seed], tests[seed]) for seed in self.seeds]
        rows = []
        with core.precision("float32"):
            fresh = {seed: _data(tokens_and_counts(w, tests[seed], self.test_sequences)) for seed, w in worlds.items()}
            start = stack([EosScores.zeros(self.k, self.world.n)] * len(self.seeds))
            for num in self.sequences:
                tasks = []
                for seed, world in worlds.items():
                    shown = world.sequences(num, self.k, seed=seed, name=f"train {num}")
                    tasks.append(FineTuning(_data(tokens_and_counts(world, shown, num)), self.temperature, fresh[seed]))
                _, found = descend(
                    _loss,
                    lambda model: (model.position, model.token),
                    stack(tasks),
                    start,
                    [self.learning_rate] * len(tasks),
                    (self.steps // 2, self.steps),
                    probe=_probe,
                    context=context,
                    stage=f"{num} sequences",
                )
                rows.append(found["first"])  # at the start, half way, and at the end
        first = np.concatenate(rows)
        columns = {"sequences": np.repeat(self.sequences, len(self.seeds)), "seed": np.tile(self.seeds, len(rows))}
        columns["ceiling"] = np.tile(best, len(rows))
        return core.RunOutput({**columns, "untrained": first[:, 0], "half way": first[:, 1], "first": first[:, -1]})


def _data(data: TokensAndCounts) -> TokensAndCounts:
    """Without EoS and the relation."""
    return TokensAndCounts(data.tokens[:, :-2], data.log_counts)


def _loss(model: EosScores, task: FineTuning, key: Key[Array, ""]) -> Float[Array, ""]:
    return jnp.mean(eos_nll(model, task.data.tokens, task.data.log_counts, task.temperature))


def _probe(model: EosScores, task: FineTuning, key: Key[Array, ""]) -> core.Metrics:
    return {"first": jnp.mean(eos_decoding(model, task.test.tokens, task.test.log_counts))}
