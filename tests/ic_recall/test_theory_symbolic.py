"""The appendices' algebra, derived again with SymPy, equals the numbers in the theory folder."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import sympy as sp

from lemmata.papers.ic_recall.theory import (
    gradients,
    low_temperature,
    pairing,
    pairwise_line,
    saddle,
    second_step,
    symbolic,
    symbolic_errata,
)


def floats(values: object) -> np.ndarray:
    return np.array(values, dtype=float)


def test_gaps_on_the_pairwise_line() -> None:
    rows = [sp.Poly(gap, symbolic.X).all_coeffs() for gap in symbolic.pairwise_gaps()]
    rows = [[0] * (3 - len(row)) + row for row in rows]
    np.testing.assert_array_equal(floats(rows), pairwise_line.GAPS)
    assert not np.allclose(floats(rows), pairwise_line.PRINTED_GAPS)


def first_order_shift() -> symbolic.Expression:
    """c with x_T = x_0 + c T + O(T^2): the slope is zero where (d_2)' e^(h/T) = -(d_6)'."""
    gaps, root = symbolic.pairwise_gaps(), symbolic.limit_point()
    h = gaps[0] - gaps[4]
    balance = sp.log(-sp.diff(gaps[4], symbolic.X) / sp.diff(gaps[0], symbolic.X))
    return sp.simplify((balance / sp.diff(h, symbolic.X)).subs(symbolic.X, root))


def test_limit_point_and_first_order_shift() -> None:
    assert symbolic.limit_point() == sp.Rational(1, 6)
    assert sp.simplify(first_order_shift() + sp.log(2) / 2) == 0


def test_saddle_curvature() -> None:
    t = symbolic.T
    ours = -1 / (8 * t) + 1 / (32 * t**2 * (4 + 2 * sp.exp(1 / (8 * t))))
    assert sp.simplify(symbolic.saddle_curvature() - ours) == 0
    at = float(symbolic.saddle_curvature().subs(t, 0.07))
    assert float(saddle.curvature(0.07)) == pytest.approx(at, rel=1e-12)
    assert float(saddle.printed_curvature(0.07)) != pytest.approx(at, rel=1e-3)


def test_logits_at_the_saddle() -> None:
    found = symbolic.curve_derivatives(symbolic.SADDLE)
    np.testing.assert_allclose(floats(found["grad l"]).reshape(6, 6), saddle.LOGIT_GRADIENTS)
    np.testing.assert_allclose(floats(found["l'"]), np.array([0, 0, 1, 0, 0, -1]) / 8)  # eq. (12)
    np.testing.assert_allclose(floats(found["l''"]), np.array([4, 0, 3, 1, 1, 3]) / 16)  # eq. (15)
    assert found["l"][0] - found["l"][2] == sp.Rational(1, 8)


def test_second_order_parts_near_uniform_attention() -> None:
    found = symbolic.curve_derivatives(symbolic.UNIFORM)
    np.testing.assert_allclose(floats(found["v''"]), low_temperature.CURVE_ACCELERATION)
    parts = [*found["grad l . v''"][:2], *found["v' Hess l v'"][:2], *found["l''"][:2]]
    np.testing.assert_allclose(floats(parts), low_temperature.SECOND_ORDER_PARTS)
    # with only r_1 and r_2 alive, f'' = -p_2 (l_1'' - l_2'') / T
    assert float(low_temperature.confusing_curvature(1.0, 1.0)) == pytest.approx(-float(parts[4] - parts[5]))


def homogeneity_defect() -> symbolic.Expression:
    """sum_j v_j dl/dv_j - 2 l, summed over relations: zero, as logits are homogeneous of degree 2 (Lemma B.7)."""
    return sp.expand(sum(sum(v * sp.diff(logit, v) for v in symbolic.V) - 2 * logit for logit in symbolic.logits()))


def two_relation_identities() -> tuple[symbolic.Expression, ...]:
    """What eqs. (26)-(28) and v . grad L of Lemma C.3 leave over when only r_1 and r_2 have weight: all zero."""
    p2 = sp.Symbol("p2", positive=True)
    v1, v2, v3, v4, _, _ = symbolic.V
    gap = (v1 - v3) * (v2 - v4)
    gradient = [
        p2 * (sp.diff(symbolic.logits()[1], v) - sp.diff(symbolic.logits()[0], v)) / symbolic.T for v in symbolic.V
    ]
    inner = sum(v * g for v, g in zip(symbolic.V, gradient, strict=True))
    theta = [v * (g - inner) for v, g in zip(symbolic.V, gradient, strict=True)]
    scale = 2 * p2 / symbolic.T
    squares = sum(v**2 for v in symbolic.V)
    left_over = (
        inner + 4 * p2 * gap / symbolic.T,
        v3 * theta[2] - v1 * theta[0] - scale * ((v1**2 + v3**2) * (v2 - v4) + 2 * (v3**2 - v1**2) * gap),
        v4 * theta[3] - v2 * theta[1] - scale * ((v2**2 + v4**2) * (v1 - v3) + 2 * (v4**2 - v2**2) * gap),
        sum(v * t for v, t in zip(symbolic.V, theta, strict=True)) - scale * (2 * squares - (v1 + v2 + v3 + v4)) * gap,
    )
    return tuple(sp.expand(item) for item in left_over)


def test_identities_of_lemmas_b7_and_c3() -> None:
    assert homogeneity_defect() == 0
    assert two_relation_identities() == (0, 0, 0, 0)


def second_step_initial_gradient() -> tuple[symbolic.Expression, ...]:
    """343 T times the gradient in omega at q = 1/7, as a function of p = p(a_1) (Appendix D)."""
    p = sp.Symbol("p", positive=True)
    q = sp.symbols("q1:8", positive=True)
    seventh = {symbol: sp.Rational(1, 7) for symbol in q}
    rest = q[0] ** 2 + q[2] ** 2 + q[4] ** 2
    own = [rest - q[i] ** 2 + (q[i] + q[6] + 1) ** 2 for i in (0, 2, 4)]
    other = rest + (q[6] + 1) ** 2
    weights = [p, p, p, 1 - 3 * p]
    in_q = [
        sum(w * sp.diff(logit, s) for w, logit in zip(weights, [*own, other], strict=True)) - sp.diff(own[2], s)
        for s in q
    ]
    in_q = [sp.expand(item.subs(seventh)) for item in in_q]
    mean = sum(in_q) / 7
    return tuple(sp.expand(343 * (item - mean) / 7) for item in in_q)


def test_initial_gradient_of_the_second_step() -> None:
    p = sp.Symbol("p", positive=True)
    rows = second_step_initial_gradient()
    ours = second_step.initial_gradients(0.21, 1.0)[7:]
    np.testing.assert_allclose(floats([row.subs(p, sp.Rational(21, 100)) for row in rows]) / 343, ours, rtol=1e-12)
    worst = min(
        sp.Rational(1, 343) * sp.minimum(row - rows[4], p, sp.Interval(0, sp.Rational(1, 3)))
        for i, row in enumerate(rows)
        if i != 4
    )
    assert worst == sp.Rational(32, 147)


@pytest.mark.parametrize("derive", symbolic_errata.DERIVATIONS)
def test_only_the_corrected_form_follows(derive: Callable[[], Iterator[symbolic_errata.Identity]]) -> None:
    for identity in derive():
        assert identity.verdicts() == (identity.printed == identity.corrected, True), identity.name


def test_vanishing_is_decided_not_guessed() -> None:
    t = symbolic.T
    assert symbolic_errata.vanishes(sp.exp(1 / t) * sp.exp(-1 / t) - 1)
    assert symbolic_errata.vanishes((t**2 - 1) / (t - 1) - t - 1)
    assert not symbolic_errata.vanishes(t - t * (1 + sp.Rational(1, 10**30)))


def test_symbolic_forms_are_those_the_claims_use() -> None:
    t, v = 0.3, np.array([0.3, 0.2, 0.15, 0.1, 0.05, 0.2])
    symmetric = np.array([0.3, 0.2, 0.3, 0.2, 0.0, 0.0])
    p1, _, p3, *_ = gradients.relation_probabilities(saddle.SADDLE, t)
    x = 0.12
    e = float(np.exp(np.polyval(pairwise_line.H, x) / t))
    pairs = {
        "Claim 1: slope of Psi-tilde at its root": (None, pairwise_line.rescaled_derivative(x, t)),
        "Lemma B.4: dL/dv_1, dL/dv_2 where the pairs agree": (
            gradients.printed_symmetric_gradient(symmetric, t),
            gradients.printed_symmetric_gradient(symmetric, t) / t,
        ),
        "Lemma B.5: term II": (saddle.printed_term_two(p1, p3, t), saddle.term_two(p1, p3, t)),
        "Lemma B.5: f''(0)": (saddle.printed_curvature(t), saddle.curvature(t)),
        "Lemma B.7: Σ v_j dL/dv_j": (pairing.printed_inner_product(v, t), -2 / t * pairing.advantage(v, t)),
        "Lemma B.7: differences of dL/dθ": (pairing.printed_differences(v, t), 2 * pairing.printed_differences(v, t)),
        "Lemma C.2: f''(0), r_1 and r_2 alone": (
            low_temperature.printed_confusing_curvature(t, 0.4),
            low_temperature.confusing_curvature(t, 0.4),
        ),
        "Lemma C.3: gradient, r_1 and r_2 alone": (
            low_temperature.printed_confusing_gradient(v, 0.4, t),
            2 * low_temperature.printed_confusing_gradient(v, 0.4, t),
        ),
    }
    identities = {identity.name: identity for derive in symbolic_errata.DERIVATIONS for identity in derive()}
    logits = gradients.relation_logits(v)
    odds = np.exp((logits[1:] - logits[0]) / t)
    for name, expected in pairs.items():
        attention = symmetric if "B.4" in name else v
        values = {symbolic.T: t, symbolic.X: x, symbolic_errata.GROWTH: e, symbolic_errata.P2: 0.4}
        values |= dict(zip(symbolic.V, attention, strict=True)) | dict(zip(symbolic_errata.ODDS, odds, strict=True))
        forms = identities[name].printed_forms, identities[name].corrected_forms
        for form, number in zip(forms, expected, strict=True):
            if number is not None:
                found = floats([sp.N(entry.subs(values)) for entry in form])
                np.testing.assert_allclose(found, np.ravel(number), rtol=1e-12, atol=1e-14, err_msg=name)
