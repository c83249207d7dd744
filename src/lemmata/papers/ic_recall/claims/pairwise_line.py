"""The gaps of the six logits on the pairwise line (proof of Theorem B.3)."""

import numpy as np

from lemmata.core import Artefact, Experiment, Runs
from lemmata.papers.ic_recall.claims._formula import formula, scores, slip
from lemmata.papers.ic_recall.claims._pairwise_line import LOCUS, coefficients, pairwise_line_runs
from lemmata.papers.ic_recall.theory import pairwise_line
from lemmata.report import plots


def draw(runs: Runs) -> Artefact:
    samples = runs["main"].arrays["gap_samples"]
    figure, axes = plots.new_figure(1, len(samples.T), width=12)
    x = np.linspace(0, 0.5, 101)
    for ax, name, found, printed, right in zip(
        axes, scores("d")[1:], samples.T, pairwise_line.PRINTED_GAPS, pairwise_line.GAPS, strict=True
    ):
        ax.plot(x, np.polyval(printed, x), "--", color=plots.CYCLE[1], label="printed")
        ax.plot(x, np.polyval(right, x), color=plots.CYCLE[0], label="corrected")
        ax.plot([0.0, 0.25, 0.5], found, "o", color=plots.GREY, label="model")
        ax.set(title=name, xlabel="x")
    axes[0].set_ylabel("l(r_j) − l(r₁)")
    plots.legend(axes[0])
    names = [f"d_{j}, {of}" for j in range(2, 7) for of in ("x^2", "x", "1")]
    forms = {"printed": pairwise_line.PRINTED_GAPS, "corrected": pairwise_line.GAPS, "model": coefficients(samples)}
    caption = "The gaps on v = (x, x, 1/2 - x, 1/2 - x, 0, 0): as printed, corrected, and the model's own; no seeds."
    return Artefact(figure, {"coefficient": names, **{name: np.ravel(form) for name, form in forms.items()}}, caption)


EXPERIMENT = Experiment(
    title="The gaps of the logits on the pairwise line",
    runs=pairwise_line_runs,
    claims=(
        formula(
            "pairwise-line",
            LOCUS,
            r"With three subjects, on $v = (x, x, \frac12 - x, \frac12 - x, 0, 0)$ the gaps $d_j = l(r_j) - l(r_1)$ "
            r"are $d_2 = -8x^2 + 4x - \frac12$, $d_3 = -3x^2 + 3x - \frac34$, $d_4 = -7x^2 + 4x - \frac34$, $d_5 = "
            r"-7x^2 + 3x - \frac12$ and $d_6 = -3x^2$.",
            lambda run: pairwise_line.PRINTED_GAPS,
            lambda run: coefficients(run.arrays["gap_samples"]),
            along={"gap": scores("d")[1:], "coefficient of": ("x^2", "x", "1")},
            corrected=lambda run: pairwise_line.GAPS,
            correction=slip(
                "step of a proof",
                printed=r"$d_3 = -3x^2+3x-\frac34, \quad d_4 = -7x^2+4x-\frac34, \quad d_5 = -7x^2+3x-\frac12, \quad "
                r"d_6 = -3x^2$",
                right=r"$d_3 = -2x^2+2x-\frac12, \quad d_4 = d_5 = -6x^2+3x-\frac12, \quad d_6 = -2x^2$",
                reason=r"At $v_5 = 0$ the square $(v_5 + v_j)^2$ of Table 2 was taken to be 0, not $v_j^2$: that gives "
                r"exactly the printed $d_3$ and $d_6$, and the printed $d_4$ and $d_5$ in each other's place. $d_2$ is "
                "right.",
                survives="Theorem 4.2 and Theorem B.3, with other constants.",
            ),
        ),
    ),
    draw=draw,
)
