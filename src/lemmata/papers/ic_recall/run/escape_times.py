"""Stage 2 from the warm-up's saddle, for many pushes of several sizes: when each escapes, and where it ends."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import softmax

from lemmata import core
from lemmata.papers.ic_recall.run.algorithm_1 import ToConvergence, descend, perturb
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, first_step_loss
from lemmata.papers.ic_recall.run.first_step import starting_at, theta_of, warmup_data
from lemmata.papers.ic_recall.run.warmup import LEARNING_RATE, LIMIT, smaller_pair
from lemmata.train import stack


@dataclass(frozen=True, kw_only=True)
class EscapeTimes(core.RunConfig):
    """Rows by temperature, factor and seed; the same seed pushes in the same direction at every factor."""

    kind = "ic-recall/escape-times"

    temperatures: core.Some[core.Positive] = (0.03,)
    factors: core.Some[core.Positive] = (1.0,)  # of Algorithm 1's radius
    delta: core.Inside = 0.1  # of that radius
    learning_rate: core.Positive = LEARNING_RATE  # eta_2 / T^2
    steps: core.Count = 400
    seeds: core.Some[int] = (0,)

    def growth(self, curvature: float, temperature: float) -> float:
        """Of log distance in a step, along a direction of this curvature."""
        return float(np.log1p(-self.learning_rate * temperature**2 * curvature))

    def execute(self, context: core.RunContext) -> core.RunOutput:
        cells = list(product(self.temperatures, self.factors, self.seeds))
        schedule = ToConvergence(c2=self.learning_rate, delta=self.delta)
        with core.precision("float64"):
            start = starting_at(np.tile(LIMIT, (len(cells), 1)))
            keys = core.named_keys([seed for *_, seed in cells], "push", "escape times")
            radii = core.to_jax([factor * schedule.radius(t) for t, factor, _ in cells])
            model, rows = descend(
                first_step_loss,
                theta_of,
                stack([FineTuning(warmup_data(), t) for t, *_ in cells]),
                perturb(theta_of, start, radii, keys),
                [schedule.learning_rates(t)[1] for t, *_ in cells],
                range(1, self.steps + 1),
                context=context,
                stage="pushed",
            )
        below = np.asarray(rows["loss"]) < np.log(2.0)
        when = np.where(below.any(axis=1), below.argmax(axis=1).astype(float), np.nan)
        v = softmax(np.asarray(model.theta), axis=-1)
        temperature, factor, seed = (np.array(column) for column in zip(*cells, strict=True))
        return core.RunOutput(
            {
                "temperature": temperature,
                "factor": factor,
                "seed": seed,
                "escape_steps": when,
                "loss": np.asarray(rows["loss"])[:, -1],
                "smaller_pair": smaller_pair(v),
                "uneven": np.abs(np.log(v[:, 0] / v[:, 1])) + np.abs(np.log(v[:, 2] / v[:, 3])),
            }
        )
