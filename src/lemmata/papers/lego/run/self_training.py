"""Algorithm 2: recursive self-training by doubling, and its controls, on any number of models at once.

At stage k the model of stage k - 1 is frozen, writes answers 1 and 2 of sentences of length 2^k greedily, and Q
descends on the surprise at the second of them. Who labelled what, how many labels were right, and whether the loss or
the cap ended a stage, is kept.
"""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Config, Count, Positive, RunContext, Some, named_fold, require
from lemmata.papers.lego.model import TheoryTransformer
from lemmata.papers.lego.run.attention_descent import FRESH, AttentionDescent, Labels, Sentences
from lemmata.papers.lego.task import Lego
from lemmata.train import History, fit_many, stack, unstack
from lemmata.train.loop import ProbeFn


@dataclass(frozen=True, kw_only=True)
class Stage(Config):
    """One stage: sentences of a length, whose labels, which answers the loss asks for, and when it ends."""

    length: Count = 2
    labels: Labels = "true"
    answers: Some[int] = (1, 2)
    steps: Count = 400  # the cap
    every: Count = 400
    rate: Positive = 0.2  # times |X|
    batch: Count = 64
    sentences: Sentences = FRESH
    error_degree: Positive | None = None  # E1: a batch's loss under d^-E1 ends the stage; none for the cap alone

    def cross_check(self) -> None:
        self.algorithm()
        require(self.steps % self.every == 0, "every", self.every, f"a divisor of {self.steps}")

    def algorithm(self) -> AttentionDescent:
        return AttentionDescent(length=self.length, answers=self.answers, batch=self.batch, labels=self.labels)

    def stop_below(self, vocab: int) -> float:
        return 0.0 if self.error_degree is None else vocab**-self.error_degree

    def clause_passes(self) -> int:
        """Of one step."""
        return self.algorithm().clause_passes()


@dataclass(frozen=True)
class StageRecord:
    """How a stage went, by replica: who labelled, how well, what ended it."""

    stage: Stage
    annotator: int | None  # the number of the stage whose model wrote the labels; none for the truth
    history: History

    @property
    def labels_right(self) -> np.ndarray:
        """The share of sentences whose labels were all right, over the stage's recorded batches."""
        return self.history["labels_right"].mean(axis=1)

    @property
    def steps_taken(self) -> np.ndarray:
        return self.history["steps_taken"][:, -1]

    @property
    def ended_by_loss(self) -> np.ndarray:
        return self.history["stopped"][:, -1].astype(bool)


def train_stages(
    models: TheoryTransformer,
    task: Lego,
    keys: Key[Array, " replica"],
    stages: tuple[Stage, ...],
    *,
    probe: ProbeFn | None = None,
    context: RunContext | None = None,
    name: str = "attention",
) -> tuple[list[TheoryTransformer], list[StageRecord]]:
    """Run the stages in turn on models stacked along a leading axis; return the models after each, and the records."""
    after, records = [], []
    for number, stage in enumerate(stages):
        algorithm = stage.algorithm()
        stage_keys = [jax.random.fold_in(key, number) for key in keys]
        starts = [
            algorithm.init(
                model,
                rate=stage.rate,
                stop_below=stage.stop_below(model.vocab),
                sentences=stage.sentences,
                corpus=named_fold(key, "corpus"),
            )
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
        records.append(StageRecord(stage, number - 1 if stage.labels == "greedy" else None, history))
    return after, records


def doubling(first: Stage, stages: int, **changes: Any) -> tuple[Stage, ...]:
    """Algorithm 2: the first stage, then lengths 4, 8, ... with the two-step loss on greedy labels."""
    settings = {"labels": "greedy", "answers": (2,), "steps": first.steps, "every": first.every, **changes}
    shared = {"rate": first.rate, "batch": first.batch, "sentences": first.sentences, "error_degree": None}
    return (first, *(Stage(length=2**k, **(shared | settings)) for k in range(2, stages + 1)))
