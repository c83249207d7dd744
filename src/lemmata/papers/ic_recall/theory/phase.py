"""Beyond the paper: at which temperatures the pairwise optimum exists, is the global one, and is worth having.

In the full world of n subjects put tau = T log n. As n grows, L_1 / log n tends to the largest of
    0,   1 - 2x^2/tau,   1 - 2y^2/tau,   2 - 2(x^2 + y^2)/tau        (x + y = 1/2, x <= y),
because n relations keep one pair and about n^2 keep none. So
- some attention has vanishing loss exactly when tau < 1/8: both pairs must beat n relations, 2x^2 > tau;
- for 1/8 < tau < 1/2 the best is 2y^2 = tau, still on both pairs and unequal, but with p(r_1) -> 0;
- from tau = 1/2 on, one pair takes all.
Near v = 1/6, where Algorithm 1's one-step schedule works, the first condition reads 1/18 > tau (the paper: 1/40).
"""

from functools import cache

import numpy as np

from lemmata.papers.ic_recall.theory.numbers import Real, least, root
from lemmata.papers.ic_recall.theory.pairwise_line import critical_points, line_loss, log_counts

PAPER_CONSTANT = 1 / 40  # the proofs' bound on T log n


def equal_curvature(temperature: Real, log_n: float) -> Real:
    """Curvature along the line at the saddle, up to a positive factor: positive where equal pairs are stable.

    From sum_j exp(d_j/T): -16 + (2/T - 32) (n-2) e^(-1/(8T)) - 8 (n-2)(n-3) e^(-1/(4T)), over 16 + |other terms|
    so that it neither over- nor underflows.
    """
    t = np.asarray(temperature, float)
    counts = log_counts(log_n)
    first, second = counts[1] - 1 / (8 * t), counts[4] - 1 / (4 * t)
    scale = np.maximum(np.maximum(first, second), 0.0)
    return -16 * np.exp(-scale) + (2 / t - 32) * np.exp(first - scale) - 8 * np.exp(second - scale)


@cache
def existence_temperature(log_n: float) -> float:
    """The highest T at which the loss has an unequal local minimum on the pairwise line (a fold with its barrier)."""

    def depth(log_t: float) -> float:
        return critical_points(float(np.exp(log_t)), log_n).depth

    high = np.log(0.6 / log_n)  # above every fold: tau stays under 1/2
    low = high
    while depth(low) > 0:
        high, low = low, low - 0.05
    return float(np.exp(root(depth, low, high)))


@cache
def global_temperature(log_n: float) -> float:
    """The highest T at which that minimum is lower than (1/2, 1/2, 0, 0, 0, 0), where n - 1 relations tie."""
    top = existence_temperature(log_n)

    def lead(temperature: float) -> float:
        x = critical_points(temperature, log_n).minimum
        return float(line_loss(x, temperature, log_n)) - float(line_loss(0.0, temperature, log_n))

    high = top * (1 - 1e-6)
    if lead(high) <= 0:
        return top
    low = high
    while lead(low) > 0:
        low *= 0.98
    return float(root(lead, low, high))


@cache
def recall_temperature(log_n: float, loss: float = float(np.log(2.0))) -> float:
    """The highest T at which some pairwise attention has less than this loss (log 2: guessing between r_1 and r_2)."""

    def excess(log_t: float) -> float:
        return best_line_loss(float(np.exp(log_t)), log_n) - loss

    return float(np.exp(root(excess, np.log(0.005 / log_n), np.log(0.6 / log_n))))


def best_line_loss(temperature: float, log_n: float) -> float:
    """The least loss on the pairwise line."""
    grid = np.linspace(0, 0.25, 501)
    values = np.asarray(line_loss(grid, temperature, log_n))
    best = int(np.argmin(values))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, 500)])
    _, refined = least(lambda x: float(line_loss(x, temperature, log_n)), low, high, 1e-10)
    return float(min(values[best], refined))


@cache
def equal_window(log_n: float) -> tuple[float, float]:
    """The temperatures between which the equal point is a minimum along the line, so that nothing escapes it.

    NaN where there is no such window (n below 33).
    """
    # With q = (n-2) e^(-1/(8T)) of order 1 the curvature is largest: search around T = 1/(8 log n).
    centre = 1 / (8 * log_n)
    grid = np.exp(np.linspace(np.log(centre * 0.4), np.log(centre * 4), 4001))
    values = np.asarray(equal_curvature(grid, log_n))
    if values.max() <= 0:
        return np.nan, np.nan
    ends = np.flatnonzero(np.diff(np.sign(values)))
    low, high = (root(lambda t: float(equal_curvature(t, log_n)), grid[i], grid[i + 1]) for i in (ends[0], ends[-1]))
    return low, high


def collapse_asymptote(log_n: float) -> float:
    """tau at which the pairwise optimum stops being global, to next order in 1/log n.

    With tau = 1/2 - e, N = log n and u = x N the loss above log n is -4u^2/N + log(1 + exp(4u - 2eN)) near x = 0.
    At its minimum 4u - 2eN = z with sigma(z) = 2u/N; it equals the loss at u = 0 for the e returned here.
    """

    def lead(e: float) -> float:
        u = np.linspace(0.25, e * log_n, 40001)  # the minimum lies at u < eN/2, beyond the barrier
        excess = -4 * u**2 / log_n + np.logaddexp(0.0, 4 * u - 2 * e * log_n)
        return float(excess.min() - np.log1p(np.exp(-2 * e * log_n)))

    return 0.5 - float(root(lead, 0.3 / log_n, 0.45))


def recall_asymptote(log_n: float) -> float:
    """tau at which the best loss passes log 2, to next order: T = 1/(8 (N + 2 - log(32 T))), N = log n.

    With x = 1/4 - s sqrt(T) the confusing relation weighs about 1 - 8s^2 and the n relations that keep the larger
    pair q e^(s/sqrt(T)), q = n e^(-1/(8T)). Their sum stays under 1 for some s while q < max 8s^2 e^(-s/sqrt(T)),
    which is 32 T / e^2, at s = 2 sqrt(T).
    """

    def excess(log_t: float) -> float:
        t = np.exp(log_t)
        return float(1 / (8 * t) - (log_n + 2 - np.log(32 * t)))

    return log_n * float(np.exp(root(excess, np.log(1e-3 / log_n), np.log(0.5 / log_n))))
