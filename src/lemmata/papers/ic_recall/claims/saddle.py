"""The saddle where the warm-up's Stage 1 ends, and its curvature, printed and right (Lemmas B.4 and B.5)."""

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, at_least, exactly, near
from lemmata.papers.ic_recall.claims._formula import SOURCE, Reading, formula, scores
from lemmata.papers.ic_recall.claims._temperature import cold
from lemmata.papers.ic_recall.run.algebra import SaddleAlgebra
from lemmata.papers.ic_recall.theory import saddle
from lemmata.report import plots


def _metric(name: str) -> Reading:
    return lambda run: run.metrics[name]


def _scaled_eigenvalue(run: RunResult, index: int) -> float:
    """T times the least eigenvalue of the Hessian at one of the temperatures."""
    return float(run.metrics["temperature"][index]) * float(run.metrics["least_eigenvalue"][index])


def _bends(run: RunResult, falling: str, rising: str) -> tuple[float, float]:
    return float(np.sign(run.metrics[falling]).max()), float(np.sign(run.metrics[rising]).min())


def _decay_rate(run: RunResult, index: int) -> tuple[float, float]:
    """How far L_1 is above log 2 at one of the temperatures, and -T log of half of that."""
    above = float(run.metrics["loss"][index]) - np.log(2.0)
    return above, -float(run.metrics["temperature"][index]) * np.log(above / 2)


BY_T = {"T": lambda run: run.metrics["temperature"]}

CLAIMS = (
    formula(
        "saddle-curvature",
        "Appendix B, proof of Lemma B.5",
        "The second derivative of L_1 at the saddle along (1, 1, -1, -1, 0, 0)/2, as a function of T.",
        lambda run: saddle.printed_curvature(run.metrics["temperature"]),
        _metric("curvature"),
        along=BY_T,
        corrected=lambda run: saddle.curvature(run.metrics["temperature"]),
        severity="step of a proof",
        printed="f''(0) = -1/(8T) + 1 / (16 T^2 (4 + 2 exp(3/(16T)))^2)",
        right="f''(0) = -1/(8T) + 1 / (32 T^2 (4 + 2 exp(1/(8T))))",
        reason="Term II is -p_1 p_3 / (32 T^2), and l(r_1) - l(r_3) = 1/8 at the saddle (lemma-b.5-logit-gap).",
        root="lemma-b.5-term-ii",
        survives="Lemma B.5: with u = 1/(8T) the right form is u (u / (2 + e^u) - 1), negative at every temperature.",
        latex=r"$f''_{\tilde\epsilon,\tilde\theta}(0) = -\frac{1}{8T} + "
        r"\frac{1}{32T^2\,(4+2\exp(\frac{1}{8T}))}$",
    ),
    formula(
        "lemma-b.5-term-i",
        "Appendix B, proof of Lemma B.5",
        "Term I of p_1''(0) at the saddle is p_1 / (8T).",
        lambda run: run.metrics["p1"] / (8 * run.metrics["temperature"]),
        _metric("term_one"),
        along=BY_T,
    ),
    formula(
        "lemma-b.5-term-ii",
        "Appendix B, proof of Lemma B.5",
        "Term II of p_1''(0) at the saddle, the sum of second derivatives of p_1 in the logits.",
        lambda run: saddle.printed_term_two(*(run.metrics[name] for name in ("p1", "p3", "temperature"))),
        _metric("term_two"),
        along=BY_T,
        corrected=lambda run: saddle.term_two(*(run.metrics[name] for name in ("p1", "p3", "temperature"))),
        severity="step of a proof",
        printed="-p_1 p_3^2 / (16 T^2)",
        right="-p_1 p_3 / (32 T^2)",
        reason="(1/64)(2 (2 p_3^2 - p_3) - 2 * 2 p_3^2) = -p_3/32: the squares cancel, the linear part stays. Without "
        "the diagonal terms the sum would be the printed one.",
        survives="Lemma B.5: term II is exponentially small either way.",
        latex=r"$\text{term II} = -\frac{p_1(0)\,p_1(r_3)}{32T^2}$",
        atol=1e-13,
        rtol=1e-8,
    ),
    formula(
        "lemma-b.5-logit-gap",
        "Appendix B, proof of Lemma B.5",
        "How far the mismatched relations' logits lie below l(r_1) at the saddle.",
        lambda run: np.array([0, 0, 3, 3, 3, 3]) / 16,
        lambda run: run.arrays["logits"][0] - run.arrays["logits"],
        along={"relation": scores("r")},
        corrected=lambda run: np.array([0, 0, 1, 1, 1, 1]) / 8,
        severity="constant",
        printed="3/16 (inside the exponential of f''(0))",
        right="1/8",
        reason="l(r_1) = 1/2 and l(r_3) = 1/16 + 1/4 + 1/16 = 3/8 at v = (1/4, 1/4, 1/4, 1/4, 0, 0): the square "
        "(v_5 + v_4)^2 is v_4^2 at v_5 = 0, not 0.",
        root="pairwise-line",
        survives="Lemma B.5.",
        latex=r"$l(r_1) - l(r_j) = \tfrac18 \text{ for } j \geq 3$",
    ),
    formula(
        "lemma-b.5-logit-gradients",
        "Appendix B, proof of Lemma B.5",
        "Gradients of the six logits in v at the saddle.",
        lambda run: saddle.PRINTED_LOGIT_GRADIENTS,
        lambda run: run.arrays["logit_gradients"],
        along={"relation": scores("r"), "in": scores("v")},
        corrected=lambda run: saddle.LOGIT_GRADIENTS,
        severity="step of a proof",
        printed="fifth entry of grad l_3 ... grad l_6: 0",
        right="fifth entry of grad l_3 ... grad l_6: 1/2",
        reason="r_3 ... r_6 use s_3, so d l/d v_5 = 2 (v_5 + v_4) = 1/2.",
        survives="Everything after it: v'(0) has no fifth entry.",
        latex=r"$\nabla_v l_3(v(0)) = \left(1,1,\tfrac12,\tfrac12,\tfrac12,0\right)^\top \text{ and likewise "
        r"for } l_4, l_5, l_6$",
    ),
    Claim(
        id="lemma-b.5-eigenvalue",
        locus="Appendix B, proof of Lemma B.5",
        statement="The least eigenvalue of the Hessian at the saddle is at most -c/T at low temperature (c = 1/8 in "
        "the limit).",
        needs={"main": cold(0.012, "lowest")},
        subject=lambda runs: _scaled_eigenvalue(runs["main"], 0),
        wrong=lambda runs: _scaled_eigenvalue(runs["main"], -1),
        parts=Part(float, near(-1 / 8, atol=2e-4)),
        remark="Measured: T times the eigenvalue at the lowest temperature. The control is the highest one.",
    ),
    Claim(
        id="lemma-b.4-saddle",
        locus="Appendix B, proof of Lemma B.4",
        statement="At (1/4, 1/4, 1/4, 1/4, 0, 0) the loss falls along (1, 1, -1, -1, 0, 0) and rises along (1, -1, "
        "-1, 1, 0, 0).",
        subject=lambda runs: _bends(runs["main"], "curvature", "ascending"),
        wrong=lambda runs: _bends(runs["main"], "tilted_curvature", "tilted_ascending"),
        parts=Part(tuple, exactly((-1.0, 1.0)), along={"direction": ("falling", "rising")}),
        remark=lambda runs: (
            f"At every temperature from {runs['main'].config.lowest:g} to {runs['main'].config.highest:g}, not only at "
            "low ones. The control is (1/6, 1/6, 1/3, 1/3, 0, 0), the low-temperature optimum."
        ),
    ),
    Claim(
        id="lemma-b.5-saddle-loss",
        locus="Appendix B, idea of the proof of Lemma B.5",
        statement="As T falls L_1 at the saddle tends to log 2 from above, exponentially fast in 1/T: the rate c of "
        "exp(-c/T).",
        needs={"main": cold(0.012, "lowest")},
        subject=lambda runs: _decay_rate(runs["main"], 0),
        wrong=lambda runs: _decay_rate(runs["main"], -1),
        parts={
            "above log 2": Part(lambda found: found[0], at_least(0.0)),
            "c": Part(lambda found: found[1], near(1.0, rtol=0.02), corrected=1 / 8),
        },
        correction=Correction(
            severity="constant",
            printed="roughly exp(-1/T)",
            corrected="exp(-1/(8T)): L_1 = log(2 + 4 exp(-1/(8T)))",
            reason="The mismatched relations lie 1/8 below r_1 at the saddle.",
            survives="Lemma B.5: what is needed is faster than any power of T.",
            source=SOURCE,
            latex=r"The rate of error decreasing is roughly $\exp(-\frac{1}{8T})$.",
        ),
        remark="Measured at the lowest temperature. The control is the highest one.",
    ),
)


def _draw(runs: Runs) -> Artefact:
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
        "autodiff through the reduced engine (float64), the printed formula and the corrected one. Exact computation, "
        "no seeds."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="The saddle of the warm-up and its curvature, printed and right",
    runs=lambda scale: {"main": SaddleAlgebra(temperatures=scale.pick(smoke=11, laptop=41, paper=81))},
    claims=CLAIMS,
    draw=_draw,
)
