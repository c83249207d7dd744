"""A perturbed start followed by gradient descent, with the radius, learning rate and number of steps of Lemma B.6."""

from dataclasses import dataclass
from math import ceil
from typing import Annotated, Literal

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall.run.algorithm_1 import descend, perturb
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, first_step_loss
from lemmata.papers.ic_recall.run.first_step import scores_of, starting_at, theta_of, warmup_data
from lemmata.papers.ic_recall.run.warmup import LIMIT
from lemmata.papers.ic_recall.theory.escape import EscapePromise, escape_promise
from lemmata.papers.ic_recall.theory.pairwise_line import critical_points
from lemmata.papers.ic_recall.theory.saddle import curvature
from lemmata.train import stack


@dataclass(frozen=True, kw_only=True)
class PerturbedDescent(core.RunConfig):
    """The warm-up's loss from its saddle, whose curvature is the lemma's gamma, or from its minimum, where the lemma
    does not apply.

    The Lipschitz constants are those of the smoothness run, rounded up: `gradient` / T^2 and `hessian` / T^3.
    """

    kind = "ic-recall/perturbed-descent"

    start: Literal["saddle", "minimum"] = "saddle"
    temperatures: core.Some[Annotated[float, core.Bound(least=0.002, most=0.08)]] = (0.01, 0.02, 0.04)
    gradient: core.Positive = 0.032
    hessian: core.Positive = 0.01
    constant: core.Positive = 0.5  # c of the lemma; with 1, fourteen of sixteen kept the promise in a trial
    delta: core.Inside = 0.1
    longer: Annotated[float, core.Bound(least=1, most=100)] = (
        3.0  # "for any t >= ...": so many times the minimum is seen
    )
    seeds: core.Some[int] = tuple(range(32))

    def execute(self, context: core.RunContext) -> core.RunOutput:
        cells = [(t, seed) for t in self.temperatures for seed in self.seeds]
        promises = {t: self.promise(t) for t in self.temperatures}
        last = ceil(self.longer * max(promise.steps for promise in promises.values()))
        with core.precision("float64"):
            starts = starting_at(np.array([self._start(t) for t, _ in cells]))
            task = stack([FineTuning(warmup_data(), t) for t, _ in cells])
            keys = core.named_keys([seed for _, seed in cells], "push", "lemma b.6")
            radii = core.to_jax([promises[t].radius for t, _ in cells])
            learning_rates = [promises[t].learning_rate for t, _ in cells]
            _, still = descend(first_step_loss, theta_of, task, starts, learning_rates, (1,), stage="where it starts")
            moved = perturb(theta_of, starts, radii, keys)
            _, rows = descend(
                first_step_loss,
                theta_of,
                task,
                moved,
                learning_rates,
                range(1, last + 1),
                context=context,
                stage="pushed",
            )
        drops = still["loss"][:, :1] - rows["loss"]
        waited = [ceil(promises[t].steps) for t, _ in cells]
        least = np.array([row[wait:].min() for row, wait in zip(drops, waited, strict=True)])
        return core.RunOutput(
            {
                "temperature": np.array([t for t, _ in cells]),
                "seed": np.array([seed for _, seed in cells]),
                "waited": np.array(waited),
                "least_drop": least,
            }
        )

    def promise(self, temperature: float) -> EscapePromise:
        """What the lemma says of this setting."""
        gamma = -float(curvature(temperature))
        alpha, rho = self.gradient / temperature**2, self.hessian / temperature**3
        return escape_promise(alpha, rho, gamma, self.delta, 6, self.constant)

    def _start(self, temperature: float) -> np.ndarray:
        if self.start == "saddle":
            return np.array(LIMIT)
        x = critical_points(temperature).minimum
        if np.isnan(x):
            raise core.OutsideSetting(f"at T = {temperature:g} the pairwise line has no minimum")
        return scores_of(np.array([x, x, 0.5 - x, 0.5 - x, 0, 0]))
