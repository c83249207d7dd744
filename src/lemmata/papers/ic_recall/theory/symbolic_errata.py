"""The wrong formulas of Appendices B and C beside what SymPy derives from Table 2: which form is the derived one?

Rational constants are read from this folder's own tables, so that a slip in those would be seen too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import sympy as sp

from lemmata.papers.ic_recall.theory import low_temperature, pairwise_line, saddle, symbolic
from lemmata.papers.ic_recall.theory.symbolic import Expression, T, V, X

HALF, QUARTER, SIXTH = sp.Rational(1, 2), sp.Rational(1, 4), sp.Rational(1, 6)
DIRECTION = (HALF, HALF, -HALF, -HALF, sp.Integer(0), sp.Integer(0))
SADDLE = (QUARTER,) * 4 + (sp.Integer(0),) * 2
ODDS = sp.symbols("w2:7", positive=True)  # p(r_j) / p(r_1), j = 2 ... 6
P = tuple(odd / (1 + sum(ODDS)) for odd in (sp.Integer(1), *ODDS))
P2 = sp.Symbol("p2", positive=True)
GROWTH = sp.Symbol("E", positive=True)  # e^(h/T) at the root of Psi-tilde
DIGITS = 50

Forms = Sequence[Expression]


@dataclass(frozen=True)
class Identity:
    """A formula of the paper: its words as printed and as corrected, and (derived, printed, corrected) expressions."""

    name: str
    printed: str
    corrected: str
    forms: Callable[[], tuple[Forms, Forms, Forms]]

    def verdicts(self) -> tuple[bool, bool]:
        """Whether the printed and the corrected form are what Table 2 gives."""
        derived, printed, corrected = self.forms()
        return _same(derived, printed), _same(derived, corrected)


def vanishes(expression: Expression) -> bool:
    """Whether an expression is zero everywhere: no if it is not zero at one point, yes if SymPy reduces it to 0."""
    expression = sp.sympify(expression)
    point = {s: sp.Rational(2 + 3 * i, 29 + i) for i, s in enumerate(sorted(expression.free_symbols, key=str))}
    if abs(sp.N(expression.subs(point), DIGITS)) > sp.Float(10) ** (10 - DIGITS):
        return False
    if sp.expand(sp.numer(sp.together(expression))) == 0 or sp.simplify(expression) == 0:
        return True
    raise ArithmeticError(f"neither zero nor visibly not: {expression}")


def _same(derived: Forms, given: Forms) -> bool:
    return all(vanishes(a - b) for a, b in zip(derived, given, strict=True))


def _exact(numbers: np.ndarray) -> list[Expression]:
    """The rationals that floats of the theory's tables stand for (their denominators are at most 72)."""
    return [sp.Rational(*Fraction(float(x)).limit_denominator(1000).as_integer_ratio()) for x in numbers.ravel()]


def _polynomial(row: np.ndarray) -> Expression:
    square, linear, constant = _exact(row)
    return square * X**2 + linear * X + constant


def _gap(j: int) -> tuple[Forms, Forms, Forms]:
    tables = pairwise_line.PRINTED_GAPS[j - 2], pairwise_line.GAPS[j - 2]
    printed, corrected = (_polynomial(row) for row in tables)
    return [symbolic.pairwise_gaps()[j - 2]], [printed], [corrected]


def _h() -> tuple[Forms, Forms, Forms]:
    d2, _, _, _, d6 = symbolic.pairwise_gaps()
    return [d2 - d6], [_polynomial(pairwise_line.PRINTED_H)], [_polynomial(pairwise_line.H)]


def _limit() -> tuple[Forms, Forms, Forms]:
    return [symbolic.limit_point()], [(4 - sp.sqrt(6)) / 10], _exact(np.array([pairwise_line.LIMIT]))


def _psi_slope() -> tuple[Forms, Forms, Forms]:
    """At the root d_2' e^(h/T) = -d_6', which takes the exponential out of the middle term."""
    d2, _, _, _, d6 = symbolic.pairwise_gaps()
    slope = sp.diff(d2, X, 2) * GROWTH - sp.diff(d6, X) * sp.diff(d2 - d6, X) / T + sp.diff(d6, X, 2)
    printed = -16 * GROWTH + 6 * X * (4 - 10 * X) / T - 6
    return [slope], [printed], [-16 * GROWTH + 4 * X * (4 - 12 * X) / T - 4]


def _mirror() -> tuple[Forms, Forms, Forms]:
    def odds(x: Expression) -> Expression:
        return sum(sp.exp(sp.expand(gap.subs(X, x)) / T) for gap in symbolic.pairwise_gaps())

    return [odds(X)], [odds(QUARTER - X)], [odds(HALF - X)]


@cache
def _at_saddle() -> dict[str, tuple[Expression, ...]]:
    return symbolic.curve_derivatives(SADDLE, DIRECTION)


@cache
def _saddle_probabilities(step: Expression) -> list[Expression]:
    """p(r_1) ... p(r_6) at the saddle with every logit moved by `step` times its slope."""
    found = _at_saddle()
    logits = [level + step * slope for level, slope in zip(found["l"], found["l'"], strict=True)]
    weights = [sp.exp((logit - found["l"][0]) / T) for logit in logits]
    return [w / sum(weights) for w in weights]


def _saddle_gap() -> tuple[Forms, Forms, Forms]:
    first, _, *others = _at_saddle()["l"]
    return [first - other for other in others], [sp.Rational(3, 16)] * 4, [sp.Rational(1, 8)] * 4


def _saddle_gradients() -> tuple[Forms, Forms, Forms]:
    tables = saddle.PRINTED_LOGIT_GRADIENTS, saddle.LOGIT_GRADIENTS
    printed, corrected = (_exact(table) for table in tables)
    return _at_saddle()["grad l"], printed, corrected


def _term_two() -> tuple[Forms, Forms, Forms]:
    """l'^T (Hessian of p_1 in the logits) l' is the second derivative of p_1 along l'."""
    step = sp.Symbol("step", real=True)
    derived = sp.diff(_saddle_probabilities(step)[0], step, 2).subs(step, 0)
    p1, _, p3, *_ = _saddle_probabilities(sp.Integer(0))
    return [derived], [-p1 * p3**2 / (16 * T**2)], [-p1 * p3 / (32 * T**2)]


def _saddle_curvature() -> tuple[Forms, Forms, Forms]:
    printed = -1 / (8 * T) + 1 / (16 * T**2 * (4 + 2 * sp.exp(3 / (16 * T))) ** 2)
    corrected = -1 / (8 * T) + 1 / (32 * T**2 * (4 + 2 * sp.exp(1 / (8 * T))))
    return [symbolic.saddle_curvature()], [printed], [corrected]


@cache
def _gradient() -> tuple[Expression, ...]:
    """dL_1/dv by SymPy, its exponentials written as the odds w_j so that all is rational."""
    first, *others = symbolic.logits()
    odds = {sp.exp((other - first) / T): odd for other, odd in zip(others, ODDS, strict=True)}
    return tuple(sp.diff(symbolic.loss(), v).xreplace(odds) for v in V)


def _symmetric_gradient() -> tuple[Forms, Forms, Forms]:
    v1, v2, v3, v4, v5, _ = V
    where = {v3: v1, v4: v2, v5: 0}
    first, *others = (sp.expand(logit.subs(where)) for logit in symbolic.logits())
    odds = {odd: sp.exp((other - first) / T) for odd, other in zip(ODDS, others, strict=True)}
    printed = [-2 * (P[4] + P[5]) * v2, -2 * (P[3] + P[5]) * v1]
    derived = [g.subs(where).subs(odds) for g in _gradient()[:2]]
    printed = [form.subs(odds) for form in printed]
    return derived, printed, [form / T for form in printed]


def _mean_logit() -> Expression:
    return sum(p * logit for p, logit in zip(P, symbolic.logits(), strict=True))


def _inner_product() -> tuple[Forms, Forms, Forms]:
    derived = sum(v * g for v, g in zip(V, _gradient(), strict=True))
    return [derived], [_mean_logit()], [2 / T * (_mean_logit() - symbolic.logits()[0])]


def _differences() -> tuple[Forms, Forms, Forms]:
    v1, v2, v3, v4, v5, _ = V
    gradient = _gradient()
    inner = sum(v * g for v, g in zip(V, gradient, strict=True))
    theta = [v * (g - inner) for v, g in zip(V, gradient, strict=True)]
    _, p2, p3, p4, p5, p6 = P
    lead = symbolic.logits()[0] - _mean_logit()
    crossed = (p2 + p4) * v1 * v4 - (p2 + p5) * v2 * v3
    printed = [crossed - (p4 + p6) * v2 * v5 + (v1 - v2) * lead, -crossed - (p3 + p5) * v4 * v5 + (v3 - v4) * lead]
    return [T * (theta[0] - theta[1]), T * (theta[2] - theta[3])], printed, [2 * form for form in printed]


@cache
def _at_uniform() -> dict[str, tuple[Expression, ...]]:
    return symbolic.curve_derivatives((SIXTH,) * 6, DIRECTION)


def _acceleration() -> tuple[Forms, Forms, Forms]:
    tables = low_temperature.PRINTED_CURVE_ACCELERATION, low_temperature.CURVE_ACCELERATION
    printed, corrected = (_exact(table) for table in tables)
    return _at_uniform()["v''"], printed, corrected


def _parts(name: str, first: int) -> tuple[Forms, Forms, Forms]:
    tables = low_temperature.PRINTED_SECOND_ORDER_PARTS, low_temperature.SECOND_ORDER_PARTS
    printed, corrected = (_exact(table[first : first + 2]) for table in tables)
    return _at_uniform()[name][:2], printed, corrected


def _confusing_curvature() -> tuple[Forms, Forms, Forms]:
    """With r_1 and r_2 alone, whose slopes are equal: f'' = -p_2 (l_1'' - l_2'') / T."""
    first, second, *_ = _at_uniform()["l''"]
    return [-P2 * (first - second) / T], [-P2 / (12 * T)], [-P2 / (9 * T)]


def _confusing_gradient() -> tuple[Forms, Forms, Forms]:
    v1, v2, v3, v4, _, _ = V
    first, second, *_ = symbolic.logits()
    zero = sp.Integer(0)
    printed = [P2 / T * form for form in (v4 - v2, v3 - v1, v2 - v4, v1 - v3, zero, zero)]
    derived = [P2 / T * (sp.diff(second, v) - sp.diff(first, v)) for v in V]
    return derived, printed, [2 * form for form in printed]


def _confusing_gap() -> tuple[Forms, Forms, Forms]:
    return [symbolic.confusing_gap()], [sp.Integer(1)], [sp.Integer(2)]


IDENTITIES: tuple[Identity, ...] = (
    Identity("Theorem B.3: d_2", "-8x² + 4x - 1/2", "-8x² + 4x - 1/2", lambda: _gap(2)),
    Identity("Theorem B.3: d_3", "-3x² + 3x - 3/4", "-2x² + 2x - 1/2", lambda: _gap(3)),
    Identity("Theorem B.3: d_4", "-7x² + 4x - 3/4", "-6x² + 3x - 1/2", lambda: _gap(4)),
    Identity("Theorem B.3: d_5", "-7x² + 3x - 1/2", "-6x² + 3x - 1/2", lambda: _gap(5)),
    Identity("Theorem B.3: d_6", "-3x²", "-2x²", lambda: _gap(6)),
    Identity("Theorem B.3: h = d_2 - d_6", "-5x² + 4x - 1/2", "-6x² + 4x - 1/2", _h),
    Identity("Theorem B.3: x_0", "(4 - √6)/10", "1/6", _limit),
    Identity("Theorem B.3: mirror image of x", "1/4 - x", "1/2 - x", _mirror),
    Identity(
        "Claim 1: slope of Psi-tilde at its root",
        "-16 e^(h/T) + 6x(4 - 10x)/T - 6",
        "-16 e^(h/T) + 4x(4 - 12x)/T - 4",
        _psi_slope,
    ),
    Identity(
        "Lemma B.4: dL/dv_1, dL/dv_2 where the pairs agree",
        "-2(p_5 + p_6)v_2, -2(p_4 + p_6)v_1",
        "1/T times that",
        _symmetric_gradient,
    ),
    Identity("Lemma B.5: l(r_1) - l(r_j) at the saddle, j ≥ 3", "3/16", "1/8", _saddle_gap),
    Identity("Lemma B.5: fifth entries of grad l_3 ... grad l_6", "0", "1/2", _saddle_gradients),
    Identity("Lemma B.5: term II", "-p_1 p_3²/(16T²)", "-p_1 p_3/(32T²)", _term_two),
    Identity(
        "Lemma B.5: f''(0)",
        "-1/(8T) + 1/(16T²(4 + 2e^(3/(16T)))²)",
        "-1/(8T) + 1/(32T²(4 + 2e^(1/(8T))))",
        _saddle_curvature,
    ),
    Identity("Lemma B.7: Σ v_j dL/dv_j", "Σ p l", "(2/T)(Σ p l - l(r_1))", _inner_product),
    Identity("Lemma B.7: differences of dL/dθ", "without the factor 2", "with the factor 2", _differences),
    Identity("Lemma C.2: v''(0)", "v_i/12", "v_i/12 (i ≤ 4), -v_i/6 (i = 5, 6)", _acceleration),
    Identity("Lemma C.2: grad l · v'' for l_1, l_2", "1/24, 1/24", "1/36, 1/36", lambda: _parts("grad l . v''", 0)),
    Identity("Lemma C.2: v' Hess l v' for l_1, l_2", "1/12, 0", "1/9, 0", lambda: _parts("v' Hess l v'", 2)),
    Identity("Lemma C.2: l_1'', l_2''", "1/8, 1/24", "5/36, 1/36", lambda: _parts("l''", 4)),
    Identity("Lemma C.2: f''(0), r_1 and r_2 alone", "-p_2/(12T)", "-p_2/(9T)", _confusing_curvature),
    Identity("Lemma C.3: gradient, r_1 and r_2 alone", "(1/T)p_2(v_4 - v_2), ...", "twice that", _confusing_gradient),
    Identity("Lemma C.3: l(r_1) - l(r_2)", "g", "2g", _confusing_gap),
)
