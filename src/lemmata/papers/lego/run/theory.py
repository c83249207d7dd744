"""Algorithms 1 and 2 on the theory model as runs: stage 1, then any number of plans for the attention, side by side."""

from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Config, Metrics, RunConfig, RunContext, RunOutput, named_keys, require
from lemmata.core.constraints import Count, Natural, Positive, Some
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import over_lengths, over_replicas, query_diagonals, value_accuracy
from lemmata.papers.lego.run.one_step import Descent
from lemmata.papers.lego.run.one_step_descent import Token
from lemmata.papers.lego.run.self_training import Stage, train_stages
from lemmata.papers.lego.run.stage_one import model_config, new_models, teach
from lemmata.papers.lego.task import Lego, LegoConfig, check_length

MEASURES = ("values", "both", "value_step", "epsilon", "epsilon_worst_step", "gap")


@dataclass(frozen=True, kw_only=True)
class Plan(Config):
    """Stages of attention training, from the model of stage 1 or from where an earlier plan ended."""

    name: str
    stages: Some[Stage]
    after: str | None = None
    untaught: bool = False  # start from the neurons' initial weights instead: such an annotator knows nothing


@dataclass(frozen=True, kw_only=True)
class StageOne(Config):
    """Full-batch descent of W_5 over all (action, value) pairs, and of W_4 over all variables."""

    rate: Positive = 10.0
    value_steps: Count = 10_000
    variable_steps: Natural = 3000  # 0: W_4 is not trained, and only true labels may be used

    def descents(self) -> dict[Token, Descent]:
        steps: dict[Token, int] = {"value": self.value_steps, "variable": self.variable_steps}
        return {token: Descent(steps=n, rate=self.rate, every=n) for token, n in steps.items() if n}


@dataclass(frozen=True, kw_only=True)
class TheoryRun(RunConfig):
    """The theory model on one action: every seed through stage 1 once, then through every plan."""

    kind = "lego/theory"
    version = 2

    action: str = "S5"
    variables: int = 41
    width: Count = 12
    scale: Positive | None = 0.02  # sigma_0; None is the paper's d^-1/2
    clip: Positive = 2.0  # C_B
    one_step: StageOne = field(default_factory=StageOne)
    plans: Some[Plan] = (Plan(name="T2", stages=(Stage(),)),)
    lengths: Some[int] = (5, 10, 20, 40)
    test_sentences: Count = 64
    watched_length: int | None = None  # accuracy and attention at this length at every record of a stage
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        self.model_config()
        watched = () if self.watched_length is None else (self.watched_length,)
        for length in (2, *self.lengths, *watched, *(stage.length for plan in self.plans for stage in plan.stages)):
            check_length(length, self.variables)
        names = [plan.name for plan in self.plans]
        require(len(set(names)) == len(names), "plans", names, "each with a name of its own")
        for number, plan in enumerate(self.plans):
            allowed = f"none, or a plan before it: {', '.join(names[:number]) or 'there is none'}"
            require(plan.after is None or plan.after in names[:number], f"plans.{plan.name}.after", plan.after, allowed)
        greedy = any(stage.labels == "greedy" for plan in self.plans for stage in plan.stages)
        allowed = "at least 1: an annotator writes variables too"
        require(not greedy or self.one_step.variable_steps > 0, "one_step.variable_steps", 0, allowed)

    def model_config(self) -> TheoryConfig:
        return model_config(self.action, self.variables, width=self.width, scale=self.scale, clip=self.clip)

    def execute(self, context: RunContext) -> RunOutput:
        task = Lego.create(LegoConfig(action=self.action, variables=self.variables, length=2))
        untaught = new_models(self.model_config(), self.seeds)
        taught, arrays = teach(untaught, task, self.seeds, self.one_step.descents(), context)
        test = named_keys(self.seeds, "test")

        def one(model: TheoryTransformer, key: Key[Array, ""]) -> Metrics:
            return over_lengths(model, task, self.lengths, key=key, num=self.test_sentences, variables=True)

        read = eqx.filter_jit(lambda models: over_replicas(one, models, test))
        rows = [self.rows("none", 0, 0, 0, read(taught))]
        ends: dict[str | None, tuple[TheoryTransformer, Any]] = {None: (taught, 0)}
        for plan in self.plans:
            start, passes = ends[plan.after]
            if plan.untaught:
                start = eqx.tree_at(lambda m: (m.variable, m.value), start, (untaught.variable, untaught.value))
            keys = named_keys(self.seeds, "attention", plan.name)
            after, histories = train_stages(
                start, task, keys, plan.stages, probe=self.probe, context=context, name=plan.name
            )
            for number, (stage, trained, history) in enumerate(zip(plan.stages, after, histories, strict=True), 1):
                passes = passes + stage.clause_passes() * history["steps_taken"][:, -1]
                rows.append(self.rows(plan.name, number, stage.length, passes, read(trained)))
                kept = {
                    **{name: values.astype(np.float64) for name, values in history.items()},
                    "annotator": np.array([number - 2 if stage.labels == "greedy" else -1]),  # a stage; -1: the truth
                    "labels_right_mean": history["labels_right"].mean(axis=1).astype(np.float64),
                    "ended_by_loss": history["stopped"][:, -1].astype(np.int64),
                    "every": np.array([stage.every]),
                }
                arrays |= {f"{plan.name}.{number}.{name}": values for name, values in kept.items()}
            ends[plan.name] = after[-1], passes
        return RunOutput({name: np.concatenate([row[name] for row in rows]) for name in rows[0]}, arrays)

    def probe(self, model: TheoryTransformer, task: Lego, key: Key[Array, ""]) -> Metrics:
        """What is recorded along a stage."""
        if self.watched_length is None:
            return query_diagonals(model)
        found = value_accuracy(model, task, key=key, length=self.watched_length, num=self.test_sentences)
        return {**query_diagonals(model), **{name: found[name] for name in ("values", "epsilon_worst_step", "gap")}}

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
