"""The phase diagram as the model sees it: where turning points of its loss on the pairwise line appear and cross."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import jax
import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, Some, optimized_jit, precision
from lemmata.papers.ic_recall.run.first_step import affine_log_counts, loss_in_v
from lemmata.papers.ic_recall.run.landscape import on_line
from lemmata.papers.ic_recall.task import Affine

GRID = 2001
ROUNDS = 44  # of bisection in log T: to the last digits
SURE = -log(0.999)


@dataclass(frozen=True, kw_only=True)
class PhaseRun(RunConfig):
    """For each n, the highest temperatures at which the optimum exists, is the best, recalls and is sure.

    By bisection in T on the model's autodiffed loss:

    exist   the highest T with an unequal local minimum on the pairwise line
    global  the highest T at which the line's lowest point is not one pair alone
    recall  the highest T at which some point of the line has loss below log 2
    sure    the highest T at which some point of the line has p(r_1) = 0.999
    """

    kind = "ic-recall/phase-diagram"

    sizes: Some[int] = (3, 5, 7, 11, 31, 101, 1009, 10_007, 1_000_003, 1_000_000_007, 2**61 - 1)

    def cross_check(self) -> None:
        for n in self.sizes:
            Affine(n=n)

    def execute(self, context: RunContext) -> RunOutput:
        names = ("exist", "global", "recall", "sure")
        rows = []
        with precision("float64"):

            def loss(x: jax.Array, log_counts: jax.Array, t: jax.Array) -> jax.Array:
                return loss_in_v(on_line(x), log_counts, t)

            both = optimized_jit(jax.vmap(jax.value_and_grad(loss), in_axes=(0, None, None)), jit=jax.jit)
            for done, n in enumerate(self.sizes):
                rows.append((n, *_transitions(both, n)))
                context.progress("worlds", done + 1, len(self.sizes))
        return RunOutput(dict(zip(("n", *names), np.array(rows, float).T, strict=True)))


Along = Callable[[np.ndarray, float], tuple[np.ndarray, np.ndarray]]


def _transitions(both: Callable, n: int) -> list[float]:
    """What the model says, whose loss and slope on the line `both` gives."""
    log_counts = affine_log_counts(n)

    def along(xs: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        # As NumPy has them: the call hands them over itself, which is faster, and there are thousands.
        values, slopes = both(xs, log_counts, np.float64(t))
        return np.asarray(values), np.asarray(slopes)

    exist = _highest(lambda t: _dips(along, t), 0.7 / log(n), 0.02 / log(n))
    both_pairs = _highest(lambda t: _leads(along, t), exist * (1 + 1e-12), 0.5 * exist)
    recall = _highest(lambda t: _lowest(along, t)[1] < log(2), 0.5 / log(n), 0.002 / log(n))
    sure = _highest(lambda t: _lowest(along, t)[1] < SURE, 0.5 / log(n), 0.002 / log(n))
    return [exist, both_pairs, recall, sure]


def _highest(holds: Callable[[float], bool], high: float, low: float) -> float:
    """The uppermost T, on a coarse walk down and then exactly, at which a property holds."""
    ladder = np.geomspace(high, low, 60)
    top = next(i for i, t in enumerate(ladder) if holds(float(t)))
    if top == 0:
        return high
    above, below = float(ladder[top - 1]), float(ladder[top])
    for _ in range(ROUNDS):
        middle = (above * below) ** 0.5
        above, below = (above, middle) if holds(middle) else (middle, below)
    return below


def _dips(along: Along, t: float) -> bool:
    """Whether the loss falls somewhere on (0, 1/4) and rises again before 1/4."""
    low, high = 1e-4, 0.249
    for _ in range(4):  # close in on where the slope is least
        xs = np.linspace(low, high, GRID)
        _, slopes = along(xs, t)
        # The slope over (1/4 - x) x removes the trivial zeros at both ends.
        scaled = slopes / (xs * (0.25 - xs))
        i = int(np.argmin(scaled))
        if scaled[i] < 0:
            return True
        low, high = float(xs[max(i - 2, 0)]), float(xs[min(i + 2, GRID - 1)])
    return False


def _leads(along: Along, t: float) -> bool:
    """Whether the lowest point of the line keeps both pairs."""
    x, height = _lowest(along, t, start=1e-3)
    return x > 2e-3 and height < float(along(np.full(GRID, 0.0), t)[0][0])


def _lowest(along: Along, t: float, start: float = 0.0) -> tuple[float, float]:
    """The lowest point of the line and its loss, by nested grids."""
    xs = np.linspace(start, 0.25, GRID)
    for _ in range(3):
        i = int(np.argmin(along(xs, t)[0]))
        xs = np.linspace(float(xs[max(i - 1, 0)]), float(xs[min(i + 1, GRID - 1)]), GRID)
    values, _ = along(xs, t)
    return float(xs[np.argmin(values)]), float(values.min())
