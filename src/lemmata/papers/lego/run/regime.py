"""Many settings of Algorithm 1 as a few compiled programs: cells differ in arrays, never in shape."""

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, named_key, named_keys, require
from lemmata.core.constraints import Count, Positive, Some
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import length_reached, over_lengths, query_diagonals
from lemmata.papers.lego.run.attention_descent import FRESH, AttentionDescent, Sentences
from lemmata.papers.lego.run.one_step import Descent
from lemmata.papers.lego.run.stage_one import model_config, teach
from lemmata.papers.lego.task import Lego, LegoConfig, check_length
from lemmata.train import fit_many, stack, unstack

KEPT = ("values", "epsilon_worst_step", "gap")  # by cell, record and length
LEVEL = 0.9  # a length is reached where all values are right in this share of sentences


class Setting(NamedTuple):
    """What the models of stage 1 differ in."""

    scale: float | None
    clip: float
    width: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class RegimeCells(RunConfig):
    """Algorithm 1 on one action over a grid of settings: initial scale, clip, width; rate and data of stage 2; steps
    are the records of one training. Every combination is a cell, none is dropped."""

    kind = "lego/regime-cells"

    action: str = "S5"
    variables: int = 41
    scales: Some[Positive | None] = (0.02,)  # sigma_0; None is d^-1/2
    clips: Some[Positive] = (2.0,)  # C_B
    widths: Some[Count] = (12,)  # m
    rates: Some[Positive] = (0.2,)  # of stage 2, times |X|
    sentences: Some[Sentences] = (FRESH,)  # of T^2 to draw from
    steps: Count = 800
    every: Count = 400
    batch: Count = 64
    one_step_rate: Positive = 10.0
    one_step_steps: Count = 10_000
    lengths: Some[int] = (2, 5, 10, 20, 40)
    test_sentences: Count = 64
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        for setting in self.settings():
            self.model_config(setting)
        for length in (2, *self.lengths):
            check_length(length, self.variables)
        require(list(self.lengths) == sorted(set(self.lengths)), "lengths", self.lengths, "increasing")
        require(self.steps % self.every == 0, "every", self.every, f"a divisor of steps = {self.steps}")

    def settings(self) -> list[Setting]:
        return [Setting(*s) for s in itertools.product(self.scales, self.clips, self.widths, self.seeds)]

    def model_config(self, setting: Setting) -> TheoryConfig:
        active = {"active": setting.width, "scale": setting.scale, "clip": setting.clip}
        return model_config(self.action, self.variables, width=max(self.widths), **active)

    @property
    def vocabulary_size(self) -> int:
        """d."""
        return self.model_config(self.settings()[0]).vocab

    def execute(self, context: RunContext) -> RunOutput:
        task = Lego.create(LegoConfig(action=self.action, variables=self.variables, length=2))
        settings = self.settings()
        models = [
            TheoryTransformer.create(self.model_config(setting), key=named_key(setting.seed, "init", "theory"))
            for setting in settings
        ]
        # W_4 is not needed, for the labels are true.
        descent = Descent(steps=self.one_step_steps, rate=self.one_step_rate, every=self.one_step_steps)
        seeds = [setting.seed for setting in settings]
        taught, arrays = teach(eqx.filter_jit(stack)(models), task, seeds, {"value": descent}, context)
        algorithm = AttentionDescent(length=2, answers=(1, 2), batch=self.batch)
        cells = list(itertools.product(range(len(settings)), self.rates, self.sentences))
        models, corpora = unstack(taught), [named_key(seed, "sentences") for seed in seeds]
        states = [
            algorithm.init(models[i], rate=rate, sentences=sentences, corpus=corpora[i]) for i, rate, sentences in cells
        ]

        def reach(model: TheoryTransformer, task: Lego, key: Key[Array, ""]) -> Metrics:
            found = over_lengths(model, task, self.lengths, key=named_key(0, "test"), num=self.test_sentences)
            return {**query_diagonals(model), **{name: found[name] for name in KEPT}}

        _, history = fit_many(
            algorithm,
            stack([task] * len(cells)),
            stack(states),
            named_keys([seeds[i] for i, *_ in cells], "attention"),
            steps=self.steps,
            every=self.every,
            probe=reach,
            replicas="auto",
            context=context,
            stage="cells",
        )
        by_setting = {
            "scale": [self.model_config(setting).sigma for setting in settings],
            "default_scale": [setting.scale is None for setting in settings],
            "clip": [setting.clip for setting in settings],
            "width": [setting.width for setting in settings],
            "seed": seeds,
            "one_step_accuracy": arrays["one_step.value.accuracy"],
            "one_step_loss": arrays["one_step.value.loss"],
        }
        table = history.table(
            names=("loss", "third_diagonal", "fourth_diagonal", "third_rest", "fourth_rest"),
            rate=[rate for _, rate, _ in cells],
            sentences=[sentences for *_, sentences in cells],
            **{name: np.repeat(values, len(cells) // len(settings)) for name, values in by_setting.items()},
        )
        columns = {name: values if name == "step" else values.astype(np.float64) for name, values in table.items()}
        kept = {name: history[name].astype(np.float64) for name in KEPT}  # [cell, record, length]
        columns["reached"] = length_reached(self.lengths, kept["values"], LEVEL).ravel()
        return RunOutput(columns, {**kept, **arrays})

    @staticmethod
    def smallest(action: str) -> "RegimeCells":
        """One cell that only shows that everything runs: the same at smoke scale wherever cells are asked for."""
        sizes = {"variables": 9, "widths": (4,), "lengths": (2,), "test_sentences": 8}
        return RegimeCells(action=action, steps=2, every=1, batch=8, one_step_steps=50, **sizes)
