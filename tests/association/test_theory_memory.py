"""Theorem 3's equations: derived by SymPy, solved, and compared with matrices."""

import numpy as np
import pytest
import sympy as sp

from lemmata.core import Unattended, UserError
from lemmata.papers.association.run.memory import MemoryFlow
from lemmata.papers.association.run.memory_descent import truncated_losses
from lemmata.papers.association.theory import memory

TIMES = np.concatenate([[0.0], np.logspace(-2, 8, 101)])


def gap_over_decay(n: int, alpha: float) -> float:
    """lim (b - b_∞) e^{-a} of the true flow: b ends below its limit for α < 1/2."""
    return (n - 1) * (1 - alpha) / 2 * (1 / (1 - alpha) - 1 / alpha)


def symbolic_rates():
    """d/dt of β_1, β_2 from the gradient of the mean cross-entropy, by SymPy."""
    b1, b2, alpha = sp.symbols("beta_1 beta_2 alpha", real=True)
    first, second = sp.Matrix([[1, -1], [-1, 1], [0, 0]]), sp.Matrix([[1, 1], [1, 1], [-2, -2]])
    w = sp.Matrix(3, 2, lambda i, j: sp.Symbol(f"w{i}{j}", real=True))
    goal = sp.Matrix([[1 - alpha, 0], [0, 1 - alpha], [alpha, alpha]])
    loss = -sum(
        goal[i, j] * (w[i, j] - sp.log(sum(sp.exp(w[k, j]) for k in range(3)))) for i in range(3) for j in range(2)
    )
    at = {w[i, j]: (b1 * first + b2 * second)[i, j] for i in range(3) for j in range(2)}
    descent = sp.Matrix(3, 2, lambda i, j: -sp.diff(loss / 2, w[i, j]).subs(at))
    rates = [
        sp.simplify(sum(descent.multiply_elementwise(m)) / sum(m.multiply_elementwise(m))) for m in (first, second)
    ]
    outside = descent - rates[0] * first - rates[1] * second
    return (b1, b2, alpha), rates, outside


def test_equation_42_by_sympy():
    symbols, rates, outside = symbolic_rates()
    assert sp.simplify(outside) == sp.zeros(3, 2)
    numeric = sp.lambdify(symbols, rates)
    for point in np.random.default_rng(0).normal(size=(5, 2)):
        right = memory.coefficient_rates(*point, 0.3)
        np.testing.assert_allclose(numeric(*point, 0.3), right, rtol=1e-12)
        printed = memory.printed_coefficient_rates(*point, 0.3)
        np.testing.assert_allclose(printed, (4 * right[0], 12 * right[1]), rtol=1e-12)
        # a = -2 β_1, b = -β_1 - 3 β_2 turn (42) into (43), printed and right alike.
        a, b = -2 * point[0], -point[0] - 3 * point[1]
        for (first, second), margins in (
            (right, memory.margin_rates(2, 0.3)),
            (printed, memory.printed_margin_rates(0.3)),
        ):
            np.testing.assert_allclose(margins(a, b), (-2 * first, -first - 3 * second), rtol=1e-9, atol=1e-12)


def test_slaved_expansion_by_sympy():
    """With e^a = ε and b at rest to first order in ε, the decay rate of a gives the constants."""
    eps, alpha, n, shift = sp.symbols("epsilon alpha n c", positive=True)
    weight = alpha / (1 - alpha) * (1 + shift * eps)  # e^b

    def first_order(expression):
        return sp.simplify(sp.diff(expression, eps).subs(eps, 0))

    total = 1 + (n - 1) * eps + weight
    rise = 1 - alpha - 1 / total
    rest = sp.solve(first_order(alpha - weight / total - rise), shift)[0]
    decay = first_order(((-eps / total - rise) / n).subs(shift, rest))
    value = {n: 3, alpha: sp.Rational(1, 4)}
    assert float((-1 / decay).subs(value)) == pytest.approx(memory.constant(3, 0.25))
    assert float(rest.subs(value)) == pytest.approx(gap_over_decay(3, 0.25))
    total = 1 + eps + weight
    rest = sp.solve(first_order((2 - 8 * weight) / total - 2 + 10 * alpha), shift)[0]
    decay = first_order(((2 - 2 * eps) / total - 2 + 2 * alpha).subs(shift, rest))
    assert float((-1 / decay).subs(alpha, sp.Rational(1, 4))) == pytest.approx(memory.printed_flow_constant(0.25))
    assert float(rest.subs(alpha, sp.Rational(1, 4))) == pytest.approx((0.25 - 1 / 5) / 0.25)


@pytest.mark.parametrize(("n", "alpha"), [(2, 0.1), (2, 0.3), (3, 0.03), (5, 0.2)])
def test_limits_to_ten_to_the_eight(n, alpha):
    path = memory.integrate(memory.margin_rates(n, alpha), TIMES)
    assert TIMES[-1] * np.exp(path.a[-1]) == pytest.approx(memory.constant(n, alpha), rel=1e-4)
    assert path.b[-1] == pytest.approx(memory.limit_b(alpha), abs=1e-5)
    late = 80
    assert (path.b[late] - memory.limit_b(alpha)) * np.exp(-path.a[late]) == pytest.approx(
        gap_over_decay(n, alpha), rel=1e-2
    )


def test_printed_equation_has_another_constant_than_printed():
    path = memory.integrate(memory.printed_margin_rates(0.3), TIMES)
    found = TIMES[-1] * np.exp(path.a[-1])
    assert found == pytest.approx(memory.printed_flow_constant(0.3), rel=1e-5)
    assert abs(found / memory.printed_constant(0.3) - 1) > 0.05


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_singular_values_are_those_of_the_matrix(n):
    a, b = -3.0, -1.3
    s = -((n - 1) * a + b) / (n + 1)
    matrix = np.full((n + 1, n), s + a)
    matrix[:n][np.eye(n, dtype=bool)] = s
    matrix[n] = s + b
    assert np.abs(matrix.sum(axis=0)).max() < 1e-12
    signal, noise = memory.singular_values(np.array(a), np.array(b), n)
    expected = np.sort([float(signal)] * (n - 1) + [float(noise)])
    np.testing.assert_allclose(np.sort(np.linalg.svd(matrix, compute_uv=False)), expected, rtol=1e-11)


def test_which_singular_value_carries_the_noise():
    for n in range(2, 8):
        path = memory.integrate(memory.margin_rates(n, 0.2), TIMES)
        signal, noise = memory.singular_values(path.a, path.b, n)
        assert (noise[-1] < signal[-1]) == memory.noise_is_smallest(n, 0.2)
        if n >= 4:
            crossed = TIMES[np.argmax((noise > signal) & (TIMES > 1))]
            assert 0.3 < memory.crossing_time(n, 0.2) / crossed < 3
    assert memory.noise_to_signal(2) < 1 == memory.noise_to_signal(3) < memory.noise_to_signal(4)
    with pytest.raises(UserError, match="4 or more"):
        memory.crossing_time(3, 0.2)


def test_flow_of_the_matrix_follows_the_margins():
    config = MemoryFlow(inputs=3, width=5, alpha=0.2, last_time=1e6, points=31)
    found = config.execute(Unattended())
    path = memory.integrate(memory.margin_rates(3, 0.2), config.times)
    np.testing.assert_allclose(found.metrics["a"], path.a, atol=1e-7)
    np.testing.assert_allclose(found.metrics["b"], path.b, atol=1e-7)
    signal, noise = memory.singular_values(path.a, path.b, 3)
    np.testing.assert_allclose(found.metrics["noise_singular"][-1], noise[-1], rtol=1e-7)
    np.testing.assert_allclose(found.metrics["signal_singular"][-1], signal[-1], rtol=1e-7)
    correct, wrong, probability = memory.probabilities(path.a[-1:], path.b[-1:], 3)
    assert found.metrics["full_correct"][-1] == pytest.approx(correct[0])
    assert found.metrics["full_wrong"][-1] == pytest.approx(2 * wrong[0], rel=1e-4)
    assert found.metrics["full_noise"][-1] == pytest.approx(probability[0])


def test_lemma_h2_by_sympy():
    a, last = sp.symbols("a T", positive=True)
    printed = a * (1 - a**last) / (a - 1) ** 2 + a ** (last + 1) * last / (a - 1)
    assert sp.simplify(printed.subs(last, 1) - a) == 0
    assert sp.simplify(printed.subs(last, last + 1) - printed - a ** (last + 1) * (last + 1)) == 0


def test_truncated_losses_against_one_matrix():
    stream = np.random.default_rng(0)
    inputs, outputs, weight = (
        stream.normal(size=(1, 3, 5)),
        stream.normal(size=(1, 4, 5)),
        stream.normal(size=(1, 1, 5, 5)),
    )
    losses = truncated_losses(inputs, outputs, weight, (2, 5))
    left, values, right = np.linalg.svd(weight[0, 0])
    low = left[:, :2] @ np.diag(values[:2]) @ right[:2]
    for name, matrix in (("full", weight[0, 0]), ("rank_5", weight[0, 0]), ("rank_2", low)):
        logits = inputs[0] @ matrix.T @ outputs[0].T
        probability = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        assert losses[name][0, 0] == pytest.approx(-np.log(np.diagonal(probability)).mean())
