"""Algorithm 2 without noise, as a run: T^2 by the loss of its second answer, then lengths 4, 8, ... on greedy labels.

Contexts of a longer chain cannot be enumerated: a fixed set of them is drawn by the seed, even in the first action.
Beside it goes the arm `alone`, which stays with T^2 for as many clauses read: a step of descent reads as many as its
sentences have, a gradient counted as three passes, and the annotator's two passes are paid for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from lemmata.core import RunConfig, RunContext, RunOutput, Several, named_key, precision, require, to_jax
from lemmata.core.constraints import Count, Positive, Some
from lemmata.papers.lego.model import TheoryConfig
from lemmata.papers.lego.model.fast.four_scores import SCORES, attention
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons
from lemmata.papers.lego.probe.fast.long_chains import draw_chains
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor, learn_one_step
from lemmata.papers.lego.run.fast.population_labels import greedy_labels, writes_variables
from lemmata.papers.lego.run.fast.population_loss import contexts, population
from lemmata.papers.lego.run.population import MEASURED, read_scores, start_flow
from lemmata.papers.lego.run.stage_one import model_config, variables_in
from lemmata.papers.lego.task import action, check_length

ARMS = ("self", "alone")
Stage = tuple[dict[str, Any], dict[str, np.ndarray]]  # a record, and what it reads at the lengths


@dataclass(frozen=True, kw_only=True)
class PopulationDoubling(RunConfig):
    """A stage ends where its loss is under (1 + `excess`) of the floor, or its time is over; which is recorded.

    Algorithm 2 ends it under d^-E1. With a clip the loss has a floor, so the end is put relative to it.
    """

    kind = "lego/population-doubling"
    version = 2

    action: str = "S5"
    vocabulary: Count = 167  # d
    width: Count = 12
    scale: Positive | None = 0.02  # sigma_0; None is d^-1/2
    clip: Positive = 3.0
    power: Several = 4
    stages: Count = 4  # the last stage's sentences have 2^stages predicates
    excess: Positive = 0.002
    time: Positive = 1e9  # of the flow, at most, a stage
    stride: Positive = 0.1
    evaluations: Count = 5000
    contexts: Count = 480  # from length 4 on
    one_step: ToTheFloor = field(default_factory=ToTheFloor)
    lengths: Some[int] = (2, 4, 8, 16, 32, 40)
    test_sentences: Count = 64
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        self.model_config()
        require(list(self.lengths) == sorted(set(self.lengths)), "lengths", self.lengths, "increasing")
        require(self.stages <= 20, "stages", self.stages, "at most 20")
        for length in (*self.lengths, 2**self.stages):
            check_length(length, self.variables)

    @property
    def variables(self) -> int:
        return variables_in(self.action, self.vocabulary)

    def model_config(self) -> TheoryConfig:
        given = {"width": self.width, "scale": self.scale, "clip": self.clip, "power": self.power}
        return model_config(self.action, self.variables, **given)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            found = []
            for number, seed in enumerate(self.seeds):
                found += self.both_arms(seed)
                context.progress("seeds", number + 1, len(self.seeds))
        records, read = [record for record, _ in found], [by_length for _, by_length in found]
        shape = (len(self.seeds), len(ARMS), self.stages, len(self.lengths))
        arrays = {name: np.stack([one[name] for one in read]).reshape(shape) for name in MEASURED}
        return RunOutput({name: np.array([record[name] for record in records]) for name in records[0]}, arrays)

    def both_arms(self, seed: int) -> list[Stage]:
        """Every stage of one seed: self-training's, then those of T^2 alone after as many clauses."""
        table = action(self.action).table
        fresh = ValueNeurons.create(self.model_config(), key=named_key(seed, "init", "population"))
        neurons, end = learn_one_step(fresh, to_jax(table), self.one_step)
        chains = draw_chains(to_jax(table), self.test_sentences, max(self.lengths), key=named_key(0, "test"))
        about = {"seed": seed, "one_step_excess": float(end.excess)}

        def reading(record: dict[str, Any], scores: Float[np.ndarray, "4"]) -> Stage:
            every_step = population(table, "second")
            single, by_length = read_scores(neurons, table, scores, every_step, chains, self.lengths)
            return about | record | {name: single[name] for name in ("floor", "ceiling", *SCORES)}, by_length

        doubled = list(self.doubled(neurons, seed))
        flow = start_flow(neurons, table, population(table, "second"), np.zeros(4), self.variables, self.stride)
        alone = []
        for record, _ in doubled:
            flow.advance(record["clauses"] / clauses_a_step(2, labelled=False), evaluations=self.evaluations)
            ended = {"labels_right": 1.0, "time": flow.time, "stage_loss": flow.loss, "ended_by_loss": True}
            alone.append((record | ended | self.attention(flow.scores, flow.scores, record["length"]), flow.scores))
        arms = zip(ARMS, (doubled, alone), strict=True)
        return [reading({"arm": arm} | record, scores) for arm, stages in arms for record, scores in stages]

    def doubled(self, neurons: ValueNeurons, seed: int) -> Iterator[tuple[dict[str, Any], Float[np.ndarray, "4"]]]:
        """Each stage and the scores at its end."""
        table, scores, clauses = action(self.action).table, np.zeros(4), 0.0
        goal = (1 + self.excess) * float(neurons.floor)
        for stage in range(1, self.stages + 1):
            length, drawn, labels, share = 2**stage, None, None, 1.0
            if stage > 1:
                drawn = self.contexts
                if not writes_variables(to_jax(scores)):
                    yield self.unlabelled(stage, clauses, scores), scores
                    continue
                around = contexts(table, length=length, step=2, drawn=drawn, seed=seed)
                labels, share = greedy_labels(neurons, to_jax(table), to_jax(scores), around)
            every_step = population(table, "second", length=length, drawn=drawn, seed=seed)
            flow = start_flow(neurons, table, every_step, scores, self.variables, self.stride, labels)
            flow.advance(self.time, evaluations=self.evaluations, stop_below=goal)
            clauses += flow.time * clauses_a_step(length, labelled=stage > 1)
            record = {"stage": stage, "length": length, "labels_right": share, "time": flow.time, "clauses": clauses}
            record |= {"stage_loss": flow.loss, "ended_by_loss": flow.loss < goal}
            yield record | self.attention(scores, flow.scores, length), flow.scores
            scores = flow.scores

    def unlabelled(self, stage: int, clauses: float, scores: Float[np.ndarray, "4"]) -> dict[str, Any]:
        """A stage whose annotator writes no sentence right: nothing is trained on them."""
        record = {"stage": stage, "length": 2**stage, "labels_right": 0.0, "time": 0.0, "clauses": clauses}
        record |= {"stage_loss": float("inf"), "ended_by_loss": False}
        return record | self.attention(scores, scores, 2**stage)

    def attention(self, before: Float[np.ndarray, "4"], after: Float[np.ndarray, "4"], length: int) -> dict[str, float]:
        """Before a stage and after it, at step 2 of its length, where the loss asks, and at the last step, the worst;
        and before it at step 2 of twice its length."""
        first, then = to_jax(before), to_jax(after)
        looks = {"before": attention(first, length, 2.0), "beyond": attention(first, 2 * length, 2.0)}
        looks |= {"after": attention(then, length, 2.0)}
        looks |= {"worst_before": attention(first, length, float(length))}
        looks |= {"worst": attention(then, length, float(length))}
        measures = {f"epsilon_{when}": float(seen.epsilon) for when, seen in looks.items()}
        return measures | {f"gap_{when}": float(seen.gap) for when, seen in looks.items()}


def clauses_a_step(length: int, *, labelled: bool) -> float:
    """Clauses read by one sentence of a step: as `run/self_training.py` counts them, for the loss of answer 2."""
    return 3 * (length + 2) + (2 * length + 3 if labelled else 0)
