"""Lemma B.5: perturbed, descent leaves the saddle; its curvature there, term by term."""

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall.claims import _warmup as warmup
from lemmata.papers.ic_recall.claims._algebra import saddle_algebra
from lemmata.papers.ic_recall.claims._formula import draw_formula, formula, scores, slip
from lemmata.papers.ic_recall.claims._temperature import below_log_two, cold
from lemmata.papers.ic_recall.theory import saddle
from lemmata.report import plots

LOCUS = "Appendix B, proof of Lemma B.5"
BY_T = {"T": lambda run: run.metrics["temperature"]}
Escapes = dict[float, np.ndarray]  # by temperature: when each replica's loss was first below log 2 (NaN: never)


def _perturbed(runs: core.Runs) -> Escapes:
    run = runs["escape"]
    return {t: run.column("steps", temperature=t) for t in sorted(run.config.temperatures)}


def _never_perturbed(runs: core.Runs) -> Escapes:
    """Stage 1 is the same descent, never perturbed: it comes as near to the saddle as it likes, above log 2."""
    run = runs["stages"]
    below = run.arrays["stage1_loss"] < np.log(2.0)
    every = run.config.steps1 // run.config.records
    first = np.where(below.any(1), every * below.argmax(1), np.nan)
    return dict(zip(run.config.temperatures, first[:, None], strict=True))


def _escaped(escapes: Escapes) -> core.Successes:
    """At each temperature, how many replicas got below log 2."""
    counts = [np.isfinite(steps).sum() for steps in escapes.values()]
    return core.Successes(np.array(counts), len(next(iter(escapes.values()))))


def _exponent(escapes: Escapes) -> float:
    """Of 1/T in the median number of steps; infinite if at some temperature nothing escaped."""
    if len(escapes) < 2:
        raise core.Undecided("an exponent needs two temperatures")
    if not all(np.isfinite(steps).any() for steps in escapes.values()):
        return float("inf")
    medians = [max(float(np.nanmedian(steps)), 1.0) for steps in escapes.values()]
    return core.log_slope(1 / np.array(list(escapes)), np.array(medians))


def _scaled_eigenvalue(run: core.RunResult, index: int) -> float:
    """T times the least eigenvalue of the Hessian at one of the temperatures."""
    return float(run.metrics["temperature"][index]) * float(run.metrics["least_eigenvalue"][index])


def _decay_rate(run: core.RunResult, index: int) -> tuple[float, float]:
    """How far L_1 is above log 2 at one of the temperatures, and -T log of half of that."""
    above = float(run.metrics["loss"][index]) - np.log(2.0)
    return above, -float(run.metrics["temperature"][index]) * np.log(above / 2)


TERM_TWO = formula(
    "lemma-b.5-term-ii",
    LOCUS,
    r"With three subjects, term II of $p_1''(0)$ at the saddle, $\sum_{i,j} \frac{\partial^2 p_1}{\partial l_i "
    r"\partial l_j} l_i'(0) l_j'(0)$, is $-\frac{p_1(0) p_1(r_3)^2}{16T^2}$.",
    lambda run: saddle.printed_term_two(*(run.metrics[name] for name in ("p1", "p3", "temperature"))),
    lambda run: run.metrics["term_two"],
    along=BY_T,
    corrected=lambda run: saddle.term_two(*(run.metrics[name] for name in ("p1", "p3", "temperature"))),
    correction=slip(
        "step of a proof",
        printed=r"$\text{term II} = -\frac{p_1(0)\,p_1(r_3)^2}{16T^2}$",
        right=r"$\text{term II} = -\frac{p_1(0)\,p_1(r_3)}{32T^2}$",
        reason=r"$\frac{1}{64}(2(2p_3^2 - p_3) - 2 \cdot 2p_3^2) = -p_3/32$: the squares cancel, the linear part "
        "stays. Without the diagonal terms the sum would be the printed one.",
        survives="Lemma B.5: term II is exponentially small either way.",
    ),
    atol=1e-13,
    rtol=1e-8,
)

CLAIMS = (
    core.Claim(
        id="lemma-b.5",
        locus="Appendix B, Lemma B.5",
        uses=(
            "lemma-b.6",
            "lemma-b.5-term-i",
            "lemma-b.5-term-ii",
            "lemma-b.5-logit-gap",
            "lemma-b.5-logit-gradients",
            "lemma-b.5-eigenvalue",
            "lemma-b.5-saddle-loss",
        ),
        statement=r"With three subjects and $T < T_{\max}(\delta)$, with probability at least $1 - \delta$ the loss "
        r"$L_1$ is below $\log 2$ after the perturbation at the saddle and $O(\text{poly}(\frac1T) \log\frac1\delta)$ "
        "steps of gradient descent.",
        needs={"escape": below_log_two()},
        subject=_perturbed,
        wrong=_never_perturbed,
        parts={
            "share that escaped": core.Part(
                _escaped,
                core.at_least(lambda runs: 1 - runs["escape"].config.delta, over_seeds=True),
                along={"T": lambda runs: sorted(runs["escape"].config.temperatures)},
            ),
            "exponent of 1/T in the steps": core.Part(_exponent, core.at_most(2.0)),
        },
        remark=r"With $\eta$ proportional to $T^2$ and curvature $1/(8T)$ the steps grow like $\log(1/T)/T$. The "
        "control has no perturbation.",
    ),
    formula(
        "lemma-b.5-term-i",
        LOCUS,
        r"With three subjects, term I of $p_1''(0)$ at the saddle, $\sum_i \frac{\partial p_1}{\partial l_i} "
        r"l_i''(0)$, is $\frac{p_1(0)}{8T}$.",
        lambda run: run.metrics["p1"] / (8 * run.metrics["temperature"]),
        lambda run: run.metrics["term_one"],
        along=BY_T,
    ),
    TERM_TWO,
    formula(
        "lemma-b.5-logit-gap",
        LOCUS,
        r"With three subjects the mismatched relations' logits at the saddle lie $\frac{3}{16}$ below $l(r_1)$, as the "
        r"exponential of the printed $f''_{\tilde\epsilon, \tilde\theta}(0)$ has it, and $l(r_2) = l(r_1)$.",
        lambda run: np.array([0, 0, 3, 3, 3, 3]) / 16,
        lambda run: run.arrays["logits"][0] - run.arrays["logits"],
        along={"relation": scores("r")},
        corrected=lambda run: np.array([0, 0, 1, 1, 1, 1]) / 8,
        correction=slip(
            "constant",
            printed=r"$\frac{3}{16}$, inside the exponential of $f''_{\tilde\epsilon, \tilde\theta}(0)$",
            right=r"$l(r_1) - l(r_j) = \frac18 \text{ for } j \ge 3$",
            reason=r"$l(r_1) = \frac12$ and $l(r_3) = \frac{1}{16} + \frac14 + \frac{1}{16} = \frac38$ at $v = "
            r"(\frac14, \frac14, \frac14, \frac14, 0, 0)$: the square $(v_5 + v_4)^2$ is $v_4^2$ at $v_5 = 0$, not 0.",
            root="pairwise-line",
            survives="Lemma B.5.",
        ),
    ),
    formula(
        "lemma-b.5-logit-gradients",
        LOCUS,
        r"With three subjects the gradients of the six logits in $v$ at the saddle are the printed vectors, as "
        r"$\nabla_v l_3(v(0)) = (1, 1, \frac12, \frac12, 0, 0)$.",
        lambda run: saddle.PRINTED_LOGIT_GRADIENTS,
        lambda run: run.arrays["logit_gradients"],
        along={"relation": scores("r"), "in": scores("v")},
        corrected=lambda run: saddle.LOGIT_GRADIENTS,
        correction=slip(
            "step of a proof",
            printed=r"the fifth entries of $\nabla_v l_3(v(0)), \ldots, \nabla_v l_6(v(0))$ are 0",
            right=r"$\nabla_v l_3(v(0)) = \left(1,1,\frac12,\frac12,\frac12,0\right)^\top \text{ and likewise for } "
            r"l_4, l_5, l_6$",
            reason=r"$r_3, \ldots, r_6$ use $s_3$, so $\partial l/\partial v_5 = 2(v_5 + v_4) = \frac12$.",
            survives="Everything after it: $v'(0)$ has no fifth entry.",
        ),
    ),
    core.Claim(
        id="lemma-b.5-eigenvalue",
        locus=LOCUS,
        statement=r"With three subjects $\lambda_{\min}(\nabla^2 L_1(\tilde\theta, T)) \lesssim -\frac1T$ at the "
        r"saddle for small $T$. Judged: $T$ times the eigenvalue tends to $-\frac18$.",
        needs={"main": cold(0.012, "lowest")},
        subject=lambda runs: _scaled_eigenvalue(runs["main"], 0),
        wrong=lambda runs: _scaled_eigenvalue(runs["main"], -1),
        parts=core.Part(float, core.near(-1 / 8, atol=2e-4)),
        remark=r"Measured: $T$ times the eigenvalue at the lowest temperature. The control is the highest one.",
    ),
    core.Claim(
        id="lemma-b.5-saddle-loss",
        locus="Appendix B, idea of the proof of Lemma B.5",
        statement=r"With three subjects, as $T \to 0$ the loss at the saddle tends to $\log 2$ from above, with an "
        r"error that decreases roughly like $\exp(-1/T)$. Judged: the $c$ of $\exp(-c/T)$.",
        needs={"main": cold(0.012, "lowest")},
        subject=lambda runs: _decay_rate(runs["main"], 0),
        wrong=lambda runs: _decay_rate(runs["main"], -1),
        parts={
            "above log 2": core.Part(lambda found: found[0], core.at_least(0.0)),
            "c": core.Part(lambda found: found[1], core.near(1.0, rtol=0.02), corrected=1 / 8),
        },
        correction=slip(
            "constant",
            printed=r"roughly $\exp(-1/T)$",
            right=r"$\exp(-\frac{1}{8T})$: $L_1 = \log(2 + 4\exp(-\frac{1}{8T}))$",
            reason=r"The mismatched relations lie $\frac18$ below $r_1$ at the saddle.",
            survives="Lemma B.5: what is needed is faster than any power of $T$.",
            latex=r"The rate of error decreasing is roughly $\exp(-\frac{1}{8T})$.",
        ),
        remark="Measured at the lowest temperature. The control is the highest one.",
    ),
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, (left, right) = plots.new_figure(1, 2)
    warmup.draw_losses(left, runs["escape"])
    draw_formula(right, TERM_TWO, runs)
    caption = (
        f"Left: from the exact saddle, perturbed, with eta = {runs['escape'].config.learning_rate:g} T²: one seed's "
        f"loss at each temperature passes log 2. The table has {len(runs['escape'].config.seeds)} seeds a temperature. "
        "Right: term II of the proof, as printed and corrected, against autodiff."
    )
    return core.Artefact(figure, dict(runs["escape"].metrics), caption)


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    return {"escape": warmup.warmup_escape(scale), "stages": warmup.warmup_stages(scale), **saddle_algebra(scale)}


EXPERIMENT = core.Experiment(
    title="Three subjects: the escape from the saddle, and the curvature behind it",
    runs=_runs,
    claims=CLAIMS,
    draw=draw,
)
