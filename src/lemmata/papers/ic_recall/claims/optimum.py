"""Where the optimum of the pairwise line goes as the temperature falls."""

from collections.abc import Sequence

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, OutsideSetting, Part, RunResult, Runs, near
from lemmata.papers.ic_recall.claims._formula import slip
from lemmata.papers.ic_recall.claims._pairwise_line import LOCUS, minima, pairwise_line_runs, span
from lemmata.papers.ic_recall.claims._temperature import cold
from lemmata.papers.ic_recall.theory import pairwise_line
from lemmata.report import plots


def _extrapolated(run: RunResult, temperatures: Sequence[float]) -> tuple[float, float]:
    """x_T at T = 0 and its slope there, from a parabola through the model's minima at these temperatures."""
    t, x = minima(run)
    keep = np.isin(t, temperatures)
    if len(np.unique(t[keep])) < 3:
        raise OutsideSetting("the loss has minima at fewer than three of the temperatures: no parabola to extrapolate")
    _, slope, position = np.polyfit(t[keep], x[keep], 2)
    return position, slope


def _at_low(runs: Runs) -> tuple[float, float]:
    return _extrapolated(runs["main"], runs["main"].config.low_temperatures)


def _at_higher(runs: Runs) -> tuple[float, float]:
    return _extrapolated(runs["main"], runs["main"].config.temperatures)


CLAIMS = (
    Claim(
        id="optimum-low-T",
        locus=LOCUS,
        statement=r"With three subjects, as $T \to 0$ the critical point of $L_1$ on $v = (x, x, \frac12 - x, \frac12 "
        r"- x, 0, 0)$ that is the global optimum tends to $x_0 = \frac{4 - \sqrt{6}}{10}$, the root of $d_2 = d_6$ in "
        r"$(0, \frac14)$.",
        needs={"main": cold(0.01, "low_temperatures")},
        subject=_at_low,
        wrong=_at_higher,
        parts=Part(lambda found: found[0], near(pairwise_line.PRINTED_LIMIT, atol=1e-3), corrected=pairwise_line.LIMIT),
        correction=slip(
            "constant",
            printed=r"$x_0 = \frac{4-\sqrt 6}{10}$, from $h(x) = -5x^2+4x-\frac12$",
            right=r"$h(x) := d_2(x)-d_6(x) = -6x^2+4x-\frac12, \quad x_0 = \frac16$",
            reason=r"With the right $d_6 = -2x^2$. The limiting attention is $(\frac16, \frac16, \frac13, \frac13, 0, "
            r"0)$. The text has $-5x^2 + 4x^2 - \frac12$ for $h$, where the printed root asks for $-5x^2 + 4x - "
            r"\frac12$.",
            root="pairwise-line",
            survives="Theorem B.3.",
        ),
        remark=lambda runs: (
            f"Measured: minima of the model's loss at T = {span(runs['main'].config.low_temperatures)}, extrapolated "
            f"to T = 0 by a parabola. The control extrapolates from T = {span(runs['main'].config.temperatures)}, too "
            "far to see the limit."
        ),
    ),
    Claim(
        id="optimum-first-order",
        locus="follows from Claim 1 with the corrected gaps",
        statement=r"With three subjects $x_T = \frac16 - \frac{T}{2}\log 2 + O(T^2)$.",
        needs={"main": cold(0.01, "low_temperatures")},
        subject=_at_low,
        wrong=_at_higher,
        parts=Part(
            np.array, near(np.array([1 / 6, -np.log(2) / 2]), atol=2e-3), along={"of x_T at T = 0": ("value", "slope")}
        ),
    ),
)


def draw(runs: Runs) -> Artefact:
    t, x = minima(runs["main"])
    figure, ax = plots.new_figure()
    ax.plot(t, x, "o", color=plots.CYCLE[0], label="the model's minimum")
    line = np.linspace(0, max(runs["main"].config.temperatures), 100)
    ax.plot(line, 1 / 6 - line * np.log(2) / 2, color=plots.CYCLE[2], label="1/6 − (T/2) log 2")
    plots.ceiling(ax, 1 / 6, "corrected limit 1/6")
    plots.ceiling(ax, pairwise_line.PRINTED_LIMIT, "printed limit (4 − √6)/10", color=plots.CYCLE[1])
    ax.set(xlabel="temperature T", ylabel="optimal x", ylim=(0.05, 0.18))
    plots.legend(ax)
    caption = "Where the minimum on the pairwise line lies, with the printed and the corrected limit; no seeds."
    return Artefact(figure, {"temperature": t, "x": x}, caption)


EXPERIMENT = Experiment(
    title="The optimum on the pairwise line as the temperature falls", runs=pairwise_line_runs, claims=CLAIMS, draw=draw
)
