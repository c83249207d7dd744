"""The loss on the pairwise line v = (x, x, 1/2 - x, 1/2 - x, 0, 0): its critical points and limit (Theorem B.3)."""

from collections.abc import Callable, Sequence

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, OutsideSetting, Part, RunResult, Runs, exactly, near
from lemmata.papers.ic_recall.claims._formula import SOURCE, backwards, formula, scores
from lemmata.papers.ic_recall.claims._temperature import cold, with_optimum
from lemmata.papers.ic_recall.run.landscape import PairwiseLine
from lemmata.papers.ic_recall.theory import pairwise_line
from lemmata.report import plots

LOCUS = "Appendix B, proof of Theorem B.3"


def _coefficients(samples: np.ndarray) -> np.ndarray:
    """Quadratics through their values at x = 0, 1/4, 1/2, as rows (x^2, x, 1)."""
    at_0, at_quarter, at_half = samples
    return np.stack([8 * (at_0 - 2 * at_quarter + at_half), -6 * at_0 + 8 * at_quarter - 2 * at_half, at_0], axis=1)


def _first_half(run: RunResult) -> np.ndarray:
    return run.arrays["grid"][run.arrays["grid"] <= 0.25]


def _mirrored(run: RunResult, about: float) -> np.ndarray:
    x = _first_half(run)
    return np.stack([pairwise_line.warmup_line_loss(about - x, t) for t in run.config.temperatures])


def _extrapolated(run: RunResult, temperatures: Sequence[float]) -> tuple[float, float]:
    """x_T at T = 0 and its slope there, from a parabola through the engine's minima at these temperatures."""
    keep = (run.metrics["is_minimum"] == 1) & np.isin(run.metrics["temperature"], temperatures)
    t, x = run.metrics["temperature"][keep], run.metrics["x"][keep]
    if len(np.unique(t)) < 3:
        raise OutsideSetting("the loss has minima at fewer than three of the temperatures: no parabola to extrapolate")
    _, slope, position = np.polyfit(t, x, 2)
    return position, slope


def _turns(run: RunResult, temperatures: Sequence[float], below: float = np.inf) -> tuple[int, ...]:
    """How many critical points with less than this loss the engine has at each of the temperatures."""
    low = run.metrics["loss"] < below
    return tuple(int((low & (run.metrics["temperature"] == t)).sum()) for t in temperatures)


def _cold(run: RunResult) -> tuple[float, ...]:
    return (*run.config.temperatures, *run.config.low_temperatures)


def _root(t: float) -> float:
    """x with h(x) = T log(x / (1 - 4x)): the root of Claim 1's function with the right gaps."""
    x = pairwise_line.LIMIT
    for _ in range(60):
        excess = np.polyval(pairwise_line.H, x) - t * np.log(x / (1 - 4 * x))
        x -= excess / (4 - 12 * x - t * (1 / x + 4 / (1 - 4 * x)))
    return float(x)


def _slopes_at_root(run: RunResult, temperatures: Sequence[float]) -> np.ndarray:
    """d/dx of d_2' e^((d_2 - d_6)/T) + d_6' at its root in (0, 1/4), from the engine's own gaps."""
    d2, _, _, _, d6 = map(np.poly1d, _coefficients(run.arrays["gap_samples"]))
    h = d2 - d6

    def slope(x: float, t: float) -> float:
        weight = np.exp(h(x) / t)
        return d2.deriv(2)(x) * weight + d2.deriv()(x) * h.deriv()(x) / t * weight + d6.deriv(2)(x)

    return np.array([slope(_root(t), t) for t in temperatures])


def _slopes_predicted(runs: Runs, slope: Callable[[float, float], float]) -> list[float]:
    return [slope(_root(t), t) for t in runs["main"].config.low_temperatures]


def _span(values: Sequence[float]) -> str:
    return f"{min(values):g} ... {max(values):g}"


def _barrier_remark(runs: Runs) -> str:
    run = runs["main"]
    lowest = min(run.config.low_temperatures)
    turns = zip(run.metrics["x"], run.metrics["temperature"], run.metrics["is_minimum"], strict=True)
    maxima = [x for x, t, is_minimum in turns if t == lowest and not is_minimum]
    there, hot = f"x = {max(maxima, default=0):.1e}", _span(run.config.hot_temperatures)
    return (
        f"Counted in log x, in exact arithmetic: at T = {lowest:g} the maximum lies at {there}. The control counts at "
        f"T = {hot}, above the fold where both critical points are gone."
    )


CLAIMS = (
    formula(
        "pairwise-line",
        LOCUS,
        "On v = (x, x, 1/2 - x, 1/2 - x, 0, 0) the gaps d_j = l(r_j) - l(r_1), j = 2 ... 6, as quadratics in x.",
        lambda run: pairwise_line.PRINTED_GAPS,
        lambda run: _coefficients(run.arrays["gap_samples"]),
        along={"gap": scores("d")[1:], "coefficient of": ("x^2", "x", "1")},
        corrected=lambda run: pairwise_line.GAPS,
        severity="step of a proof",
        printed="d_3 = -3x^2 + 3x - 3/4, d_4 = -7x^2 + 4x - 3/4, d_5 = -7x^2 + 3x - 1/2, d_6 = -3x^2",
        right="d_3 = -2x^2 + 2x - 1/2, d_4 = d_5 = -6x^2 + 3x - 1/2, d_6 = -2x^2",
        reason="At v_5 = 0 the square (v_5 + v_j)^2 of Table 2 was taken to be 0, not v_j^2: that gives exactly the "
        "printed d_3 and d_6, and the printed d_4 and d_5 in each other's place. d_2 is right.",
        survives="Theorem 4.2 and Theorem B.3, with other constants.",
        latex=r"$d_3 = -2x^2+2x-\tfrac12, \quad d_4 = d_5 = -6x^2+3x-\tfrac12, \quad d_6 = -2x^2$",
    ),
    Claim(
        id="thm-b.3-symmetry",
        locus=LOCUS,
        statement="The mirror symmetry of the loss on the pairwise line.",
        subject=lambda runs: runs["main"],
        wrong=lambda runs: backwards(runs["main"]),
        parts=Part(
            lambda run: run.arrays["curves"][:, run.arrays["grid"] <= 0.25],
            near(lambda runs: _mirrored(runs["main"], 0.25), atol=1e-11),
            corrected=lambda runs: _mirrored(runs["main"], 0.5),
            along={"T": lambda runs: runs["main"].config.temperatures, "x": lambda runs: _first_half(runs["main"])},
        ),
        correction=Correction(
            severity="typographical",
            printed="L_1(x) = L_1(1/4 - x)",
            corrected="L_1(x) = L_1(1/2 - x)",
            reason="Exchanging the two pairs sends x to 1/2 - x; 1/4 is the mirror, not the reflection.",
            survives="Theorem B.3: it is enough to look at [0, 1/4].",
            source=SOURCE,
            latex=r"$L_1(x) = L_1(\tfrac12 - x)$",
        ),
    ),
    Claim(
        id="optimum-low-T",
        locus=LOCUS,
        statement="As T goes to 0 the optimum on the pairwise line tends to x_0, the root of d_2 = d_6.",
        needs={"main": cold(0.01, "low_temperatures")},
        subject=lambda runs: _extrapolated(runs["main"], runs["main"].config.low_temperatures),
        wrong=lambda runs: _extrapolated(runs["main"], runs["main"].config.temperatures),
        parts=Part(lambda found: found[0], near(pairwise_line.PRINTED_LIMIT, atol=1e-3), corrected=pairwise_line.LIMIT),
        correction=Correction(
            severity="constant",
            printed="x_0 = (4 - sqrt 6)/10 = 0.1551, from h = -5x^2 + 4x - 1/2",
            corrected="x_0 = 1/6, from h = -6x^2 + 4x - 1/2",
            reason="With the right d_6 = -2x^2. The limiting attention is (1/6, 1/6, 1/3, 1/3, 0, 0). The text has "
            "-5x^2 + 4x^2 - 1/2 for h, where the printed root asks for -5x^2 + 4x - 1/2.",
            root="pairwise-line",
            survives="Theorem B.3.",
            source=SOURCE,
            latex=r"$h(x) := d_2(x)-d_6(x) = -6x^2+4x-\tfrac12, \qquad x_0 = \tfrac16$",
        ),
        remark=lambda runs: (
            f"Measured: minima of the engine's loss at T = {_span(runs['main'].config.low_temperatures)}, extrapolated "
            f"to T = 0 by a parabola. The control extrapolates from T = {_span(runs['main'].config.temperatures)}, too "
            "far to see the limit."
        ),
    ),
    Claim(
        id="optimum-first-order",
        locus="follows from Claim 1 with the corrected gaps",
        statement="x_T = 1/6 - (T/2) log 2 + O(T^2).",
        needs={"main": cold(0.01, "low_temperatures")},
        subject=lambda runs: _extrapolated(runs["main"], runs["main"].config.low_temperatures),
        wrong=lambda runs: _extrapolated(runs["main"], runs["main"].config.temperatures),
        parts=Part(
            np.array, near(np.array([1 / 6, -np.log(2) / 2]), atol=2e-3), along={"of x_T at T = 0": ("value", "slope")}
        ),
    ),
    Claim(
        id="thm-b.3-critical-points",
        locus=LOCUS,
        statement="The number of critical points of the loss in (0, 1/4) at low temperature.",
        needs={"main": (with_optimum("temperatures"), with_optimum("low_temperatures"))},
        subject=lambda runs: _turns(runs["main"], _cold(runs["main"])),
        wrong=lambda runs: _turns(runs["main"], runs["main"].config.hot_temperatures),
        parts=Part(np.array, exactly(1), corrected=2, along={"T": lambda runs: _cold(runs["main"])}),
        correction=Correction(
            severity="statement",
            printed="exactly one critical point in (0, 1/4)",
            corrected="two: the minimum x_T and a local maximum near 3 exp(-1/(2T))",
            reason="Psi(x) is not negative all the way to 0: at x = 0 the falling term 4x vanishes while the others "
            "leave 12 exp(-1/(2T)) > 0.",
            survives="Theorem B.3: the loss at the maximum is above log 2 (thm-b.3-unique).",
            source=SOURCE,
            latex=r"Therefore $L_1$ has exactly one critical point $x^*$ in $(0,1/4)$ with $L_1(x^*) < \log "
            r"2$; the other, near $3e^{-1/(2T)}$, is a local maximum with $L_1 > \log 2$.",
        ),
        remark=_barrier_remark,
    ),
    Claim(
        id="thm-b.3-unique",
        locus=LOCUS,
        statement="Exactly one critical point in (0, 1/4) has loss below log 2.",
        needs={"main": (with_optimum("temperatures"), with_optimum("low_temperatures"))},
        subject=lambda runs: _turns(runs["main"], _cold(runs["main"]), below=np.log(2.0)),
        wrong=lambda runs: _turns(runs["main"], _cold(runs["main"])),
        parts=Part(np.array, exactly(1), along={"T": lambda runs: _cold(runs["main"])}),
        remark="The control counts critical points of any loss.",
    ),
    Claim(
        id="thm-b.3-claim-1",
        locus="Appendix B, proof of Claim 1",
        statement="The slope of Psi-tilde = d_2' e^((d_2 - d_6)/T) + d_6' at its root.",
        needs={"main": with_optimum("low_temperatures")},
        subject=lambda runs: _slopes_at_root(runs["main"], runs["main"].config.low_temperatures),
        wrong=lambda runs: _slopes_at_root(runs["main"], runs["main"].config.low_temperatures[::-1]),
        parts=Part(
            np.array,
            near(lambda runs: _slopes_predicted(runs, pairwise_line.printed_rescaled_derivative), rtol=1e-7),
            corrected=lambda runs: _slopes_predicted(runs, pairwise_line.rescaled_derivative),
            along={"T": lambda runs: runs["main"].config.low_temperatures},
        ),
        correction=Correction(
            severity="step of a proof",
            printed="-16 e^(h/T) + 6 x h'/T - 6 with h' = 4 - 10x",
            corrected="-16 e^(h/T) + 4 x h'/T - 4 with h' = 4 - 12x",
            reason="d_6' = -4x, not -6x.",
            root="pairwise-line",
            survives="Claim 1: the slope is Theta(1/T).",
            source=SOURCE,
            latex=r"$\tilde\Psi'(x_T) = -16e^{h(x_T)/T} + \frac{4x_T h'(x_T)}{T} - 4, \quad h'(x) = 4 - 12x$",
        ),
        remark="The control reads the slopes at the temperatures in the opposite order.",
    ),
)


def _draw(runs: Runs) -> Artefact:
    run = runs["main"]
    metrics, temperatures = run.metrics, run.config.temperatures
    figure, (left, right) = plots.new_figure(1, 2)
    every = max(1, len(temperatures) // 4)
    for colour, t, curve in zip(plots.CYCLE, temperatures[::every], run.arrays["curves"][::every], strict=False):
        left.plot(run.arrays["grid"], curve, color=colour, label=f"T = {t:g}")
        for kind, marker in ((1, "o"), (0, "^")):
            keep = (metrics["temperature"] == t) & (metrics["is_minimum"] == kind)
            left.plot(metrics["x"][keep], metrics["loss"][keep], marker, color=colour, markersize=5)
    plots.ceiling(left, np.log(2.0), "log 2")
    left.set(xlabel="x, attention on each token of the first pair", ylabel="loss L₁", ylim=(0, 1.1))
    plots.legend(left)
    t, x = (metrics[name][metrics["is_minimum"] == 1] for name in ("temperature", "x"))
    right.plot(t, x, "o", color=plots.CYCLE[0], label="engine's minimum")
    t = np.linspace(0, max(temperatures), 100)
    right.plot(t, 1 / 6 - t * np.log(2) / 2, color=plots.CYCLE[2], label="1/6 − (T/2) log 2")
    plots.ceiling(right, 1 / 6, "corrected limit 1/6")
    plots.ceiling(right, pairwise_line.PRINTED_LIMIT, "printed limit (4 − √6)/10", color=plots.CYCLE[1])
    right.set(xlabel="temperature T", ylabel="optimal x", ylim=(0.05, 0.18))
    plots.legend(right)
    caption = (
        "Left: the engine's loss on v = (x, x, 1/2 - x, 1/2 - x, 0, 0) with its minima (dots) and the local maxima "
        "near x = 0 that the proof overlooks (triangles). Right: where the minimum lies, the printed and the corrected "
        "limit. Exact computation in float64, no seeds."
    )
    return Artefact(figure, metrics, caption)


EXPERIMENT = Experiment(
    title="The loss on the pairwise line, its critical points and their limit",
    runs=lambda scale: {"main": PairwiseLine(points=scale.pick(smoke=41, laptop=241, paper=961))},
    claims=CLAIMS,
    draw=_draw,
)
