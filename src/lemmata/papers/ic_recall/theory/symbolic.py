"""The appendices' algebra, derived again with SymPy from Table 2 alone. Numbers elsewhere in this folder must agree."""

from functools import cache
from typing import Any

import sympy as sp

from lemmata.papers.ic_recall.theory.relations import RELATIONS, TABLE_2

Expression = Any  # SymPy expressions; its own annotations do not see that sums of them are expressions
T = sp.Symbol("T", positive=True)
X = sp.Symbol("x", positive=True)
V = sp.symbols("v1:7", positive=True)
ZERO, HALF, QUARTER = sp.Integer(0), sp.Rational(1, 2), sp.Rational(1, 4)
UNIFORM = (sp.Rational(1, 6),) * 6
SADDLE = (QUARTER, QUARTER, QUARTER, QUARTER, ZERO, ZERO)
DIRECTION = (HALF, HALF, -HALF, -HALF, ZERO, ZERO)  # towards one pair


@cache
def logits() -> tuple[Expression, ...]:
    """l(r_1) ... l(r_6) as polynomials in v_1 ... v_6."""
    return tuple(sum((sum(V[i - 1] for i in group) ** 2 for group in TABLE_2[name]), ZERO) for name in RELATIONS)


@cache
def pairwise_gaps() -> tuple[Expression, ...]:
    """d_2 ... d_6 on v = (x, x, 1/2 - x, 1/2 - x, 0, 0) (proof of Theorem B.3)."""
    on_line = dict(zip(V, (X, X, HALF - X, HALF - X, ZERO, ZERO), strict=True))
    first, *others = (logit.subs(on_line) for logit in logits())
    return tuple(sp.expand(other - first) for other in others)


@cache
def limit_point() -> Expression:
    """The root of d_2 = d_6 in (0, 1/4)."""
    gaps = pairwise_gaps()
    (root,) = (r for r in sp.solve(gaps[0] - gaps[4], X) if 0 < r < QUARTER)
    return root


@cache
def curve_derivatives(start: tuple) -> dict[str, tuple[Expression, ...]]:
    """On v(x) = softmax(theta + x DIRECTION) from v(0) = start, at x = 0: v', v'' and, for every relation, l, grad l,
    l', grad l . v'', v'^T Hess l v', l''."""
    step = sp.Symbol("step", real=True)
    weights = [a * sp.exp(step * e) for a, e in zip(start, DIRECTION, strict=True)]
    first, second = (
        sp.Matrix([sp.diff(w / sum(weights), step, order).subs(step, 0) for w in weights]) for order in (1, 2)
    )
    here = dict(zip(V, start, strict=True))
    gradients = sp.Matrix(logits()).jacobian(V).subs(here)
    bent = tuple((gradients * second).flat())
    moved = tuple((first.T * sp.hessian(logit, V) * first)[0] for logit in logits())
    return {
        "v''": tuple(second.flat()),
        "l": tuple(logit.subs(here) for logit in logits()),
        "grad l": tuple(gradients.flat()),
        "l'": tuple((gradients * first).flat()),
        "grad l . v''": bent,
        "v' Hess l v'": moved,
        "l''": tuple(b + m for b, m in zip(bent, moved, strict=True)),
    }


@cache
def saddle_curvature() -> Expression:
    """f''(0) for f = L_1 along the curve from the saddle (Lemma B.5): (E[l''] - l_1'')/T + Var(l')/T^2."""
    found = curve_derivatives(SADDLE)
    weights = [sp.exp((logit - found["l"][0]) / T) for logit in found["l"]]

    def mean(values: tuple[Expression, ...]) -> Expression:
        return sum(w * value for w, value in zip(weights, values, strict=True)) / sum(weights)

    spread = mean(tuple(s**2 for s in found["l'"])) - mean(found["l'"]) ** 2
    return sp.simplify((mean(found["l''"]) - found["l''"][0]) / T + spread / T**2)
