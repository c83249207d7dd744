"""The wrong formulas of Appendices B and C beside what SymPy derives from Table 2: which form is the derived one?

Rational constants are read from this folder's own tables, so that a slip in those would be seen too.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import sympy as sp

from lemmata.papers.ic_recall.theory import low_temperature, pairwise_line, saddle, symbolic
from lemmata.papers.ic_recall.theory.symbolic import HALF, QUARTER, ZERO, Expression, T, V, X

ODDS = sp.symbols("w2:7", positive=True)  # p(r_j) / p(r_1), j = 2 ... 6
P = tuple(odd / (1 + sum(ODDS)) for odd in (sp.Integer(1), *ODDS))
P2 = sp.Symbol("p2", positive=True)
GROWTH = sp.Symbol("E", positive=True)  # e^(h/T) at the root of Psi-tilde
DIGITS = 50

Forms = Sequence[Expression]


class Identity(NamedTuple):
    """A formula of the paper: its words as printed and as corrected, what Table 2 gives, and the two forms."""

    name: str
    printed: str
    corrected: str
    derived: Forms
    printed_forms: Forms
    corrected_forms: Forms

    def verdicts(self) -> tuple[bool, bool]:
        """Whether the printed and the corrected form are what Table 2 gives."""
        return self._derives(self.printed_forms), self._derives(self.corrected_forms)

    def _derives(self, given: Forms) -> bool:
        return all(vanishes(a - b) for a, b in zip(self.derived, given, strict=True))


def vanishes(expression: Expression) -> bool:
    """Whether an expression is zero everywhere: no if it is not zero at one point, yes if SymPy reduces it to 0."""
    expression = sp.sympify(expression)
    point = {s: sp.Rational(2 + 3 * i, 29 + i) for i, s in enumerate(sorted(expression.free_symbols, key=str))}
    if abs(sp.N(expression.subs(point), DIGITS)) > sp.Float(10) ** (10 - DIGITS):
        return False
    if sp.expand(sp.numer(sp.together(expression))) == 0 or sp.simplify(expression) == 0:
        return True
    raise ArithmeticError(f"neither zero nor visibly not: {expression}")


def _exact(numbers: np.ndarray) -> list[Expression]:
    """The rationals that floats of the theory's tables stand for (their denominators are at most 72)."""
    return [sp.Rational(*Fraction(float(x)).limit_denominator(1000).as_integer_ratio()) for x in numbers.ravel()]


def _polynomial(row: np.ndarray) -> Forms:
    square, linear, constant = _exact(row)
    return [square * X**2 + linear * X + constant]


def _theorem_b3() -> Iterator[Identity]:
    gaps = symbolic.pairwise_gaps()
    words = (
        ("-8x² + 4x - 1/2", "-8x² + 4x - 1/2"),
        ("-3x² + 3x - 3/4", "-2x² + 2x - 1/2"),
        ("-7x² + 4x - 3/4", "-6x² + 3x - 1/2"),
        ("-7x² + 3x - 1/2", "-6x² + 3x - 1/2"),
        ("-3x²", "-2x²"),
    )
    for j, (said, right) in enumerate(words):
        forms = _polynomial(pairwise_line.PRINTED_GAPS[j]), _polynomial(pairwise_line.GAPS[j])
        yield Identity(f"Theorem B.3: d_{j + 2}", said, right, [gaps[j]], *forms)
    d2, d6 = gaps[0], gaps[4]
    forms = _polynomial(pairwise_line.PRINTED_H), _polynomial(pairwise_line.H)
    yield Identity("Theorem B.3: h = d_2 - d_6", "-5x² + 4x - 1/2", "-6x² + 4x - 1/2", [d2 - d6], *forms)
    forms = [(4 - sp.sqrt(6)) / 10], _exact(np.array([pairwise_line.LIMIT]))
    yield Identity("Theorem B.3: x_0", "(4 - √6)/10", "1/6", [symbolic.limit_point()], *forms)

    def odds(x: Expression) -> Forms:
        return [sum(sp.exp(sp.expand(gap.subs(X, x)) / T) for gap in gaps)]

    mirrored = odds(QUARTER - X), odds(HALF - X)
    yield Identity("Theorem B.3: mirror image of x", "1/4 - x", "1/2 - x", odds(X), *mirrored)
    yield Identity(
        "Claim 1: slope of Psi-tilde at its root",
        "-16 e^(h/T) + 6x(4 - 10x)/T - 6",
        "-16 e^(h/T) + 4x(4 - 12x)/T - 4",
        # At the root d_2' e^(h/T) = -d_6', which takes the exponential out of the middle term.
        [sp.diff(d2, X, 2) * GROWTH - sp.diff(d6, X) * sp.diff(d2 - d6, X) / T + sp.diff(d6, X, 2)],
        [-16 * GROWTH + 6 * X * (4 - 10 * X) / T - 6],
        [-16 * GROWTH + 4 * X * (4 - 12 * X) / T - 4],
    )


def _gradient() -> list[Expression]:
    """dL_1/dv by SymPy, its exponentials written as the odds w_j so that all is rational."""
    first, *others = symbolic.logits()
    odds = {sp.exp((other - first) / T): odd for other, odd in zip(others, ODDS, strict=True)}
    return [sp.diff(sp.log(1 + sum(odds)), v).xreplace(odds) for v in V]


def _lemma_b4() -> Iterator[Identity]:
    v1, v2, v3, v4, v5, _ = V
    where = {v3: v1, v4: v2, v5: 0}
    first, *others = (sp.expand(logit.subs(where)) for logit in symbolic.logits())
    odds = {odd: sp.exp((other - first) / T) for odd, other in zip(ODDS, others, strict=True)}
    printed = [form.subs(odds) for form in (-2 * (P[4] + P[5]) * v2, -2 * (P[3] + P[5]) * v1)]
    yield Identity(
        "Lemma B.4: dL/dv_1, dL/dv_2 where the pairs agree",
        "-2(p_5 + p_6)v_2, -2(p_4 + p_6)v_1",
        "1/T times that",
        [g.subs(where).subs(odds) for g in _gradient()[:2]],
        printed,
        [form / T for form in printed],
    )


def _lemma_b5() -> Iterator[Identity]:
    found = symbolic.curve_derivatives(symbolic.SADDLE)
    first, _, *others = found["l"]
    gaps, eighths = [first - other for other in others], [sp.Rational(1, 8)] * 4
    name = "Lemma B.5: l(r_1) - l(r_j) at the saddle, j ≥ 3"
    yield Identity(name, "3/16", "1/8", gaps, [sp.Rational(3, 16)] * 4, eighths)
    forms = _exact(saddle.PRINTED_LOGIT_GRADIENTS), _exact(saddle.LOGIT_GRADIENTS)
    yield Identity("Lemma B.5: fifth entries of grad l_3 ... grad l_6", "0", "1/2", found["grad l"], *forms)
    # Term II, l'^T (Hessian of p_1 in the logits) l', is the second derivative of p_1 along l'.
    step = sp.Symbol("step", real=True)
    moved = [level + step * slope for level, slope in zip(found["l"], found["l'"], strict=True)]
    weights = [sp.exp((logit - first) / T) for logit in moved]
    p = [w / sum(weights) for w in weights]
    p1, p3 = p[0].subs(step, 0), p[2].subs(step, 0)
    forms = [-p1 * p3**2 / (16 * T**2)], [-p1 * p3 / (32 * T**2)]
    derived = [sp.diff(p[0], step, 2).subs(step, 0)]
    yield Identity("Lemma B.5: term II", "-p_1 p_3²/(16T²)", "-p_1 p_3/(32T²)", derived, *forms)
    yield Identity(
        "Lemma B.5: f''(0)",
        "-1/(8T) + 1/(16T²(4 + 2e^(3/(16T)))²)",
        "-1/(8T) + 1/(32T²(4 + 2e^(1/(8T))))",
        [symbolic.saddle_curvature()],
        [-1 / (8 * T) + 1 / (16 * T**2 * (4 + 2 * sp.exp(3 / (16 * T))) ** 2)],
        [-1 / (8 * T) + 1 / (32 * T**2 * (4 + 2 * sp.exp(1 / (8 * T))))],
    )


def _lemma_b7() -> Iterator[Identity]:
    v1, v2, v3, v4, v5, _ = V
    _, p2, p3, p4, p5, p6 = P
    inner = sum(v * g for v, g in zip(V, _gradient(), strict=True))
    mean, first = sum(p * logit for p, logit in zip(P, symbolic.logits(), strict=True)), symbolic.logits()[0]
    corrected = [2 / T * (mean - first)]
    yield Identity("Lemma B.7: Σ v_j dL/dv_j", "Σ p l", "(2/T)(Σ p l - l(r_1))", [inner], [mean], corrected)
    theta = [v * (g - inner) for v, g in zip(V, _gradient(), strict=True)]
    derived = [T * (theta[0] - theta[1]), T * (theta[2] - theta[3])]
    lead, crossed = first - mean, (p2 + p4) * v1 * v4 - (p2 + p5) * v2 * v3
    printed = [crossed - (p4 + p6) * v2 * v5 + (v1 - v2) * lead, -crossed - (p3 + p5) * v4 * v5 + (v3 - v4) * lead]
    corrected = [2 * form for form in printed]
    name = "Lemma B.7: differences of dL/dθ"
    yield Identity(name, "without the factor 2", "with the factor 2", derived, printed, corrected)


def _lemma_c2() -> Iterator[Identity]:
    found = symbolic.curve_derivatives(symbolic.UNIFORM)
    forms = _exact(low_temperature.PRINTED_CURVE_ACCELERATION), _exact(low_temperature.CURVE_ACCELERATION)
    yield Identity("Lemma C.2: v''(0)", "v_i/12", "v_i/12 (i ≤ 4), -v_i/6 (i = 5, 6)", found["v''"], *forms)
    printed, corrected = (
        _exact(table) for table in (low_temperature.PRINTED_SECOND_ORDER_PARTS, low_temperature.SECOND_ORDER_PARTS)
    )
    for i, (name, part, said, right) in enumerate(
        (
            ("grad l · v'' for l_1, l_2", "grad l . v''", "1/24, 1/24", "1/36, 1/36"),
            ("v' Hess l v' for l_1, l_2", "v' Hess l v'", "1/12, 0", "1/9, 0"),
            ("l_1'', l_2''", "l''", "1/8, 1/24", "5/36, 1/36"),
        )
    ):
        pair = slice(2 * i, 2 * i + 2)
        yield Identity(f"Lemma C.2: {name}", said, right, found[part][:2], printed[pair], corrected[pair])
    # With r_1 and r_2 alone, whose slopes are equal: f'' = -p_2 (l_1'' - l_2'') / T.
    derived, forms = [-P2 * (found["l''"][0] - found["l''"][1]) / T], ([-P2 / (12 * T)], [-P2 / (9 * T)])
    yield Identity("Lemma C.2: f''(0), r_1 and r_2 alone", "-p_2/(12T)", "-p_2/(9T)", derived, *forms)


def _lemma_c3() -> Iterator[Identity]:
    v1, v2, v3, v4, _, _ = V
    first, second, *_ = symbolic.logits()
    derived = [P2 / T * sp.diff(second - first, v) for v in V]
    printed = [P2 / T * form for form in (v4 - v2, v3 - v1, v2 - v4, v1 - v3, ZERO, ZERO)]
    words = "Lemma C.3: gradient, r_1 and r_2 alone", "(1/T)p_2(v_4 - v_2), ...", "twice that"
    yield Identity(*words, derived, printed, [2 * form for form in printed])
    g = (v1 - v3) * (v2 - v4)
    yield Identity("Lemma C.3: l(r_1) - l(r_2)", "g", "2g", [first - second], [g], [2 * g])


DERIVATIONS: tuple[Callable[[], Iterator[Identity]], ...] = (
    _theorem_b3,
    _lemma_b4,
    _lemma_b5,
    _lemma_b7,
    _lemma_c2,
    _lemma_c3,
)
