"""Algorithms 1 and 2 on the theory model as runs: stage 1, then any number of plans for the attention, side by side."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Config, Metrics, RunConfig, RunContext, RunOutput, named_keys, optimized_jit, require
from lemmata.core.constraints import Count, Natural, Positive, Some
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import over_lengths, over_replicas, query_diagonals
from lemmata.papers.lego.run.one_step_descent import Descent, Token
from lemmata.papers.lego.run.self_training import Stage, train_stages
from lemmata.papers.lego.run.stage_one import model_config, new_models, train_neurons
from lemmata.papers.lego.run.words import words_decided
from lemmata.papers.lego.task import Lego, LegoConfig, action, check_length

MEASURES = ("values", "value_probability", "both", "probability", "epsilon", "epsilon_worst_step", "gap")
BY_STEP = ("epsilon_steps", "gap_steps")


@dataclass(frozen=True, kw_only=True)
class Plan(Config):
    """Stages of attention training, from the model of stage 1 or from where an earlier plan ended."""

    name: str
    stages: Some[Stage]
    after: str | None = None


@dataclass(frozen=True, kw_only=True)
class StageOne(Config):
    """W_5 over all (action, value) pairs, and W_4 over all variables, along the gradient flow to its end."""

    stride: Positive = 0.4  # of a weight, in a step
    within: Positive = 1e-3  # of the floor that the clip leaves to the loss
    value_steps: Count = 24_000  # at most
    variable_steps: Natural = 24_000  # 0: W_4 is not trained, and only true labels may be used
    every: Count = 100
    batch: Count | None = None  # sentences a step; none for the exact gradient

    def cross_check(self) -> None:
        self.descents()

    def descents(self) -> dict[Token, Descent]:
        steps: dict[Token, int] = {"value": self.value_steps, "variable": self.variable_steps}
        flow = {
            "learning_rate": 1e15,
            "stride": self.stride,
            "every": self.every,
            "within": self.within,
            "batch": self.batch,
        }
        return {token: Descent(steps=n, **flow) for token, n in steps.items() if n}


@dataclass(frozen=True, kw_only=True)
class TheoryRun(RunConfig):
    """The theory model on one action: every seed through stage 1 once, then through every plan."""

    kind = "lego/theory"
    version = 3

    action: str = "S5"
    variables: int = 41
    width: Count = 12
    scale: Positive | None = 0.02  # sigma_0; None is the paper's d^-1/2
    clip: Positive = 2.0  # C_B
    reads: Literal["needed", "all"] = "needed"
    one_step: StageOne = field(default_factory=StageOne)
    plans: Some[Plan] = (Plan(name="T2", stages=(Stage(),)),)
    lengths: Some[int] = (5, 10, 20, 40)
    test_sentences: Count = 64
    words: Natural = 0  # to decide by chain of thought after stage 1 and after every plan; half of them the identity
    word_length: int = 20
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        self.model_config()
        for descent in self.one_step.descents().values():
            descent.require_exact(self.reads)
        trained = [stage.room or stage.length for plan in self.plans for stage in plan.stages]
        for length in (2, *self.lengths, *trained, *([self.word_length] if self.words else [])):
            check_length(length, self.variables)
        faithful = action(self.action).faithful or not self.words
        require(faithful, "action", self.action, "a faithful action: else a word cannot be read off its values")
        names = [plan.name for plan in self.plans]
        require(len(set(names)) == len(names), "plans", names, "each with a name of its own")
        for number, plan in enumerate(self.plans):
            allowed = f"none, or a plan before it: {', '.join(names[:number]) or 'there is none'}"
            require(plan.after is None or plan.after in names[:number], f"plans.{plan.name}.after", plan.after, allowed)
        greedy = any(stage.labels == "greedy" for plan in self.plans for stage in plan.stages)
        allowed = "at least 1: an annotator writes variables too"
        require(not greedy or self.one_step.variable_steps > 0, "one_step.variable_steps", 0, allowed)

    def model_config(self) -> TheoryConfig:
        settings = {"width": self.width, "scale": self.scale, "clip": self.clip, "reads": self.reads}
        return model_config(self.action, self.variables, **settings)

    def execute(self, context: RunContext) -> RunOutput:
        task = Lego.create(LegoConfig(action=self.action, variables=self.variables, length=2))
        initial = new_models(self.model_config(), self.seeds)
        after_stage_one, arrays = train_neurons(initial, task, self.seeds, self.one_step.descents(), context)
        test = named_keys(self.seeds, "test")

        def one(model: TheoryTransformer, key: Key[Array, ""]) -> Metrics:
            return over_lengths(model, task, self.lengths, key=key, num=self.test_sentences, variables=True)

        # Keys are given, not kept in the program: another replication has others.
        read = optimized_jit(lambda models, keys: over_replicas(one, models, keys))
        rows = [self.rows("none", 0, 0, 0, read(after_stage_one, test))]
        arrays |= self.words_of("none", after_stage_one)
        ends: dict[str | None, tuple[TheoryTransformer, Any]] = {None: (after_stage_one, 0)}
        for plan in self.plans:
            start, passes = ends[plan.after]
            keys = named_keys(self.seeds, "attention", plan.name)
            after, histories = train_stages(
                start, task, keys, plan.stages, probe=diagonals, context=context, name=plan.name
            )
            for number, (stage, trained, history) in enumerate(zip(plan.stages, after, histories, strict=True), 1):
                passes = passes + stage.clause_passes(self.variables) * history["steps_taken"][:, -1]
                found = read(trained, test)
                rows.append(self.rows(plan.name, number, stage.length, passes, found))
                kept = {
                    **{name: values.astype(np.float64) for name, values in history.items()},
                    **{name: np.asarray(found[name], np.float64) for name in BY_STEP},  # [seed, length, step]
                    "labels_right_mean": history["labels_right"].mean(axis=1).astype(np.float64),
                    "ended_by_loss": history["stopped"][:, -1].astype(np.int64),
                }
                arrays |= {f"{plan.name}.{number}.{name}": values for name, values in kept.items()}
            arrays |= self.words_of(plan.name, after[-1])
            ends[plan.name] = after[-1], passes
        return RunOutput({name: np.concatenate([row[name] for row in rows]) for name in rows[0]}, arrays)

    def words_of(self, plan: str, models: TheoryTransformer) -> dict[str, np.ndarray]:
        if not self.words:
            return {}
        acting = action(self.action)
        found = words_decided(models, acting, self.variables, self.words, self.word_length, self.seeds)
        return {f"{plan}.words_decided": found.astype(np.float64)}

    def rows(self, plan: str, stage: int, length: int, passes: Any, found: Any) -> dict[str, np.ndarray]:
        """Measures of shape (seed, length) as long columns; plan "none" is the model before any attention training."""
        shape = (len(self.seeds), len(self.lengths))
        return {
            "plan": np.full(shape, plan, dtype="<U32").ravel(),
            "stage": np.full(shape, stage).ravel(),
            "stage_length": np.full(shape, length).ravel(),
            "clause_passes": np.repeat(np.broadcast_to(np.asarray(passes, np.float64), shape[0]), shape[1]),
            "seed": np.repeat(self.seeds, shape[1]),
            "length": np.tile(self.lengths, shape[0]),
            **{name: np.asarray(found[name], np.float64).reshape(-1) for name in MEASURES},
        }


def diagonals(model: TheoryTransformer, task: Lego, key: Key[Array, ""]) -> Metrics:
    """What is recorded along a stage."""
    return query_diagonals(model)
