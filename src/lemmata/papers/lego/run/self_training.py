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

from lemmata.core import RunContext, named_fold, require
from lemmata.papers.lego.run.attention_descent import FRESH, AttentionDescent, Labels
from lemmata.train.loop import ProbeFn, fit_many, stack


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One stage: sentences of a length, whose labels, which answers the loss asks for, and when it ends."""

    length: int = 2
    labels: Labels = "true"
    answers: tuple[int, ...] = (1, 2)
    steps: int = 400  # the cap
    every: int = 400
    rate: float = 0.2  # times |X|
    batch: int = 64
    sentences: int = FRESH
    error_degree: float | None = None  # E1: a batch's loss under d^-E1 ends the stage; none for the cap alone

    def __post_init__(self) -> None:
        self.algorithm()
        require(self.steps >= 1, "steps", self.steps, "at least 1")
        require(self.every >= 1 and self.steps % self.every == 0, "every", self.every, f"a divisor of {self.steps}")
        require(self.rate > 0, "rate", self.rate, "positive")
        require(1 <= self.sentences <= FRESH, "sentences", self.sentences, f"1 to {FRESH} (never the same twice)")
        require(self.error_degree is None or self.error_degree > 0, "error_degree", self.error_degree, "positive")

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
    metrics: dict[str, np.ndarray]  # (replica, record)

    @property
    def labels_right(self) -> np.ndarray:
        """The share of sentences whose labels were all right, over the stage's recorded batches."""
        return self.metrics["labels_right"].mean(axis=1)

    @property
    def steps_taken(self) -> np.ndarray:
        return self.metrics["steps_taken"][:, -1]

    @property
    def ended_by_loss(self) -> np.ndarray:
        return self.metrics["stopped"][:, -1].astype(bool)


def train_stages(
    models: Any,
    tasks: Any,
    keys: Key[Array, " replica"],
    stages: tuple[Stage, ...],
    *,
    probe: ProbeFn | None = None,
    replicas: Any = "map",
    context: RunContext | None = None,
    name: str = "attention",
) -> tuple[list[Any], list[StageRecord]]:
    """Run the stages in turn on models stacked along a leading axis; return the models after each, and the records."""
    after, records = [], []
    count = len(keys)
    for number, stage in enumerate(stages):
        algorithm = stage.algorithm()
        own = [jax.tree.map(lambda leaf, i=i: leaf[i], models) for i in range(count)]
        of_stage = [jax.random.fold_in(key, number) for key in keys]
        corpora = [named_fold(key, "corpus") for key in of_stage]
        state = stack(
            [
                algorithm.init(
                    model,
                    rate=stage.rate,
                    stop_below=stage.stop_below(model.vocab),
                    sentences=stage.sentences,
                    corpus=corpus,
                )
                for model, corpus in zip(own, corpora, strict=True)
            ]
        )
        state, metrics = fit_many(
            algorithm,
            tasks,
            state,
            jnp.stack(of_stage),
            steps=stage.steps,
            every=stage.every,
            probe=probe,
            replicas=replicas,
            context=context,
            stage=f"{name}-{number}",
        )
        models = state.model
        after.append(models)
        records.append(StageRecord(stage, number - 1 if stage.labels == "greedy" else None, metrics))
    return after, records


def doubling(first: Stage, stages: int, **changes: Any) -> tuple[Stage, ...]:
    """Algorithm 2: the first stage, then lengths 4, 8, ... with the two-step loss on greedy labels."""
    require(stages >= 1, "stages", stages, "at least 1")
    settings = {"labels": "greedy", "answers": (2,), "steps": first.steps, "every": first.every, **changes}
    shared = {"rate": first.rate, "batch": first.batch, "sentences": first.sentences, "error_degree": None}
    later = tuple(Stage(length=2**k, **(shared | settings)) for k in range(2, stages + 1))
    return (first, *later)
