"""Closed forms against autodiff, brute force and exact rationals."""

from itertools import combinations, permutations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from lemmata.core import named_integer, precision
from lemmata.core.run import Unattended
from lemmata.papers.ic_recall.run.full_world_start import FullWorldStart
from lemmata.papers.ic_recall.run.worst_cases import Bowls, TwoLogits
from lemmata.papers.ic_recall.theory import (
    gradients,
    low_temperature,
    movement_bound,
    pairing,
    pairwise_line,
    relations,
    saddle,
    second_step,
    smoothness,
)

SIX = np.array(list(permutations(range(3))))


def simplex(rows: int, width: int, name: str) -> np.ndarray:
    return np.random.default_rng(named_integer(0, name)).dirichlet(np.ones(width), size=rows)


def brute_logits(v: jax.Array, table: np.ndarray) -> jax.Array:
    """phi(r)^T f for the sequence (0, 0, 1, 1, 2, EoS) straight from the memory: sum over subjects of (v_s + v_r(s))^2.

    Relation 0 of the table must be the identity."""
    n = table.shape[1]
    subjects = jnp.zeros(n).at[jnp.arange(3)].set(v[jnp.array([0, 2, 4])])
    answers = jnp.zeros(n).at[jnp.arange(2)].set(v[jnp.array([1, 3])])
    return jnp.sum((subjects[None] + answers[jnp.asarray(table)]) ** 2, axis=-1)


def brute_loss(v: jax.Array, table: np.ndarray, temperature: float) -> jax.Array:
    scaled = brute_logits(v, table) / temperature
    return jax.nn.logsumexp(scaled) - scaled[0]


def warmup_loss(v: np.ndarray, temperature: float) -> np.ndarray:
    """L_1 for three subjects and all six bijections, from Table 2."""
    scaled = gradients.relation_logits(v) / temperature
    return np.log(np.exp(scaled - scaled[..., :1]).sum(-1))


def general_loss(v: np.ndarray, counts: np.ndarray, temperature: float) -> np.ndarray:
    """-log p(r_1) in a world with these counts of each matching, from eq. (16)."""
    scaled = relations.all_logits(v) / temperature
    right = scaled[..., relations.MATCHINGS.index(((0, 0), (1, 1)))]
    with np.errstate(divide="ignore"):
        return np.asarray(logsumexp(scaled - right[..., None] + np.log(counts), axis=-1))


def affine_table(n: int) -> np.ndarray:
    rows = [[(a * x + b) % n for x in range(n)] for a in range(1, n) for b in range(n)]
    return np.array(rows)


def test_tables_1_and_2_follow_from_the_memory() -> None:
    assert sorted(relations.TABLE_1) == sorted(tuple(int(a) + 1 for a in row) for row in SIX)
    table = np.array(relations.TABLE_1) - 1
    for v in simplex(5, 6, "tables"):
        with precision("float64"):
            np.testing.assert_allclose(gradients.relation_logits(v), np.asarray(brute_logits(jnp.asarray(v), table)))
    named = {((0, 0), (1, 1)): "correct", ((0, 1), (1, 0)): "confusing"}
    kinds = tuple(named.get(relations.matching_of(row), "mismatched") for row in relations.TABLE_1)
    assert kinds == relations.TABLE_1_TYPES


@pytest.mark.parametrize("temperature", [0.05, 0.7])
def test_gradients_are_autodiffs(temperature: float) -> None:
    table, counts = affine_table(7), relations.full_world_counts(7)
    with precision("float64"):
        warm = jax.vmap(jax.grad(lambda u: brute_loss(u, SIX, temperature)))(jnp.asarray(simplex(3, 6, "a")))
        general = jax.vmap(jax.grad(lambda u: brute_loss(u, table, temperature)))(jnp.asarray(simplex(3, 6, "b")))
    warm, general = np.asarray(warm), np.asarray(general)
    np.testing.assert_allclose(gradients.warmup_gradient(simplex(3, 6, "a"), temperature), warm, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(
        gradients.general_gradient(simplex(3, 6, "b"), counts, temperature), general, rtol=1e-9, atol=1e-11
    )


def test_general_loss_at_n_3_is_the_warmup() -> None:
    v = simplex(20, 6, "same")
    np.testing.assert_allclose(general_loss(v, relations.full_world_counts(3), 0.1), warmup_loss(v, 0.1), rtol=1e-12)


def test_pairing_identities() -> None:
    v, temperature = simplex(50, 6, "pairing"), 0.08
    gradient = gradients.warmup_gradient(v, temperature)
    inner = -2 / temperature * pairing.advantage(v, temperature)
    np.testing.assert_allclose((v * gradient).sum(-1), inner, rtol=1e-9, atol=1e-12)
    theta = temperature * gradients.through_softmax(v, gradient)
    measured = np.stack([theta[:, 0] - theta[:, 1], theta[:, 2] - theta[:, 3]], -1)
    np.testing.assert_allclose(2 * pairing.printed_differences(v, temperature), measured, rtol=1e-8, atol=1e-12)
    assert not np.allclose(pairing.printed_differences(v, temperature), measured, rtol=1e-2)


def test_pairwise_line_is_the_loss_on_the_line_for_every_n() -> None:
    for n in (3, 5, 11):
        for x in (0.01, 0.12, 0.2, 0.25):
            v = np.array([x, x, 0.5 - x, 0.5 - x, 0.0, 0.0])
            direct = general_loss(v, relations.full_world_counts(n), 0.06)
            np.testing.assert_allclose(pairwise_line.line_loss(x, 0.06, float(np.log(n))), direct, rtol=1e-12)
    np.testing.assert_allclose(
        pairwise_line.warmup_line_loss(0.1, 0.06), pairwise_line.line_loss(0.1, 0.06, float(np.log(3.0))), rtol=1e-12
    )


@pytest.mark.parametrize("temperature", [0.003, 0.02, 0.06, 0.09])
def test_critical_points_bracket_the_minimum(temperature: float) -> None:
    found = pairwise_line.critical_points(temperature)
    grid = np.linspace(0.035, 0.25, 100_001)
    brute = grid[np.argmin(pairwise_line.warmup_line_loss(grid, temperature))]
    assert abs(found.minimum - brute) < 5e-6
    assert len(found.log_barriers) == 1
    assert found.log_barriers[0] < np.log(found.minimum)


def test_first_order_minimum_has_second_order_error() -> None:
    small, large = 0.002, 0.004
    errors = [abs(pairwise_line.critical_points(t).minimum - (1 / 6 - t * np.log(2) / 2)) for t in (small, large)]
    assert errors[1] / errors[0] == pytest.approx(4, rel=0.1)


def test_saddle_curvature_is_negative_at_every_temperature() -> None:
    grid = np.geomspace(1e-3, 1e3, 2000)
    assert (saddle.curvature(grid) < 0).all()


def test_second_step_gradient_is_autodiffs() -> None:
    def loss(q: jax.Array) -> jax.Array:
        rest = q[0] ** 2 + q[2] ** 2 + q[4] ** 2
        own = jnp.stack([rest - q[i] ** 2 + (q[i] + 1 + q[6]) ** 2 for i in (0, 2, 4)])
        every = jnp.concatenate([own, jnp.full(4, rest + (1 + q[6]) ** 2)]) / 0.3
        return jax.nn.logsumexp(every) - every[2]

    q = simplex(5, 7, "second")
    with precision("float64"):
        measured = np.stack([np.asarray(jax.grad(loss)(jnp.asarray(row))) for row in q])
    np.testing.assert_allclose(second_step.gradient_claim_2(q, 7, 0.3), measured, rtol=1e-9, atol=1e-12)


def test_lead_of_the_query_subject_never_shrinks() -> None:
    q = simplex(4000, 7, "lead")
    q = q[q.argmax(-1) == 4]
    slope = gradients.through_softmax(q, second_step.gradient_claim_2(q, 11, 0.2))
    assert (np.delete(slope, 4, axis=-1) >= slope[:, 4:5]).all()


def moments(v: np.ndarray, forms: np.ndarray, temperature: float) -> tuple[np.ndarray, np.ndarray]:
    """p and the logits' gradients, in whose moments the proof of Proposition E.1 writes derivatives of log-sum-exp."""
    logits = np.einsum("i,rij,j->r", v, forms, v) / temperature
    return np.exp(logits) / np.exp(logits).sum(), 2 * np.einsum("rij,j->ri", forms, v)


def hessian_form(v: np.ndarray, a: np.ndarray, b: np.ndarray, forms: np.ndarray, temperature: float) -> float:
    """Second derivative of Psi = log sum exp(l/T) along a, b: E[Y]/T + Cov(X^a, X^b)/T^2."""
    p, slopes = moments(v, forms, temperature)
    y_ab = 2 * np.einsum("i,rij,j->r", a, forms, b)
    return float(p @ y_ab / temperature + covariance(p, slopes @ a, slopes @ b) / temperature**2)


def third_form(v: np.ndarray, directions: np.ndarray, forms: np.ndarray, temperature: float) -> float:
    """Third derivative of Psi along three directions: three covariances over T^2 and a third moment over T^3."""
    p, slopes = moments(v, forms, temperature)
    x = slopes @ directions.T
    y = 2 * np.einsum("ai,rij,bj->rab", directions, forms, directions)
    mixed = sum(covariance(p, y[:, i, j], x[:, k]) for i, j, k in ((0, 1, 2), (0, 2, 1), (1, 2, 0)))
    return float(mixed / temperature**2 + p @ (x - p @ x).prod(axis=1) / temperature**3)


def covariance(p: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    return float(p @ (x * y) - (p @ x) * (p @ y))


def test_smoothness_formulas_and_bounds() -> None:
    forms, temperature = relations.table_2_forms(), 0.2
    rng = np.random.default_rng(named_integer(0, "smooth"))
    v = rng.dirichlet(np.ones(6))
    a, b, c = rng.normal(size=(3, 6))

    def psi(u: jax.Array) -> jax.Array:
        return jax.nn.logsumexp(jnp.einsum("i,rij,j->r", u, jnp.asarray(forms), u) / temperature)

    with precision("float64"):
        hessian = np.asarray(jax.hessian(psi)(jnp.asarray(v)))
        third = np.asarray(jax.jacfwd(jax.hessian(psi))(jnp.asarray(v)))
    assert hessian_form(v, a, b, forms, temperature) == pytest.approx(a @ hessian @ b, rel=1e-9)
    cubic = np.einsum("ijk,i,j,k", third, a, b, c)
    assert third_form(v, np.stack([a, b, c]), forms, temperature) == pytest.approx(cubic, rel=1e-8)
    largest_gradient, largest_hessian = smoothness.logit_constants()
    assert (largest_gradient, largest_hessian) == pytest.approx((2 * np.sqrt(2), 4.0))
    bound = largest_hessian / temperature + 2 * largest_gradient**2 / temperature**2
    assert np.linalg.norm(hessian, 2) <= bound < smoothness.second_bound(*smoothness.logit_constants(), temperature)


def test_movement_bound_is_tight_for_one_quadratic_step() -> None:
    # f = l/2 x^2 from x_0 = 1 with step 1/l goes to 0: moved 1, allowed sqrt(2 (l/2)/l) = 1.
    assert float(movement_bound.movement_bound(1, 3.0, 1.5)) == pytest.approx(1.0)


def test_matching_counts_cannot_be_exceeded_for_four_subjects() -> None:
    """Lemma C.1's 6(n - 3) and n(n - 1) - 6(n - 2), over random maximal worlds under Assumption 2.2."""
    n = 4
    everything = np.array(list(permutations(range(n))))
    agree = (everything[:, None] == everything[None]).sum(-1) >= 2
    rng = np.random.default_rng(named_integer(0, "worlds"))
    most = {0: 0, 1: 0, 2: 0}
    for _ in range(60):
        chosen: list[int] = []
        for i in rng.permutation(len(everything)):
            if not agree[i, chosen].any():
                chosen.append(int(i))
        world = everything[chosen]
        for row in world:
            for s in permutations(range(n), 3):
                given = world[:, s]
                matches = (given == row[s[0]]).sum(-1) + (given == row[s[1]]).sum(-1)
                for size in most:
                    most[size] = max(most[size], int((matches == size).sum()))
    assert most == {size: relations.most_relations(n, size) for size in most}


def eq_25(v: np.ndarray, theta_gradient: np.ndarray, eta: float) -> float:
    """Lemma C.3: g_(k+1) - g_k to second order in eta, in terms of the gradient (eq. 25 without O(|epsilon|))."""
    v1, v2, v3, v4, _, _ = v
    t1, t2, t3, t4, _, _ = theta_gradient
    across = v @ theta_gradient
    first, second = v3 * t3 - v1 * t1, v4 * t4 - v2 * t2
    linear = 2 * (v1 - v3) * (v2 - v4) * across + (v2 - v4) * first + (v1 - v3) * second
    quadratic = (v1 - v3) * (v2 - v4) * across**2 + first * second
    quadratic = quadratic + (v1 - v3) * across * second + (v2 - v4) * across * first
    return eta * (linear + eta * quadratic)


def test_growth_identity_of_the_gap() -> None:
    """Eq. (25) is exact to second order: halving eta divides its error by about 4 (the rest is |epsilon|)."""
    v = simplex(1, 6, "growth")[0]
    theta = np.log(v)
    slope = gradients.through_softmax(v, gradients.warmup_gradient(v, 0.1))

    def error(eta: float) -> float:
        moved = np.exp(theta - eta * slope)
        moved /= moved.sum()
        return abs(low_temperature.gap(moved) - low_temperature.gap(v) - eq_25(v, slope, eta))

    assert error(2e-3) / error(1e-3) == pytest.approx(4, rel=0.05)


def test_printed_sample_size_is_too_small_for_large_delta() -> None:
    size = int(np.ceil(low_temperature.sample_size(0.1, 0.9)))
    assert low_temperature.failure_probability(size, 0.1) > 0.9 / 3
    right = int(np.ceil(low_temperature.chernoff_sample_size(0.1, 0.9)))
    assert low_temperature.failure_probability(right, 0.1) <= 0.9 / 3


def test_pairwise_optimum_is_global_in_the_warmup() -> None:
    temperature, best = 0.05, np.inf
    for row in np.random.default_rng(named_integer(0, "starts")).normal(size=(12, 6)):

        def loss(u: np.ndarray) -> float:
            return float(warmup_loss(u**2 / (u**2).sum(), temperature))

        best = min(best, minimize(loss, row).fun)
    x = pairwise_line.critical_points(temperature).minimum
    assert best == pytest.approx(float(pairwise_line.warmup_line_loss(x, temperature)), abs=1e-7)


def test_every_pair_of_cells_is_one_matching() -> None:
    cells = [(i, j) for i in range(3) for j in range(2)]
    free = [pair for pair in combinations(cells, 2) if pair[0][0] != pair[1][0] and pair[0][1] != pair[1][1]]
    assert sum(len(m) == 2 for m in relations.MATCHINGS) == len(free) == 6


def test_two_logits_come_nearest_to_the_bounds_on_derivatives() -> None:
    run = TwoLogits(temperatures=(1.0, 100.0), slope=2.0, bend=3.0, weights=101).execute(Unattended())
    hot, gradient, hessian = 100.0, 2.0, 3.0
    second = 2 * hessian / hot + gradient**2 / hot**2  # both halves of the weight: a variance of G^2
    assert run.metrics["second"][1] == pytest.approx(second)
    assert smoothness.second_bound(gradient, hessian, hot) == pytest.approx(second + gradient**2 / hot**2)
    assert (run.metrics["third"] <= smoothness.third_bound(gradient, hessian, run.metrics["temperature"])).all()


def test_p_at_the_start_of_a_full_world() -> None:
    run = FullWorldStart(sizes=(7,), temperatures=(0.1,)).execute(Unattended())
    once, never = (relations.most_relations(7, matches) for matches in (1, 0))
    assert run.metrics["p"][0] == pytest.approx(1 / (6 + low_temperature.start_odds(0.1, once, never)), rel=1e-12)
    assert np.exp(low_temperature.log_start_odds(0.1, once, never)) == pytest.approx(
        low_temperature.start_odds(0.1, once, never)
    )


def test_a_step_in_a_bowl_goes_as_far_as_it_may() -> None:
    run = Bowls(smoothness=(2.0,), factors=(1.0,), starts=(3.0,), steps=2).execute(Unattended())
    assert run.metrics["moved"].tolist() == [3.0, 3.0]
    assert movement_bound.movement_bound(1, 2.0, run.metrics["first_loss"][0]) == pytest.approx(3.0)
