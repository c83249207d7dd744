"""The phase diagram's closed forms against brute force on the full loss."""

import numpy as np
import pytest
from scipy.special import logsumexp

from lemmata.papers.ic_recall.theory import pairwise_line, phase, relations

GRID = np.linspace(1e-4, 0.25, 20_001)


def general_loss(v: np.ndarray, counts: np.ndarray, temperature: float) -> np.ndarray:
    """-log p(r_1) in a world with these counts of each matching, from eq. (16)."""
    scaled = relations.all_logits(v) / temperature
    right = scaled[..., relations.MATCHINGS.index(((0, 0), (1, 1)))]
    with np.errstate(divide="ignore"):
        return np.asarray(logsumexp(scaled - right[..., None] + np.log(counts), axis=-1))


def line(n: int, temperature: float) -> np.ndarray:
    points = np.stack([GRID, GRID, 0.5 - GRID, 0.5 - GRID, 0 * GRID, 0 * GRID], axis=-1)
    return np.asarray(general_loss(points, relations.full_world_counts(n), temperature))


def interior_minima(values: np.ndarray) -> np.ndarray:
    return np.flatnonzero((values[1:-1] < values[:-2]) & (values[1:-1] < values[2:])) + 1


@pytest.mark.parametrize("n", [3, 31, 1009])
def test_the_unequal_minimum_appears_at_the_fold(n: int) -> None:
    fold = phase.existence_temperature(float(np.log(n)))
    assert len(interior_minima(line(n, fold * 0.999))) == 1
    assert len(interior_minima(line(n, fold * 1.001))) == 0


@pytest.mark.parametrize("n", [3, 101])
def test_one_pair_wins_above_the_global_temperature(n: int) -> None:
    crossing = phase.global_temperature(float(np.log(n)))
    for factor, wins in ((0.998, True), (1.002, False)):
        values = line(n, crossing * factor)
        best = values[interior_minima(values)].min()
        assert (best < pairwise_line.line_loss(0.0, crossing * factor, float(np.log(n)))) == wins


def test_recall_is_lost_at_the_recall_temperature() -> None:
    t = phase.recall_temperature(float(np.log(11)))
    assert line(11, t).min() == pytest.approx(np.log(2), abs=1e-6)


def test_equal_pairs_are_stable_inside_the_window_only() -> None:
    low, high = phase.equal_window(float(np.log(101)))
    for t, stable in ((low * 0.99, False), (low * 1.01, True), (high * 0.99, True), (high * 1.01, False)):
        values = line(101, t)
        assert (values[-1] < values[-2]) == stable
    assert np.isnan(phase.equal_window(float(np.log(11)))).all()


def test_transitions_tend_to_one_half_and_one_eighth() -> None:
    for log_n, tolerance in ((1e3, 1e-2), (1e4, 2e-3)):
        assert log_n * phase.global_temperature(log_n) == pytest.approx(1 / 2, rel=tolerance)
        assert log_n * phase.recall_temperature(log_n) == pytest.approx(1 / 8, rel=tolerance)
        assert phase.collapse_asymptote(log_n) == pytest.approx(log_n * phase.global_temperature(log_n), rel=1e-3)
        assert phase.recall_asymptote(log_n) == pytest.approx(log_n * phase.recall_temperature(log_n), rel=1e-3)


def free_energy(tau: float) -> float:
    """lim L_1 / log n at the best pairwise attention."""
    if tau <= 1 / 8:
        return 0.0
    if tau < 1 / 2:
        return 1 - 2 * (0.5 - np.sqrt(tau / 2)) ** 2 / tau
    return 2 - 1 / (2 * tau)


def limit_attention(tau: float) -> float:
    """The smaller pair's score x at the best attention as n grows: 1/2 - sqrt(tau/2) between 1/8 and 1/2."""
    return float(np.clip(0.5 - np.sqrt(tau / 2), 0.0, 0.25))


@pytest.mark.parametrize("tau", [0.06, 0.2, 0.35, 0.45])
def test_free_energy_is_the_limit_of_the_loss(tau: float) -> None:
    log_n = 2e4
    assert phase.best_line_loss(tau / log_n, log_n) / log_n == pytest.approx(free_energy(tau), abs=2e-3)
    if tau > 1 / 8:
        x = pairwise_line.critical_points(tau / log_n, log_n).minimum
        assert x == pytest.approx(limit_attention(tau), abs=5e-3)
