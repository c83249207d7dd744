"""All of W^KQ trained on the exact memory, by Adam or by gradient descent, at several widths of the embeddings."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall.model import MemoryTransformer, full_key_query
from lemmata.papers.ic_recall.run.adam_fine_tuning import loss_from_counts, probe_from_counts, tokens_and_counts
from lemmata.papers.ic_recall.run.adam_or_descent import RULES, adam_or_descent
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning
from lemmata.papers.ic_recall.run.train_all import train_all
from lemmata.papers.ic_recall.task import RandomBijections, check_pairs
from lemmata.papers.ic_recall.task.best_accuracy import best_accuracy
from lemmata.train import Autodiff, Descent, only

EIGHT = RandomBijections(n=8, relations=8)


@dataclass(frozen=True, kw_only=True)
class WhichBlockLearns(core.RunConfig):
    """Test accuracy of both decoding steps for each width, number of sequences and seed."""

    kind = "ic-recall/which-block-learns"

    world: RandomBijections = EIGHT
    k: int = 2
    temperature: core.Positive = 0.05
    rule: Literal["adam", "gradient descent"] = "adam"
    learning_rate: core.Positive = field(default=1e-3, metadata=core.stored_as("rate"))
    widths: core.Some[core.Count] = (1, 3)  # of the embeddings, in units of the number of tokens
    sequences: core.Some[core.Count] = (4, 32, 128)
    seeds: core.Some[int] = (0,)
    steps: core.Count = 500
    test_sequences: core.Count = 500

    def cross_check(self) -> None:
        check_pairs(self.k, self.world.n)
        widest = max(self.widths) * self._tokens
        core.require(
            widest <= 4096, "widths", max(self.widths), f"one that gives at most 4096 dimensions, not {widest}"
        )
        largest = max(self.sequences)
        for num in self.sequences:  # sets are repeated to the largest, so that one program trains them all
            core.require(largest % num == 0, "sequences", num, f"a divisor of the largest number, {largest}")

    @property
    def _tokens(self) -> int:
        return 2 * self.world.n + self.world.relations + 1

    def execute(self, context: core.RunContext) -> core.RunOutput:
        with core.precision("float32"):
            tables = [self._one_width(width, context) for width in self.widths]
        return core.RunOutput({name: np.concatenate([table[name] for table in tables]) for name in tables[0]})

    def _one_width(self, width: int, context: core.RunContext) -> dict[str, np.ndarray]:
        cells = [(num, seed) for num in self.sequences for seed in self.seeds]
        numbers, seeds = zip(*cells, strict=True)
        problems, models, ceilings = [], [], []
        for num, seed in cells:
            world = self.world.draw(seed)
            train = world.sequences(num, self.k, seed=seed, name=f"train {num}")
            test = world.sequences(self.test_sequences, self.k, seed=seed, name="test")
            data = (
                tokens_and_counts(world, train, max(self.sequences)),
                tokens_and_counts(world, test, self.test_sequences),
            )
            problems.append(FineTuning(data[0], self.temperature, data[1]))
            key = core.named_key(seed, "embeddings")
            models.append(MemoryTransformer.constructed(world.table, self.k, key, width * self._tokens))
            ceilings.append(best_accuracy(world, test))
        algorithm = Descent(
            Autodiff(loss_from_counts), only(full_key_query), adam_or_descent, RULES[self.rule](self.learning_rate)
        )
        how = {"steps": self.steps, "every": self.steps, "probe": probe_from_counts, "context": context}
        _, found = train_all(algorithm, problems, models, seeds, f"width {width}", **how)
        return {
            "width": np.full(len(cells), width),
            "sequences": np.array(numbers),
            "seed": np.array(seeds),
            "first": found["first_argmax"][:, -1] / np.array(ceilings),  # in units of the best possible
            "second": found["second_argmax"][:, -1],
        }
