"""Algorithm 2 without noise, as a run: T^2 by the loss of its second answer, then lengths 4, 8, ... on greedy labels.

Contexts of a longer chain cannot be enumerated: a fixed set of them is drawn by the seed, even in the first action.
"""

from dataclasses import dataclass, field
from typing import Any

import jax.numpy as jnp
import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, Several, named_key, precision, require
from lemmata.core.constraints import Count, Positive, Some
from lemmata.papers.lego.model import TheoryConfig
from lemmata.papers.lego.model.four_scores import SCORES, attention
from lemmata.papers.lego.model.value_neurons import ValueNeurons
from lemmata.papers.lego.probe.long_chains import draw_chains
from lemmata.papers.lego.run.one_step_flow import ToTheFloor, learn_one_step
from lemmata.papers.lego.run.population import MEASURED, read_scores, start_flow
from lemmata.papers.lego.run.population_labels import greedy_labels
from lemmata.papers.lego.run.population_loss import contexts, population
from lemmata.papers.lego.run.stage_one import model_config
from lemmata.papers.lego.task import action, check_length


@dataclass(frozen=True, kw_only=True)
class PopulationDoubling(RunConfig):
    """A stage ends where its loss is under (1 + `excess`) of the floor, or its time is over; which is recorded.

    Algorithm 2 ends it under d^-E1. With a clip the loss has a floor, so the end is put relative to it.
    """

    kind = "lego/population-doubling"

    action: str = "S5"
    vocabulary: Count = 167  # d
    width: Count = 12
    scale: Positive | None = 0.02  # sigma_0; None is d^-1/2
    clip: Positive = 3.0
    power: Several = 4
    stages: Count = 4  # the last stage's sentences have 2^stages predicates
    excess: Positive = 0.1
    time: Positive = 1e6  # of the flow, at most, a stage
    stride: Positive = 0.1
    evaluations: Count = 5000
    contexts: Count = 480  # from length 4 on
    one_step: ToTheFloor = field(default_factory=ToTheFloor)
    lengths: Some[int] = (2, 4, 8, 16, 32, 40)
    test_sentences: Count = 64
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        acting = action(self.action)
        least = acting.num_actions + acting.num_values + 1 + 3
        require(self.vocabulary >= least, "vocabulary", self.vocabulary, f"at least {least}: three variables")
        self.model_config()
        require(list(self.lengths) == sorted(set(self.lengths)), "lengths", self.lengths, "increasing")
        require(self.stages <= 20, "stages", self.stages, "at most 20")
        for length in (*self.lengths, 2**self.stages):
            check_length(length, self.variables)

    @property
    def variables(self) -> int:
        acting = action(self.action)
        return self.vocabulary - acting.num_actions - acting.num_values - 1

    def model_config(self) -> TheoryConfig:
        given = {"width": self.width, "scale": self.scale, "clip": self.clip, "power": self.power}
        return model_config(self.action, self.variables, **given)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            found = []
            for number, seed in enumerate(self.seeds):
                found += self.doubled(seed)
                context.progress("seeds", number + 1, len(self.seeds))
        rows, read = [row for row, _ in found], [by_length for _, by_length in found]
        shape = (len(self.seeds), self.stages, len(self.lengths))
        arrays = {name: np.stack([one[name] for one in read]).reshape(shape) for name in MEASURED}
        return RunOutput({name: np.array([row[name] for row in rows]) for name in rows[0]}, arrays)

    def doubled(self, seed: int) -> list[tuple[dict[str, Any], dict[str, np.ndarray]]]:
        """Every stage of one seed: a row, and what it reads at the lengths."""
        table = action(self.action).table
        fresh = ValueNeurons.create(self.model_config(), key=named_key(seed, "init", "population"))
        neurons, taught = learn_one_step(fresh, jnp.asarray(table), self.one_step)
        chains = draw_chains(jnp.asarray(table), self.test_sentences, max(self.lengths), key=named_key(0, "test"))
        scores, found = np.zeros(4), []
        for stage in range(1, self.stages + 1):
            length, drawn = 2**stage, None if stage == 1 else self.contexts
            labels, share = None, 1.0
            if stage > 1:
                around = contexts(table, length=length, step=2, drawn=drawn, seed=seed)
                labels, share = greedy_labels(neurons, jnp.asarray(table), jnp.asarray(scores), around)
            asked = population(table, "second", length=length, drawn=drawn, seed=seed)
            before = float(attention(jnp.asarray(scores), length, 2.0).epsilon)
            flow = start_flow(neurons, table, asked, scores, self.variables, self.stride, labels)
            goal = (1 + self.excess) * float(neurons.floor)
            flow.advance(self.time, evaluations=self.evaluations, stop_below=goal)
            scores = flow.scores
            after = attention(jnp.asarray(scores), length, 2.0)
            single, by_length = read_scores(neurons, table, scores, population(table, "second"), chains, self.lengths)
            row = {"seed": seed, "stage": stage, "length": length, "labels_right": share, "time": flow.time}
            row |= {"epsilon_before": before, "epsilon": float(after.epsilon), "gap": float(after.gap)}
            row |= {"stage_loss": flow.loss, "ended_by_loss": flow.loss < goal, "one_step_excess": float(taught.excess)}
            found.append((row | {name: single[name] for name in ("floor", "ceiling", *SCORES)}, by_length))
        return found
