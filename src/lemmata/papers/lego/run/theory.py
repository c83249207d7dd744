"""Algorithms 1 and 2 on the theory model as runs: stage 1, then any number of plans for the attention, side by side."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, named_key, require
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import over_lengths, over_replicas, query_diagonals, value_accuracy
from lemmata.papers.lego.run.one_step import Descent
from lemmata.papers.lego.run.one_step_descent import Token
from lemmata.papers.lego.run.self_training import Stage, StageRecord, train_stages
from lemmata.papers.lego.task import Lego, LegoConfig, action, check_length
from lemmata.train import fit_many, stack

MEASURES = ("values", "both", "value_step", "epsilon", "epsilon_worst_step", "gap")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Stages of attention training, from the model of stage 1 or from where an earlier plan ended."""

    name: str
    stages: tuple[Stage, ...]
    after: str | None = None
    untaught: bool = False  # start from the neurons' initial weights instead: such an annotator knows nothing


@dataclass(frozen=True, kw_only=True)
class StageOne:
    """Full-batch descent of W_5 over all (action, value) pairs, and of W_4 over all variables."""

    rate: float = 10.0
    value_steps: int = 10_000
    variable_steps: int = 3000  # 0: W_4 is not trained, and only true labels may be used

    def __post_init__(self) -> None:
        require(self.rate > 0, "rate", self.rate, "positive")
        require(self.value_steps >= 1, "value_steps", self.value_steps, "at least 1")
        require(self.variable_steps >= 0, "variable_steps", self.variable_steps, "not negative")

    def descents(self) -> dict[Token, Descent]:
        steps: dict[Token, int] = {"value": self.value_steps, "variable": self.variable_steps}
        return {token: Descent(steps=n, rate=self.rate, every=n) for token, n in steps.items() if n}


@dataclass(frozen=True, kw_only=True)
class TheoryRun(RunConfig):
    """The theory model on one action: every seed through stage 1 once, then through every plan."""

    kind: ClassVar[str] = "lego/theory"
    version: ClassVar[int] = 2

    action: str = "S5"
    variables: int = 41
    width: int = 12
    scale: float | None = 0.02  # sigma_0; None is the paper's d^-1/2
    clip: float = 2.0  # C_B
    one_step: StageOne = field(default_factory=StageOne)
    plans: tuple[Plan, ...] = (Plan(name="T2", stages=(Stage(),)),)
    lengths: tuple[int, ...] = (5, 10, 20, 40)
    test_sentences: int = 64
    watched_length: int | None = None  # accuracy and attention at this length at every record of a stage
    seeds: tuple[int, ...] = (0, 1, 2)

    def __post_init__(self) -> None:
        self.model_config()
        require(len(self.lengths) >= 1, "lengths", self.lengths, "at least one")
        watched = () if self.watched_length is None else (self.watched_length,)
        for length in (*self.lengths, *watched, *(stage.length for plan in self.plans for stage in plan.stages)):
            check_length(length, self.variables)
        names = [plan.name for plan in self.plans]
        require(len(set(names)) == len(names) >= 1, "plans", names, "at least one, each with a name of its own")
        for number, plan in enumerate(self.plans):
            allowed = f"none, or a plan before it: {', '.join(names[:number]) or 'there is none'}"
            require(len(plan.stages) >= 1, f"plans.{plan.name}.stages", plan.stages, "at least one")
            require(plan.after is None or plan.after in names[:number], f"plans.{plan.name}.after", plan.after, allowed)
        greedy = any(stage.labels == "greedy" for plan in self.plans for stage in plan.stages)
        allowed = "at least 1: an annotator writes variables too"
        require(not greedy or self.one_step.variable_steps > 0, "one_step.variable_steps", 0, allowed)
        require(self.test_sentences >= 1, "test_sentences", self.test_sentences, "at least 1")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")

    def task_config(self) -> LegoConfig:
        return LegoConfig(action=self.action, variables=self.variables, length=2)

    def model_config(self) -> TheoryConfig:
        actions, values = action(self.action).table.shape
        sizes = {"variables": self.variables, "actions": actions, "values": values}
        return TheoryConfig(**sizes, width=self.width, scale=self.scale, clip=self.clip)

    def execute(self, context: RunContext) -> RunOutput:
        task = Lego.create(self.task_config())
        config = self.model_config()
        create = eqx.filter_jit(lambda key: TheoryTransformer.create(config, key=key))
        untaught = stack([create(named_key(seed, "init", "theory")) for seed in self.seeds])
        tasks = stack([task] * len(self.seeds))
        together = "map" if jax.default_backend() == "cpu" else "vmap"
        models, arrays = one_step_stage(untaught, tasks, self.seeds, self.one_step.descents(), context, together)

        test = jnp.stack([named_key(seed, "test") for seed in self.seeds])

        @eqx.filter_jit
        def read(models: Any) -> Metrics:
            return over_replicas(
                lambda model, key: over_lengths(
                    model, task, self.lengths, key=key, num=self.test_sentences, variables=True
                ),
                models,
                test,
            )

        def probe(model: TheoryTransformer, task: Lego, key: Key[Array, ""]) -> Metrics:
            if self.watched_length is None:
                return query_diagonals(model)
            found = value_accuracy(model, task, key=key, length=self.watched_length, num=self.test_sentences)
            return {**query_diagonals(model), **{name: found[name] for name in ("values", "epsilon_worst_step", "gap")}}

        rows = [self.rows("none", 0, 0, 0, read(models))]
        ends: dict[str | None, tuple[Any, Any]] = {None: (models, 0)}
        for plan in self.plans:
            keys = jnp.stack([named_key(seed, "attention", plan.name) for seed in self.seeds])
            start, passes = ends[plan.after]
            if plan.untaught:
                start = eqx.tree_at(lambda m: (m.variable, m.value), start, (untaught.variable, untaught.value))
            after, records = train_stages(
                start, tasks, keys, plan.stages, probe=probe, replicas=together, context=context, name=plan.name
            )
            for number, (trained, record) in enumerate(zip(after, records, strict=True), start=1):
                passes = passes + record.stage.clause_passes() * record.steps_taken
                rows.append(self.rows(plan.name, number, record.stage.length, passes, read(trained)))
                arrays |= provenance(f"{plan.name}.{number}", record)
            ends[plan.name] = after[-1], passes
        return RunOutput({name: np.concatenate([row[name] for row in rows]) for name in rows[0]}, arrays)

    def rows(self, plan: str, stage: int, length: int, passes: Any, found: Any) -> dict[str, np.ndarray]:
        """Measures of shape (seed, length) as long columns; plan "none" is the model before any attention training."""
        size, lengths = len(self.seeds), len(self.lengths)
        count = size * lengths
        return {
            "plan": np.full(count, plan, dtype="<U32"),
            "stage": np.full(count, stage),
            "stage_length": np.full(count, length),
            "clause_passes": np.repeat(np.broadcast_to(np.asarray(passes, np.float64), size), lengths),
            "seed": np.repeat(np.array(self.seeds), lengths),
            "length": np.tile(np.array(self.lengths), size),
            **{name: np.asarray(found[name], np.float64).reshape(-1) for name in MEASURES},
        }


def one_step_stage(
    models: Any,
    tasks: Any,
    seeds: tuple[int, ...],
    descents: dict[Token, Descent],
    context: RunContext,
    replicas: Literal["map", "vmap"] = "map",
) -> tuple[Any, dict[str, np.ndarray]]:
    """Stage 1 of either algorithm; accuracy and loss of each token over all inputs are returned, never assumed."""
    arrays = {}
    keys = jnp.stack([named_key(seed, "one-step") for seed in seeds])
    for token, descent in descents.items():
        algorithm = descent.algorithm(token, None)
        own = [jax.tree.map(lambda leaf, i=i: leaf[i], models) for i in range(len(seeds))]
        state = stack([algorithm.init(model) for model in own])
        budget = {"steps": descent.steps, "every": descent.every, "stage": f"one-step-{token}"}
        state, metrics = fit_many(algorithm, tasks, state, keys, replicas=replicas, context=context, **budget)
        models = state.model
        arrays[f"one_step.{token}.accuracy"] = metrics["accuracy"][:, -1].astype(np.float64)
        arrays[f"one_step.{token}.loss"] = metrics["loss"][:, -1].astype(np.float64)
    return models, arrays


def provenance(name: str, record: StageRecord) -> dict[str, np.ndarray]:
    """A stage's records, who labelled it (-1: the truth), how well, and what ended it."""
    return {
        **{f"{name}.{what}": np.asarray(value, np.float64) for what, value in record.metrics.items()},
        f"{name}.annotator": np.array([-1 if record.annotator is None else record.annotator]),
        f"{name}.labels_right_mean": np.asarray(record.labels_right, np.float64),
        f"{name}.ended_by_loss": record.ended_by_loss.astype(np.int64),
        f"{name}.every": np.array([record.stage.every]),
    }
