"""The gradient flow of the four scores to any time, in few evaluations of the loss's slope.

A step moves no score by more than a stride (Heun's method: the error is of its square). The clip cuts gradients, so
the difference of the two diagonals soon slides along kinks of the loss, where explicit steps would chatter. Where a
step would cross a kink, that difference alone is found implicitly, with the velocity between the two sides' that keeps
it there (Filippov's solution), and time goes on at the pace of the other scores.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Scores = Float[np.ndarray, "4"]
Motion = Callable[[Scores], tuple[float, Scores]]  # the loss, and the velocity of the four scores
APART = np.array([1.0, 0.0, -1.0, 0.0])  # the direction in which the diagonals differ


@dataclass
class Flow:
    """Where the flow is, and how it goes on."""

    motion: Motion
    stride: float
    scores: Scores
    velocity: Scores
    loss: float  # at the last point that was evaluated, within a stride of the scores
    time: float = 0.0
    sliding: bool = False
    caution: float = 1.0  # the share of the stride that the next sliding step may take
    evaluations: int = 1

    @staticmethod
    def start(motion: Motion, scores: Scores, stride: float) -> "Flow":
        loss, velocity = motion(scores)
        return Flow(motion, stride, scores, velocity, loss)

    def advance(self, until: float, *, evaluations: int, stop_below: float = 0.0) -> None:
        """To a time, or until the loss is low enough, or as far as so many evaluations in all go."""
        while self.time < until and self.loss >= stop_below and self.evaluations < evaluations:
            (self._slide if self.sliding else self._glide)(until)

    def _glide(self, until: float) -> None:
        """A step of Heun's method; where it would cross a kink, Euler's up to it."""
        here, span = self.velocity, self._span(self.velocity, until)
        there = self._evaluate(self.scores + span * here)
        before, after = apart(here), apart(there)
        if before * after < 0 and abs(after) > abs(before) / 2:
            span *= abs(before) / (abs(before) + abs(after))
            self._move(span * here, span)
            self.velocity = here + (there - here) * before / (before - after)
            self.sliding, self.caution = True, 1.0
        else:
            self._move(span * (here + there) / 2, span)
            self.velocity = self._evaluate(self.scores)

    def _slide(self, until: float) -> None:
        """An implicit step of the diagonals' difference, with the other scores moved explicitly."""
        slow = together(self.velocity)
        span = self._span(slow, until, self.caution)
        base = self.scores + span * slow

        def residual(shift: float) -> tuple[float, float, Scores]:
            found = self._evaluate(base + shift * APART)
            return shift, shift - span * apart(found), found

        low = residual(0.0)
        high = residual(math.copysign(self.stride, -low[1]))
        if low[1] * high[1] > 0:  # no equilibrium so near: a shorter step, or no kink any more
            self.caution /= 2
            self.sliding = self.caution > 1e-3
            return
        shift, velocity = between(low, high, residual, self.stride)
        self._move(span * (slow + together(velocity)) / 2 + shift * APART, span)
        self.velocity, self.caution = velocity, min(1.0, 2 * self.caution)

    def _span(self, velocity: Scores, until: float, share: float = 1.0) -> float:
        fastest = float(np.max(np.abs(velocity)))
        left = until - self.time
        return min(left, share * self.stride / fastest) if fastest * left > share * self.stride else left

    def _move(self, by: Scores, span: float) -> None:
        self.scores, self.time = self.scores + by, self.time + span

    def _evaluate(self, scores: Scores) -> Scores:
        self.evaluations += 1
        self.loss, velocity = self.motion(scores)
        return velocity


def between(
    low: tuple[float, float, Scores],
    high: tuple[float, float, Scores],
    residual: Callable[[float], tuple[float, float, Scores]],
    stride: float,
) -> tuple[float, Scores]:
    """The shift where the residual is 0 or jumps across it, and the velocity there, by the Illinois rule."""
    weights = [1.0, 1.0]
    for _ in range(12):
        ends = low[1] * weights[0], high[1] * weights[1]
        found = residual((low[0] * ends[1] - high[0] * ends[0]) / (ends[1] - ends[0]))
        if found[1] * high[1] > 0:
            high, weights = found, [weights[0] / 2, 1.0]
        else:
            low, weights = found, [1.0, weights[1] / 2]
        if abs(found[1]) < stride / 200 or abs(high[0] - low[0]) < stride / 50:
            break
    part = low[1] / (low[1] - high[1]) if low[1] != high[1] else 0.5
    return low[0] + part * (high[0] - low[0]), low[2] + part * (high[2] - low[2])


def apart(velocity: Scores) -> float:
    return float(velocity[0] - velocity[2]) / 2


def together(velocity: Scores) -> Scores:
    """Without the difference of the diagonals."""
    return velocity - apart(velocity) * APART
