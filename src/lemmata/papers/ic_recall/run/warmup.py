"""Runs that train the warm-up: Stage 1 to the saddle, the perturbation, Stage 2 to the pairwise optimum."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import softmax

from lemmata import core
from lemmata.papers.ic_recall.model.symmetric_pairs import symmetric_pairs
from lemmata.papers.ic_recall.run.algorithm_1 import ToConvergence, algorithm_1, descend, perturb
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, first_step_loss
from lemmata.papers.ic_recall.run.first_step import starting_at, theta_of, warmup_data, watch_theta
from lemmata.train import stack

LEARNING_RATE = 30.0  # eta = 30 T^2; the measured smoothness constant is about 0.03 / T^2, so this is just under 1/l
LIMIT = (0.0, 0.0, 0.0, 0.0, -200.0, -200.0)  # theta after an infinite Stage 1: -200 stands for -infinity


@dataclass(frozen=True, kw_only=True)
class WarmupStages(core.RunConfig):
    """Algorithm 1 to convergence on three subjects: both stages from theta = 0.

    Stage 1 is kept on the symmetric subspace (rounding would leave the saddle by itself); its last two scores go to
    -infinity like -log t, so a finite Stage 1 ends at distance of order 1/t from the saddle.
    """

    kind = "ic-recall/warmup-stages"
    temperatures: core.Some[core.Positive] = field(default=(0.03, 0.04, 0.05, 0.06), metadata=core.also("temperature"))
    seeds: core.Some[int] = (0, 1, 2, 3, 4, 5, 6, 7)
    learning_rate: core.Positive = field(default=LEARNING_RATE, metadata=core.stored_as("rate"))
    steps1: core.Count = 120_000
    steps2: core.Count = 60_000
    records: core.Count = 100
    delta: core.Inside = 0.1

    def cross_check(self) -> None:
        for name in ("steps1", "steps2"):
            value = getattr(self, name)
            core.require(value % self.records == 0, name, value, f"a multiple of records = {self.records}")

    def execute(self, context: core.RunContext) -> core.RunOutput:
        cells = [(t, seed) for t in self.temperatures for seed in self.seeds]
        every1, every2 = self.steps1 // self.records, self.steps2 // self.records
        with core.precision("float64"):
            found = algorithm_1(
                first_step_loss,
                theta_of,
                ToConvergence(c1=self.learning_rate, c2=self.learning_rate, delta=self.delta),
                stack([FineTuning(warmup_data(), t) for t, _ in cells]),
                starting_at(np.zeros((len(cells), 6))),
                core.named_keys([seed for _, seed in cells], "push", "warm-up"),
                stops=(range(every1, self.steps1 + 1, every1), range(every2, self.steps2 + 1, every2)),
                project=(symmetric_pairs, None),
                probe=watch_theta,
                context=context,
            )
        first, second = found.stage1, found.stage2
        alike = slice(None, None, len(self.seeds))  # Stage 1 draws nothing: the seeds of a temperature share it
        v = softmax(second["theta"], axis=-1)
        final = v[:, -1]
        columns = {
            "temperature": np.array([t for t, _ in cells]),
            "seed": np.array([seed for _, seed in cells]),
            "loss": second["loss"][:, -1],
            "smaller_pair": smaller_pair(final),
            "left_over": final[:, 4:].sum(-1),
            "uneven": np.abs(np.log(final[:, 0] / final[:, 1])) + np.abs(np.log(final[:, 2] / final[:, 3])),
        }
        arrays = {
            "stage1_v": softmax(first["theta"][alike], axis=-1),
            "stage1_loss": first["loss"][alike],
            "stage1_gradient": first["gradient_norm"][alike],
            "stage2_v": v,
            "stage2_loss": second["loss"],
        }
        return core.RunOutput(columns, arrays)


@dataclass(frozen=True, kw_only=True)
class WarmupEscape(core.RunConfig):
    """Stage 2 from where an infinite Stage 1 ends, (1/4, 1/4, 1/4, 1/4, 0, 0), perturbed; every step is recorded."""

    kind = "ic-recall/warmup-escape"
    temperatures: core.Some[core.Positive] = field(
        default=(0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06), metadata=core.also("temperature")
    )
    seeds: core.Some[int] = tuple(range(32))
    learning_rate: core.Positive = field(default=LEARNING_RATE, metadata=core.stored_as("rate"))
    steps: core.Count = 1500
    delta: core.Inside = 0.1

    @property
    def drawn(self) -> slice:
        """The replicas whose paths are kept."""
        return slice(0, None, max(1, len(self.seeds) // 4))

    def execute(self, context: core.RunContext) -> core.RunOutput:
        cells = [(t, seed) for t in self.temperatures for seed in self.seeds]
        schedule = ToConvergence(c2=self.learning_rate, delta=self.delta)
        with core.precision("float64"):
            saddles = starting_at(np.tile(LIMIT, (len(cells), 1)))
            keys = core.named_keys([seed for _, seed in cells], "push", "escape")
            _, rows = descend(
                first_step_loss,
                theta_of,
                stack([FineTuning(warmup_data(), t) for t, _ in cells]),
                perturb(theta_of, saddles, core.to_jax([schedule.radius(t) for t, _ in cells]), keys),
                [schedule.learning_rates(t)[1] for t, _ in cells],
                range(1, self.steps + 1),
                probe=watch_theta,
                context=context,
                stage="escape",
            )
        below = rows["loss"] < np.log(2.0)
        v = softmax(rows["theta"], axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.stack([np.log(v[..., 0] / v[..., 1]), np.log(v[..., 2] / v[..., 3])])
        log_psi = np.abs(ratios).max(axis=0)
        # Lemma B.7 speaks of the part of the path with L_1 < log 2; psi is then only allowed to fall.
        rises = np.where(below[:, :-1], np.diff(log_psi, axis=1), -np.inf).max(axis=1)
        columns = {
            "temperature": np.array([t for t, _ in cells]),
            "seed": np.array([seed for _, seed in cells]),
            "escaped": below.any(axis=1).astype(float),
            "steps": np.where(below.any(axis=1), below.argmax(axis=1), np.nan),
            "largest_rise": rises,
            "final_loss": rows["loss"][:, -1],
            "final_smaller_pair": np.minimum(v[:, -1, :2].mean(-1), v[:, -1, 2:4].mean(-1)),
        }
        kept = {"loss": rows["loss"], "log_psi": log_psi, "v": v}
        return core.RunOutput(columns, {name: values[self.drawn, ::5] for name, values in kept.items()})


def smaller_pair(v: np.ndarray) -> np.ndarray:
    """The mean attention on a token of the lighter pair, as a share of what both pairs get."""
    return np.minimum(v[:, :2].mean(-1), v[:, 2:4].mean(-1)) / (1 - v[:, 4:].sum(-1))
