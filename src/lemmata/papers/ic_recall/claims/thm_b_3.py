"""The proof of Theorem B.3: symmetry and critical points of the loss on the pairwise line, and Claim 1."""

from collections.abc import Callable, Sequence

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, exactly, near
from lemmata.papers.ic_recall.claims._formula import backwards, slip
from lemmata.papers.ic_recall.claims._pairwise_line import LOCUS, coefficients, pairwise_line_runs, span
from lemmata.papers.ic_recall.claims._temperature import with_optimum
from lemmata.papers.ic_recall.theory import pairwise_line
from lemmata.report import plots


def _first_half(run: RunResult) -> np.ndarray:
    return run.arrays["grid"][run.arrays["grid"] <= 0.25]


def _mirrored(run: RunResult, about: float) -> np.ndarray:
    x = _first_half(run)
    return np.stack([pairwise_line.warmup_line_loss(about - x, t) for t in run.config.temperatures])


def _turns(run: RunResult, temperatures: Sequence[float], below: float = np.inf) -> tuple[int, ...]:
    """How many critical points with less than this loss the model has at each of the temperatures."""
    low = run.metrics["loss"] < below
    return tuple(int((low & (run.metrics["temperature"] == t)).sum()) for t in temperatures)


def _cold(run: RunResult) -> tuple[float, ...]:
    return (*run.config.temperatures, *run.config.low_temperatures)


def _every_turn(runs: Runs) -> tuple[int, ...]:
    return _turns(runs["main"], _cold(runs["main"]))


def _root(t: float) -> float:
    """x with h(x) = T log(x / (1 - 4x)): the root of Claim 1's function with the right gaps."""
    x = pairwise_line.LIMIT
    for _ in range(60):
        excess = np.polyval(pairwise_line.H, x) - t * np.log(x / (1 - 4 * x))
        x -= excess / (4 - 12 * x - t * (1 / x + 4 / (1 - 4 * x)))
    return float(x)


def _slopes_at_root(run: RunResult, temperatures: Sequence[float]) -> np.ndarray:
    """d/dx of d_2' e^((d_2 - d_6)/T) + d_6' at its root in (0, 1/4), from the model's own gaps."""
    d2, _, _, _, d6 = map(np.poly1d, coefficients(run.arrays["gap_samples"]))
    h = d2 - d6

    def slope(x: float, t: float) -> float:
        weight = np.exp(h(x) / t)
        return d2.deriv(2)(x) * weight + d2.deriv()(x) * h.deriv()(x) / t * weight + d6.deriv(2)(x)

    return np.array([slope(_root(t), t) for t in temperatures])


def _slopes_predicted(runs: Runs, slope: Callable[[float, float], float]) -> list[float]:
    return [slope(_root(t), t) for t in runs["main"].config.low_temperatures]


def _barrier_remark(runs: Runs) -> str:
    run = runs["main"]
    lowest = min(run.config.low_temperatures)
    turns = zip(run.metrics["x"], run.metrics["temperature"], run.metrics["is_minimum"], strict=True)
    maxima = [x for x, t, is_minimum in turns if t == lowest and not is_minimum]
    there, hot = f"x = {max(maxima, default=0):.1e}", span(run.config.hot_temperatures)
    return (
        f"Counted in log x, in exact arithmetic: at T = {lowest:g} the maximum lies at {there}. The control counts at "
        f"T = {hot}, above the fold where both critical points are gone."
    )


CLAIMS = (
    Claim(
        id="thm-b.3-symmetry",
        locus=LOCUS,
        statement=r"With three subjects the loss on $v = (x, x, \frac12 - x, \frac12 - x, 0, 0)$ is symmetric: $L_1(x) "
        r"= L_1(\frac14 - x)$.",
        subject=lambda runs: runs["main"],
        wrong=lambda runs: backwards(runs["main"]),
        parts=Part(
            lambda run: run.arrays["curves"][:, run.arrays["grid"] <= 0.25],
            near(lambda runs: _mirrored(runs["main"], 0.25), atol=1e-11),
            corrected=lambda runs: _mirrored(runs["main"], 0.5),
            along={"T": lambda runs: runs["main"].config.temperatures, "x": lambda runs: _first_half(runs["main"])},
        ),
        correction=slip(
            "typographical",
            printed=r"$L_1(x) = L_1(\frac14 - x)$",
            right=r"$L_1(x) = L_1(\frac12 - x)$",
            reason=r"Exchanging the two pairs sends $x$ to $\frac12 - x$; $\frac14$ is the mirror, not the reflection.",
            survives=r"Theorem B.3: it is enough to look at $[0, \frac14]$.",
        ),
    ),
    Claim(
        id="thm-b.3-critical-points",
        locus=LOCUS,
        statement=r"With three subjects and $T$ small enough, $L_1$ on $v = (x, x, \frac12 - x, \frac12 - x, 0, 0)$ "
        r"has exactly one critical point $x^*$ in $(0, \frac14)$.",
        needs={"main": (with_optimum("temperatures"), with_optimum("low_temperatures"))},
        subject=_every_turn,
        wrong=lambda runs: _turns(runs["main"], runs["main"].config.hot_temperatures),
        parts=Part(np.array, exactly(1), corrected=2, along={"T": lambda runs: _cold(runs["main"])}),
        correction=slip(
            "statement",
            printed=r"exactly one critical point in $(0, \frac14)$",
            right=r"two: the minimum $x_T$ and a local maximum near $3\exp(-\frac{1}{2T})$",
            reason=r"$\Psi(x)$ is not negative all the way to 0: at $x = 0$ the falling term $4x$ vanishes while the "
            r"others leave $12\exp(-\frac{1}{2T}) > 0$.",
            survives=r"Theorem B.3: the loss at the maximum is above $\log 2$ (thm-b.3-unique).",
            latex=r"Therefore $L_1$ has exactly one critical point $x^*$ in $(0,1/4)$ with $L_1(x^*) < \log 2$; the "
            r"other, near $3e^{-1/(2T)}$, is a local maximum with $L_1 > \log 2$.",
        ),
        remark=_barrier_remark,
    ),
    Claim(
        id="thm-b.3-unique",
        locus=LOCUS,
        statement=r"With three subjects and $T$ small enough, exactly one critical point of $L_1$ on $v = (x, x, "
        r"\frac12 - x, \frac12 - x, 0, 0)$ in $(0, \frac14)$ has $L_1 < \log 2$.",
        needs={"main": (with_optimum("temperatures"), with_optimum("low_temperatures"))},
        subject=lambda runs: _turns(runs["main"], _cold(runs["main"]), below=np.log(2.0)),
        wrong=_every_turn,
        parts=Part(np.array, exactly(1), along={"T": lambda runs: _cold(runs["main"])}),
        remark="The control counts critical points of any loss.",
    ),
    Claim(
        id="thm-b.3-claim-1",
        locus="Appendix B, proof of Claim 1",
        statement=r"With three subjects and small $T$, $\tilde\Psi(x) = d_2'(x) e^{(d_2(x) - d_6(x))/T} + d_6'(x)$ has "
        r"a root $x_T$ near $x_0$ with $\tilde\Psi'(x_T) = -16e^{h(x_T)/T} + \frac{6x_T h'(x_T)}{T} - 6 = "
        r"\Theta(\frac1T)$, where $h'(x) = 4 - 10x$. Judged: the slope at the root.",
        needs={"main": with_optimum("low_temperatures")},
        subject=lambda runs: _slopes_at_root(runs["main"], runs["main"].config.low_temperatures),
        wrong=lambda runs: _slopes_at_root(runs["main"], runs["main"].config.low_temperatures[::-1]),
        parts=Part(
            np.array,
            near(lambda runs: _slopes_predicted(runs, pairwise_line.printed_rescaled_derivative), rtol=1e-7),
            corrected=lambda runs: _slopes_predicted(runs, pairwise_line.rescaled_derivative),
            along={"T": lambda runs: runs["main"].config.low_temperatures},
        ),
        correction=slip(
            "step of a proof",
            printed=r"$\tilde\Psi'(x_T) = -16e^{h(x_T)/T} + \frac{6x_T h'(x_T)}{T} - 6, \quad h'(x) = 4 - 10x$",
            right=r"$\tilde\Psi'(x_T) = -16e^{h(x_T)/T} + \frac{4x_T h'(x_T)}{T} - 4, \quad h'(x) = 4 - 12x$",
            reason="$d_6' = -4x$, not $-6x$.",
            root="pairwise-line",
            survives=r"Claim 1: the slope is $\Theta(1/T)$.",
        ),
        remark="The control reads the slopes at the temperatures in the opposite order.",
    ),
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    metrics, temperatures = run.metrics, run.config.temperatures
    figure, ax = plots.new_figure()
    every = max(1, len(temperatures) // 4)
    for colour, t, curve in zip(plots.CYCLE, temperatures[::every], run.arrays["curves"][::every], strict=False):
        ax.plot(run.arrays["grid"], curve, color=colour, label=f"T = {t:g}")
        for kind, marker in ((1, "o"), (0, "^")):
            keep = (metrics["temperature"] == t) & (metrics["is_minimum"] == kind)
            ax.plot(metrics["x"][keep], metrics["loss"][keep], marker, color=colour, markersize=5)
    plots.ceiling(ax, np.log(2.0), "log 2")
    ax.set(xlabel="x, attention on each token of the first pair", ylabel="loss L₁", ylim=(0, 1.1))
    plots.legend_below(ax, ncols=3)
    caption = (
        "The model's loss on v = (x, x, 1/2 - x, 1/2 - x, 0, 0) with its minima (dots) and the local maxima near x = 0 "
        "that the proof overlooks (triangles). Exact computation in float64, no seeds."
    )
    return Artefact(figure, metrics, caption)


EXPERIMENT = Experiment(
    title="The loss on the pairwise line: its symmetry and critical points",
    runs=pairwise_line_runs,
    claims=CLAIMS,
    draw=draw,
)
