"""Algorithm 2: recursive self-training by doubling, and its controls, on any number of models at once.

At stage k the model of stage k - 1 is frozen, writes answers 1 and 2 of sentences of length 2^k greedily, and Q
descends on the nll of the second of them.
"""

from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from lemmata.core import Config, Count, Positive, RunContext, Some, TrainState, named_fold, require, stored_as
from lemmata.papers.lego.model import TheoryTransformer
from lemmata.papers.lego.run.attention_descent import FRESH, AttentionDescent, Labels, Sentences
from lemmata.papers.lego.task import Lego
from lemmata.train import History, fit_many, stack, unstack
from lemmata.train.loop import ProbeFn


@dataclass(frozen=True, kw_only=True)
class Stage(Config):
    """One stage: sentences of a length, whose labels, which answers the loss asks for, and when it ends."""

    length: Count = 2
    room: Count | None = None  # longer sentences, cut to the length: stages with one room share a compiled program
    labels: Labels = "true"
    answers: Some[int] = (1, 2)
    steps: Count = 400  # the cap
    every: Count = 400
    learning_rate: Positive = field(default=0.2, metadata=stored_as("rate"))  # times |X|
    batch: Count = 4  # times |X|: it grows with |X|, and the noise must not
    sentences: Sentences = FRESH
    error_degree: Positive | None = None  # E1: a batch's loss under d^-E1 ends the stage; none for the cap alone

    def cross_check(self) -> None:
        self.algorithm(variables=1)
        require(self.steps % self.every == 0, "every", self.every, f"a divisor of {self.steps}")
        reached = max(self.answers) <= self.length <= (self.room or self.length)
        allowed = f"{max(self.answers)} to {self.room or 'any'}: up to the answers asked for, within its room"
        require(reached, "length", self.length, allowed)

    def algorithm(self, variables: int) -> AttentionDescent:
        labels = self.labels if self.room is None else "greedy"
        return AttentionDescent(
            length=self.room or self.length, answers=self.answers, batch=self.batch * variables, labels=labels
        )

    def begin(self, model: TheoryTransformer, variables: int, corpus: Key[Array, ""]) -> TrainState:
        settings = {
            "learning_rate": self.learning_rate,
            "stop_below": self.stop_below(model.vocab),
            "sentences": self.sentences,
        }
        return self.algorithm(variables).init(model, **settings, corpus=corpus, cut=self.length, labels=self.labels)

    def stop_below(self, vocab: int) -> float:
        return 0.0 if self.error_degree is None else vocab**-self.error_degree

    def clause_passes(self, variables: int) -> int:
        """Clauses read forward by one step, a gradient counted as three: the unit of `lego/self-train-cost`."""
        read = 3 * sum(self.length + answer for answer in self.answers)
        labelling = sum(self.length + answer for answer in range(1, max(self.answers) + 1))
        return self.batch * variables * (read + (labelling if self.labels == "greedy" else 0))


def train_stages(
    models: TheoryTransformer,
    task: Lego,
    keys: Key[Array, " replica"],
    stages: tuple[Stage, ...],
    *,
    probe: ProbeFn | None = None,
    context: RunContext | None = None,
    name: str = "attention",
) -> tuple[list[TheoryTransformer], list[History]]:
    """Run the stages in turn on models stacked along a leading axis: the models after each, and what was recorded."""
    after, histories = [], []
    for number, stage in enumerate(stages):
        algorithm = stage.algorithm(task.config.variables)
        stage_keys = [jax.random.fold_in(key, number) for key in keys]
        starts = [
            stage.begin(model, task.config.variables, named_fold(key, "corpus"))
            for model, key in zip(unstack(models), stage_keys, strict=True)
        ]
        state, history = fit_many(
            algorithm,
            stack([task] * len(keys)),
            stack(starts),
            jnp.stack(stage_keys),
            steps=stage.steps,
            every=stage.every,
            probe=probe,
            replicas="auto",
            context=context,
            stage=f"{name}-{number}",
        )
        models = state.model
        after.append(models)
        histories.append(history)
    return after, histories
