"""The curvature of the warm-up's saddle along the escaping direction, printed and right (Lemma B.5)."""

import numpy as np

from lemmata.core import Artefact, Experiment, Runs
from lemmata.papers.ic_recall.claims._algebra import saddle_algebra
from lemmata.papers.ic_recall.claims._formula import formula, slip
from lemmata.papers.ic_recall.theory import saddle
from lemmata.report import plots


def draw(runs: Runs) -> Artefact:
    metrics = runs["main"].metrics
    t = metrics["temperature"]
    printed, right = saddle.printed_curvature(t), saddle.curvature(t)
    figure, (left, other) = plots.new_figure(1, 2)
    left.plot(t, t * metrics["curvature"], "o", markersize=4, color=plots.GREY, label="autodiff")
    left.plot(t, t * right, color=plots.CYCLE[0], label="corrected")
    left.plot(t, t * printed, "--", color=plots.CYCLE[1], label="printed")
    left.set(xscale="log", xlabel="temperature T", ylabel="T × curvature along (1, 1, −1, −1, 0, 0)/2")
    plots.legend(left)
    for values, label, colour in ((printed, "printed", plots.CYCLE[1]), (right, "corrected", plots.CYCLE[0])):
        other.plot(t, np.maximum(np.abs(values / metrics["curvature"] - 1), 1e-17), color=colour, label=label)
    other.set(xscale="log", yscale="log", xlabel="temperature T", ylabel="relative error against autodiff")
    plots.legend(other)
    table = {"temperature": t, "autodiff": metrics["curvature"], "printed": printed, "corrected": right}
    caption = (
        "Curvature of the warm-up's loss at the saddle (1/4, 1/4, 1/4, 1/4, 0, 0) along the escaping direction: "
        "autodiff through the reduced model (float64), the printed formula and the corrected one. Exact computation, "
        "no seeds."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="The saddle of the warm-up and its curvature, printed and right",
    runs=saddle_algebra,
    claims=(
        formula(
            "saddle-curvature",
            "Appendix B, proof of Lemma B.5",
            r"With three subjects the second derivative of $L_1$ at the saddle $\tilde v = (\frac14, \frac14, \frac14, "
            r"\frac14, 0, 0)$ along $\tilde\epsilon = (1, 1, -1, -1, 0, 0)/2$ is $f''_{\tilde\epsilon, "
            r"\tilde\theta}(0) = -\frac{1}{8T} + \frac{1}{16T^2 (4 + 2\exp(\frac{3}{16T}))^2}$.",
            lambda run: saddle.printed_curvature(run.metrics["temperature"]),
            lambda run: run.metrics["curvature"],
            along={"T": lambda run: run.metrics["temperature"]},
            corrected=lambda run: saddle.curvature(run.metrics["temperature"]),
            correction=slip(
                "step of a proof",
                printed=r"$f''_{\tilde\epsilon,\tilde\theta}(0) = -\frac{1}{8T} + "
                r"\frac{1}{16T^2(4+2\exp(\frac{3}{16T}))^2}$",
                right=r"$f''_{\tilde\epsilon,\tilde\theta}(0) = -\frac{1}{8T} + "
                r"\frac{1}{32T^2\,(4+2\exp(\frac{1}{8T}))}$",
                reason=r"Term II is $-p_1 p_3/(32T^2)$, and $l(r_1) - l(r_3) = \frac18$ at the saddle "
                "(lemma-b.5-logit-gap).",
                root="lemma-b.5-term-ii",
                survives=r"Lemma B.5: with $u = 1/(8T)$ the right form is $u(u/(2 + e^u) - 1)$, negative at every "
                "temperature.",
            ),
        ),
    ),
    draw=draw,
)
