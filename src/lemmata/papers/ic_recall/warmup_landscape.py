"""The warm-up's landscape: how sharply the loss bends, and what it does on the pairwise line (Theorem B.3)."""

import numpy as np

from lemmata.core import Artefact, Scale
from lemmata.core.legacy import AtMost, Claim, Close, Correction, Each, Exact, Experiment, Results, Slope
from lemmata.papers.ic_recall.claims._formula import formula
from lemmata.papers.ic_recall.run.landscape import PairwiseLine, Smoothness
from lemmata.papers.ic_recall.theory import pairwise_line, smoothness
from lemmata.report import plots

LOCUS = "Appendix B, proof of Theorem B.3"


def _smooth(results: Results, name: str) -> np.ndarray:
    return results.one(Smoothness).metrics[name]


def _scaling(results: Results, gradient: str, hessian: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    t = _smooth(results, "temperature")
    return {"gradient": (t, _smooth(results, gradient)), "Hessian": (t, _smooth(results, hessian))}


def _bounds(results: Results) -> dict[str, np.ndarray]:
    t = _smooth(results, "temperature")
    _, largest = smoothness.logit_constants()
    return {
        "second derivative": np.array([smoothness.hessian_bound(float(x)) + largest / x for x in t]),
        "third derivative": np.array([smoothness.third_bound(float(x)) for x in t]),
    }


SMOOTHNESS = (
    Claim(
        id="ic-recall/prop-b.2",
        locus="Appendix B, Proposition B.2",
        statement="The gradient of L_1 in theta has Lipschitz constant of order 1/T^2, its Hessian of order 1/T^3.",
        predict=lambda results: {"gradient": -2.0, "Hessian": -3.0},
        measure=lambda results: _scaling(results, "hessian", "third"),
        control=lambda results: _scaling(results, "third", "hessian"),
        check=Each({"gradient": Slope(0.2), "Hessian": Slope(0.2)}),
        remark="Largest norms over a sample of attention vectors, half of them where l(r_1) and l(r_2) are within a "
        "few "
        "T: lower bounds on the constants. The gradient's constant is about 0.03 / T^2.",
    ),
    Claim(
        id="ic-recall/prop-e.1",
        locus="Appendix E, proof of Proposition E.1",
        statement="In v, second derivatives of the loss are at most 2H/T + 2G^2/T^2 and third ones at most 6HG/T^2 + "
        "8G^3/T^3, with G = 2 sqrt(2) and H = 4 bounding every logit's gradient and Hessian on the simplex.",
        predict=_bounds,
        measure=lambda results: {
            "second derivative": _smooth(results, "hessian_v"),
            "third derivative": _smooth(results, "third_v"),
        },
        control=lambda results: {
            "second derivative": _smooth(results, "hessian_v") / _smooth(results, "temperature"),
            "third derivative": _smooth(results, "third_v") / _smooth(results, "temperature"),
        },
        check=Each({"second derivative": AtMost(), "third derivative": AtMost()}),
    ),
)


def _smooth_render(results: Results) -> Artefact:
    metrics, bounds = results.one(Smoothness).metrics, _bounds(results)
    t = metrics["temperature"]
    figure, axes = plots.new_figure(1, 2)
    for ax, power, names, bound in (
        (axes[0], 2, ("hessian", "hessian_v"), bounds["second derivative"]),
        (axes[1], 3, ("third", "third_v"), bounds["third derivative"]),
    ):
        for name, label, colour in zip(names, ("in theta", "in v"), plots.CYCLE, strict=False):
            ax.plot(t, metrics[name] * t**power, "o-", color=colour, label=f"measured, {label}")
        ax.plot(t, bound * t**power, "--", color=plots.GREY, label="Proposition E.1's bound, in v")
        ax.set(xscale="log", yscale="log", xlabel="temperature T", ylabel=f"T^{power} × largest norm")
        plots.legend(ax)
    axes[0].set_title("second derivatives: flat means 1/T²")
    axes[1].set_title("third derivatives: flat means 1/T³")
    caption = (
        f"Largest norms of second and third derivatives of L_1 over {results.one(Smoothness).config.points} attention "
        "vectors (autodiff, float64), scaled by the power of T that Proposition B.2 gives. Third derivatives are taken "
        "along the sharpest direction of the Hessian."
    )
    return Artefact(figure, {**metrics, **{f"bound {k}": v for k, v in bounds.items()}}, caption)


def _coefficients(samples: np.ndarray) -> np.ndarray:
    """Quadratics through their values at x = 0, 1/4, 1/2, as rows (x^2, x, 1)."""
    at_0, at_quarter, at_half = samples
    return np.stack([8 * (at_0 - 2 * at_quarter + at_half), -6 * at_0 + 8 * at_quarter - 2 * at_half, at_0], axis=1)


def _minima(results: Results, low: bool) -> tuple[np.ndarray, np.ndarray]:
    run = results.one(PairwiseLine)
    wanted = run.config.low_temperatures if low else run.config.temperatures
    t, keep = run.metrics["temperature"], run.metrics["is_minimum"] == 1
    keep &= np.isin(t, wanted)
    return t[keep], run.metrics["x"][keep]


def _extrapolated(results: Results, low: bool) -> np.ndarray:
    """x_T at T = 0 and its slope there, from a parabola through the engine's minima."""
    fitted = np.polyfit(*_minima(results, low), 2)
    return np.array([fitted[-1], fitted[-2]])


def _turns(results: Results, temperatures: tuple[float, ...], below: float = np.inf) -> tuple[int, ...]:
    metrics = results.one(PairwiseLine).metrics
    keep = metrics["loss"] < below
    return tuple(int((keep & (metrics["temperature"] == t)).sum()) for t in temperatures)


def _times(results: Results, count: int) -> tuple[int, ...]:
    return (count,) * len(results.one(PairwiseLine).config.temperatures)


def _left_half(results: Results) -> tuple[np.ndarray, np.ndarray]:
    run = results.one(PairwiseLine)
    half = run.arrays["grid"] <= 0.25
    return run.arrays["grid"][half], run.arrays["curves"][:, half]


def _mirrored(results: Results, about: float) -> np.ndarray:
    x, _ = _left_half(results)
    return np.stack(
        [pairwise_line.warmup_line_loss(about - x, t) for t in results.one(PairwiseLine).config.temperatures]
    )


def _claim_1(results: Results) -> np.ndarray:
    """d/dx of d_2' e^((d_2 - d_6)/T) + d_6' at its root in (0, 1/4), from the engine's own gaps."""
    gaps = _coefficients(results.one(PairwiseLine).arrays["gap_samples"])
    found = []
    for t in results.one(PairwiseLine).config.low_temperatures:
        x = _root(t)
        d2, d6 = np.poly1d(gaps[0]), np.poly1d(gaps[4])
        h = d2 - d6
        weight = np.exp(h(x) / t)
        found.append(d2.deriv(2)(x) * weight + d2.deriv()(x) * h.deriv()(x) / t * weight + d6.deriv(2)(x))
    return np.array(found)


def _root(t: float) -> float:
    """x with h(x) = T log(x / (1 - 4x)): the root of Claim 1's function with the right gaps."""
    x = pairwise_line.LIMIT
    for _ in range(60):
        excess = np.polyval(pairwise_line.H, x) - t * np.log(x / (1 - 4 * x))
        x -= excess / (4 - 12 * x - t * (1 / x + 4 / (1 - 4 * x)))
    return float(x)


LINE = (
    formula(
        "pairwise-line",
        LOCUS,
        "On v = (x, x, 1/2 - x, 1/2 - x, 0, 0) the gaps d_j = l(r_j) - l(r_1), j = 2 ... 6, as quadratics in x.",
        PairwiseLine,
        lambda run: pairwise_line.PRINTED_GAPS,
        lambda run: _coefficients(run.arrays["gap_samples"]),
        corrected=lambda run: pairwise_line.GAPS,
        printed="d_3 = -3x^2 + 3x - 3/4, d_4 = -7x^2 + 4x - 3/4, d_5 = -7x^2 + 3x - 1/2, d_6 = -3x^2",
        right="d_3 = -2x^2 + 2x - 1/2, d_4 = d_5 = -6x^2 + 3x - 1/2, d_6 = -2x^2",
        reason="From Table 2, l(r_1) = 4x^2 + 4(1/2 - x)^2 on the line; d_2 = -8x^2 + 4x - 1/2 is right. Everything "
        "after "
        "it in the proof (h, its root, Psi-tilde) inherits the change.",
    ),
    Claim(
        id="ic-recall/thm-b.3-symmetry",
        locus=LOCUS,
        statement="The mirror symmetry of the loss on the pairwise line.",
        predict=lambda results: _mirrored(results, 0.25),
        measure=lambda results: _left_half(results)[1],
        control=lambda results: _left_half(results)[1][::-1],
        check=Close(atol=1e-11),
        correction=Correction(
            predict=lambda results: _mirrored(results, 0.5),
            printed="L_1(x) = L_1(1/4 - x)",
            corrected="L_1(x) = L_1(1/2 - x)",
            reason="Exchanging the two pairs sends x to 1/2 - x; 1/4 is the mirror, not the reflection.",
        ),
    ),
    Claim(
        id="ic-recall/optimum-low-T",
        locus=LOCUS,
        statement="As T goes to 0 the optimum on the pairwise line tends to x_0, the root of d_2 = d_6.",
        predict=lambda results: pairwise_line.PRINTED_LIMIT,
        measure=lambda results: _extrapolated(results, low=True)[0],
        control=lambda results: _extrapolated(results, low=False)[0],
        check=Close(atol=1e-3),
        correction=Correction(
            predict=lambda results: pairwise_line.LIMIT,
            printed="x_0 = (4 - sqrt 6)/10 = 0.1551, from h = -5x^2 + 4x - 1/2",
            corrected="x_0 = 1/6, from h = -6x^2 + 4x - 1/2",
            reason="With the right d_6 = -2x^2. The limiting attention is (1/6, 1/6, 1/3, 1/3, 0, 0).",
        ),
        remark="Measured: minima of the engine's loss at T = 0.002 ... 0.008, extrapolated to T = 0 by a parabola. The "
        "control extrapolates from T = 0.02 ... 0.08, too far to see the limit.",
    ),
    Claim(
        id="ic-recall/optimum-first-order",
        locus="follows from Claim 1 with the corrected gaps",
        statement="x_T = 1/6 - (T/2) log 2 + O(T^2).",
        predict=lambda results: np.array([1 / 6, -np.log(2) / 2]),
        measure=lambda results: _extrapolated(results, low=True),
        control=lambda results: _extrapolated(results, low=False),
        check=Close(atol=2e-3),
    ),
    Claim(
        id="ic-recall/thm-b.3-critical-points",
        locus=LOCUS,
        statement="The number of critical points of the loss in (0, 1/4) at low temperature.",
        predict=lambda results: _times(results, 1),
        measure=lambda results: _turns(results, results.one(PairwiseLine).config.temperatures),
        control=lambda results: (
            _turns(results, results.one(PairwiseLine).config.low_temperatures[:1])
            * len(results.one(PairwiseLine).config.temperatures)
        ),
        check=Exact(),
        correction=Correction(
            predict=lambda results: _times(results, 2),
            printed="exactly one critical point in (0, 1/4)",
            corrected="two: the minimum x_T and a local maximum near 3 exp(-1/(2T))",
            reason="Psi(x) is not negative all the way to 0: at x = 0 the falling term 4x vanishes while the others "
            "leave "
            "12 exp(-1/(2T)) > 0. Harmless: the loss there is above log 2 (see thm-b.3-unique).",
        ),
        remark="The control counts at T = 0.002, where the maximum lies at 10^-108 and the search from 10^-14 "
        "misses it.",
    ),
    Claim(
        id="ic-recall/thm-b.3-unique",
        locus=LOCUS,
        statement="Exactly one critical point in (0, 1/4) has loss below log 2.",
        predict=lambda results: _times(results, 1),
        measure=lambda results: _turns(results, results.one(PairwiseLine).config.temperatures, below=np.log(2.0)),
        control=lambda results: _turns(results, results.one(PairwiseLine).config.temperatures),
        check=Exact(),
    ),
    Claim(
        id="ic-recall/thm-b.3-claim-1",
        locus="Appendix B, proof of Claim 1",
        statement="The slope of Psi-tilde = d_2' e^((d_2 - d_6)/T) + d_6' at its root.",
        predict=lambda results: np.array(
            [
                pairwise_line.printed_rescaled_derivative(_root(t), t)
                for t in results.one(PairwiseLine).config.low_temperatures
            ]
        ),
        measure=_claim_1,
        control=lambda results: np.roll(_claim_1(results), 1),
        check=Close(rtol=1e-7),
        correction=Correction(
            predict=lambda results: np.array(
                [
                    pairwise_line.rescaled_derivative(_root(t), t)
                    for t in results.one(PairwiseLine).config.low_temperatures
                ]
            ),
            printed="-16 e^(h/T) + 6 x h'/T - 6 with h' = 4 - 10x",
            corrected="-16 e^(h/T) + 4 x h'/T - 4 with h' = 4 - 12x",
            reason="d_6' = -4x, not -6x. The conclusion, Theta(1/T), stands.",
        ),
    ),
)


def _line_render(results: Results) -> Artefact:
    run = results.one(PairwiseLine)
    grid, curves, metrics = run.arrays["grid"], run.arrays["curves"], run.metrics
    figure, (left, right) = plots.new_figure(1, 2)
    shown = run.config.temperatures[:: max(1, len(run.config.temperatures) // 4)]
    for colour, t in zip(plots.CYCLE, shown, strict=False):
        curve = curves[run.config.temperatures.index(t)]
        left.plot(grid, curve, color=colour, label=f"T = {t:g}")
        for kind, marker in ((1, "o"), (0, "^")):
            keep = (metrics["temperature"] == t) & (metrics["is_minimum"] == kind)
            left.plot(metrics["x"][keep], metrics["loss"][keep], marker, color=colour, markersize=5)
    plots.ceiling(left, np.log(2.0), "log 2")
    left.set(xlabel="x, attention on each token of the first pair", ylabel="loss L₁", ylim=(0, 1.1))
    plots.legend(left)
    minima = metrics["is_minimum"] == 1
    t = np.linspace(0, max(run.config.temperatures), 100)
    right.plot(
        metrics["temperature"][minima], metrics["x"][minima], "o", color=plots.CYCLE[0], label="engine's minimum"
    )
    right.plot(t, pairwise_line.first_order_minimum(t), color=plots.CYCLE[2], label="1/6 − (T/2) log 2")
    plots.ceiling(right, 1 / 6, "corrected limit 1/6")
    plots.ceiling(right, pairwise_line.PRINTED_LIMIT, "printed limit (4 − √6)/10", color=plots.CYCLE[1])
    right.set(xlabel="temperature T", ylabel="optimal x", ylim=(0.05, 0.18))
    plots.legend(right)
    caption = (
        "Left: the engine's loss on v = (x, x, 1/2 - x, 1/2 - x, 0, 0) with its minima (dots) and the local maxima "
        "near "
        "x = 0 that the proof overlooks (triangles). Right: where the minimum lies, the printed and the corrected "
        "limit. "
        "Exact computation in float64, no seeds."
    )
    return Artefact(figure, metrics, caption)


def _smooth_grid(scale: Scale) -> tuple[Smoothness, ...]:
    return (Smoothness(points=scale.pick(smoke=600, laptop=3000, paper=40_000)),)


def _line_grid(scale: Scale) -> tuple[PairwiseLine, ...]:
    return (PairwiseLine(points=scale.pick(smoke=81, laptop=241, paper=961)),)


EXPERIMENTS = (
    Experiment(
        id="ic-recall/smoothness",
        title="How sharply the loss bends as the temperature falls",
        grid=_smooth_grid,
        claims=SMOOTHNESS,
        render=_smooth_render,
    ),
    Experiment(
        id="ic-recall/pairwise-line",
        title="The loss on the pairwise line, its critical points and their limit",
        grid=_line_grid,
        claims=LINE,
        render=_line_render,
    ),
)
