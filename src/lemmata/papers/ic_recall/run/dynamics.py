"""Runs that train the warm-up: Stage 1 to the saddle, the push, Stage 2 to the pairwise optimum."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, precision, require
from lemmata.papers.ic_recall.run.algorithm_1 import ToConvergence, radius
from lemmata.papers.ic_recall.run.first_step_training import descend_theta, pushed, softmax, warmup_data
from lemmata.papers.ic_recall.run.landscape import limit_start
from lemmata.papers.ic_recall.run.problems import FineTuning

RATE = 30.0  # eta = 30 T^2; the measured smoothness constant is about 0.03 / T^2, so this is just under 1/l


@dataclass(frozen=True, kw_only=True)
class WarmupStages(RunConfig):
    """Algorithm 1 to convergence on three subjects: both stages from theta = 0.

    Stage 1 is kept on the symmetric subspace (rounding would leave the saddle by itself); its last two scores go to
    -infinity like -log t, so a finite Stage 1 ends at distance of order 1/t from the saddle.
    """

    kind: ClassVar[str] = "ic-recall/warmup-stages"
    version: ClassVar[int] = 1
    temperatures: tuple[float, ...] = (0.03, 0.04, 0.05, 0.06)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6, 7)
    rate: float = RATE
    steps1: int = 120_000
    steps2: int = 60_000
    records: int = 100
    delta: float = 0.1

    def __post_init__(self) -> None:
        require(min(self.temperatures) > 0, "temperatures", self.temperatures, "above 0")
        require(self.rate > 0, "rate", self.rate, "above 0")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")
        for name in ("steps1", "steps2"):
            value = getattr(self, name)
            require(value % self.records == 0, name, value, f"a multiple of records = {self.records}")

    def execute(self, context: RunContext) -> RunOutput:
        temperatures = np.array(self.temperatures)
        schedule = ToConvergence(delta=self.delta)
        with precision("float64"):
            data = warmup_data()
            tasks = [FineTuning(data, t) for t in self.temperatures]
            rates = self.rate * temperatures**2
            first = descend_theta(
                np.zeros((len(tasks), 6)),
                tasks,
                rates,
                steps=self.steps1,
                every=self.steps1 // self.records,
                symmetric=True,
                context=context,
                stage="stage 1",
            )
            settled = first["theta"][:, -1]
            pairs = [(i, seed) for i in range(len(tasks)) for seed in self.seeds]
            starts = np.stack(
                [pushed(settled[i], radius(schedule, self.temperatures[i]), s, "warm-up") for i, s in pairs]
            )
            second = descend_theta(
                starts,
                [tasks[i] for i, _ in pairs],
                rates[[i for i, _ in pairs]],
                steps=self.steps2,
                every=self.steps2 // self.records,
                context=context,
                stage="stage 2",
            )
        v = softmax(second["theta"])
        final = v[:, -1]
        columns = {
            "temperature": temperatures[[i for i, _ in pairs]],
            "seed": np.array([s for _, s in pairs]),
            "loss": second["loss"][:, -1],
            "smaller_pair": np.minimum(final[:, :2].mean(-1), final[:, 2:4].mean(-1)) / (1 - final[:, 4:].sum(-1)),
            "left_over": final[:, 4:].sum(-1),
            "uneven": np.abs(np.log(final[:, 0] / final[:, 1])) + np.abs(np.log(final[:, 2] / final[:, 3])),
        }
        arrays = {
            "stage1_v": softmax(first["theta"]),
            "stage1_loss": first["loss"],
            "stage1_gradient": first["gradient_norm"],
            "stage2_v": v,
            "stage2_loss": second["loss"],
        }
        return RunOutput(columns, arrays)


@dataclass(frozen=True, kw_only=True)
class WarmupEscape(RunConfig):
    """Stage 2 from where an infinite Stage 1 ends, v = (1/4, 1/4, 1/4, 1/4, 0, 0), pushed; every step is recorded."""

    kind: ClassVar[str] = "ic-recall/warmup-escape"
    version: ClassVar[int] = 1
    temperatures: tuple[float, ...] = (0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06)
    seeds: tuple[int, ...] = tuple(range(32))
    rate: float = RATE
    steps: int = 1500
    delta: float = 0.1

    def __post_init__(self) -> None:
        require(min(self.temperatures) > 0, "temperatures", self.temperatures, "above 0")
        require(self.rate > 0, "rate", self.rate, "above 0")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")
        require(self.steps >= 1, "steps", self.steps, "at least 1")

    def execute(self, context: RunContext) -> RunOutput:
        pairs = [(t, seed) for t in self.temperatures for seed in self.seeds]
        schedule = ToConvergence(delta=self.delta)
        with precision("float64"):
            data = warmup_data()
            starts = np.stack([pushed(limit_start(), radius(schedule, t), seed, "escape") for t, seed in pairs])
            rows = descend_theta(
                starts,
                [FineTuning(data, t) for t, _ in pairs],
                self.rate * np.array([t for t, _ in pairs]) ** 2,
                steps=self.steps,
                every=1,
                context=context,
                stage="escape",
            )
        below = rows["loss"] < np.log(2.0)
        v = softmax(rows["theta"])
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.stack([np.log(v[..., 0] / v[..., 1]), np.log(v[..., 2] / v[..., 3])])
        log_psi = np.abs(ratios).max(axis=0)
        # Lemma B.7 speaks of the part of the path with L_1 < log 2; psi is then only allowed to fall.
        rises = np.where(below[:, :-1], np.diff(log_psi, axis=1), -np.inf).max(axis=1)
        columns = {
            "temperature": np.array([t for t, _ in pairs]),
            "seed": np.array([s for _, s in pairs]),
            "escaped": below.any(axis=1).astype(float),
            "steps": np.where(below.any(axis=1), below.argmax(axis=1), np.nan),
            "largest_rise": rises,
            "final_loss": rows["loss"][:, -1],
            "final_smaller_pair": np.minimum(v[:, -1, :2].mean(-1), v[:, -1, 2:4].mean(-1)),
        }
        kept = slice(0, None, max(1, len(self.seeds) // 4))
        arrays = {"loss": rows["loss"][kept, ::5], "log_psi": log_psi[kept, ::5], "v": v[kept, ::5]}
        return RunOutput(columns, arrays)
