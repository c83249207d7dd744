"""The appendices' algebra, derived again with SymPy from Table 2 alone. Numbers elsewhere in this folder must agree."""

from functools import cache
from typing import Any

import sympy as sp

from lemmata.papers.ic_recall.theory.relations import RELATIONS, TABLE_2

Expression = Any  # SymPy expressions; its own annotations do not see that sums of them are expressions
T = sp.Symbol("T", positive=True)
X = sp.Symbol("x", positive=True)
V = sp.symbols("v1:7", positive=True)


@cache
def logits() -> tuple[Expression, ...]:
    """l(r_1) ... l(r_6) as polynomials in v_1 ... v_6."""
    return tuple(
        sum((sum(V[i - 1] for i in group) ** 2 for group in TABLE_2[name]), sp.Integer(0)) for name in RELATIONS
    )


@cache
def loss() -> Expression:
    """L_1(v) = log sum_j exp((l_j - l_1) / T)."""
    first, *others = logits()
    return sp.log(1 + sum(sp.exp((other - first) / T) for other in others))


def at(expression: Expression, values: tuple) -> Expression:
    """An expression in v with these six values put in."""
    return sp.simplify(expression.subs(dict(zip(V, [sp.nsimplify(value) for value in values], strict=True))))


@cache
def pairwise_gaps() -> tuple[Expression, ...]:
    """d_2 ... d_6 on v = (x, x, 1/2 - x, 1/2 - x, 0, 0) (proof of Theorem B.3)."""
    y = sp.Rational(1, 2) - X
    on_line = dict(zip(V, (X, X, y, y, sp.Integer(0), sp.Integer(0)), strict=True))
    first, *others = (logit.subs(on_line) for logit in logits())
    return tuple(sp.expand(other - first) for other in others)


@cache
def limit_point() -> Expression:
    """The root of d_2 = d_6 in (0, 1/4)."""
    gaps = pairwise_gaps()
    (root,) = (r for r in sp.solve(gaps[0] - gaps[4], X) if 0 < r < sp.Rational(1, 4))
    return root


def along(start: tuple, direction: tuple) -> tuple[sp.Symbol, list[Expression]]:
    """v(x) = softmax(theta + x e) as (x, v(x)), from v(0) = start."""
    step = sp.Symbol("step", real=True)
    weights = [sp.nsimplify(a) * sp.exp(step * sp.nsimplify(e)) for a, e in zip(start, direction, strict=True)]
    total = sum(weights)
    return step, [w / total for w in weights]


@cache
def curve_derivatives(start: tuple, direction: tuple) -> dict[str, tuple[Expression, ...]]:
    """v', v'' and, for every relation, l, grad l, l', grad l . v'', v'^T Hess l v', l'' at step 0."""
    step, curve = along(start, direction)
    here = dict(zip(V, [sp.nsimplify(value) for value in start], strict=True))
    first = tuple(sp.simplify(sp.diff(c, step).subs(step, 0)) for c in curve)
    second = tuple(sp.simplify(sp.diff(c, step, 2).subs(step, 0)) for c in curve)
    gradients = [[sp.diff(logit, v).subs(here) for v in V] for logit in logits()]
    hessians = [sp.hessian(logit, V) for logit in logits()]
    velocity = sp.Matrix(first)
    bent = tuple(sum(g * s for g, s in zip(gradient, second, strict=True)) for gradient in gradients)
    moved = tuple((velocity.T * hessian * velocity)[0] for hessian in hessians)
    return {
        "v'": first,
        "v''": second,
        "l": tuple(logit.subs(here) for logit in logits()),
        "grad l": tuple(entry for row in gradients for entry in row),
        "l'": tuple(sum(g * s for g, s in zip(gradient, first, strict=True)) for gradient in gradients),
        "grad l . v''": bent,
        "v' Hess l v'": moved,
        "l''": tuple(b + m for b, m in zip(bent, moved, strict=True)),
    }


@cache
def curvature(start: tuple, direction: tuple) -> Expression:
    """f''(0) for f = L_1 along the curve: (E[l''] - l_1'')/T + Var(l')/T^2."""
    found = curve_derivatives(start, direction)
    weights = [sp.exp((logit - found["l"][0]) / T) for logit in found["l"]]
    total = sum(weights)

    def mean(values: tuple[Expression, ...]) -> Expression:
        return sum(w * value for w, value in zip(weights, values, strict=True)) / total

    spread = mean(tuple(s**2 for s in found["l'"])) - mean(found["l'"]) ** 2
    return sp.simplify((mean(found["l''"]) - found["l''"][0]) / T + spread / T**2)


@cache
def saddle_curvature() -> Expression:
    """f''(0) at (1/4, 1/4, 1/4, 1/4, 0, 0) along (1, 1, -1, -1, 0, 0)/2 (Lemma B.5)."""
    quarter, half = sp.Rational(1, 4), sp.Rational(1, 2)
    return curvature((quarter,) * 4 + (sp.Integer(0),) * 2, (half, half, -half, -half, sp.Integer(0), sp.Integer(0)))


@cache
def confusing_gap() -> Expression:
    """l(r_1) - l(r_2) over (v_1 - v_3)(v_2 - v_4)."""
    v1, v2, v3, v4, _, _ = V
    return sp.cancel((logits()[0] - logits()[1]) / ((v1 - v3) * (v2 - v4)))
