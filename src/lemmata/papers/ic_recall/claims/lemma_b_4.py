"""Lemma B.4: Stage 1 of the warm-up converges to the saddle; its first gradient, and the gradients on the way."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, near
from lemmata.papers.ic_recall.claims import _warmup as warmup
from lemmata.papers.ic_recall.claims._algebra import warmup_algebra
from lemmata.papers.ic_recall.claims._formula import draw_formula, formula, points, scores, slip
from lemmata.papers.ic_recall.theory import gradients, saddle
from lemmata.report import plots

LOCUS = "Appendix B, proof of Lemma B.4"


def _limit(v: np.ndarray) -> np.ndarray:
    """The limit of attention paths [path, record, 6]: what is left on s_3 and EoS decays like 1/t, so 2 v(t) - v(t/2)
    is closer to it than v(t)."""
    return 2 * v[:, -1] - v[:, (v.shape[1] - 1) // 2]


def _printed_symmetric(run: RunResult) -> np.ndarray:
    return gradients.printed_symmetric_gradient(run.arrays["symmetric"], run.config.temperature)


GRADIENTS = formula(
    "lemma-b.4-gradients",
    LOCUS,
    r"With three subjects, where $v_1 = v_3$, $v_2 = v_4$ and $v_5 = 0$, $\partial L_1/\partial v_1 = -2(p_5 + "
    r"p_6)v_2$ and $\partial L_1/\partial v_2 = -2(p_4 + p_6)v_1$.",
    _printed_symmetric,
    lambda run: run.arrays["symmetric_gradient"][:, :2],
    along={"point": points, "in": scores("v", 2)},
    corrected=lambda run: _printed_symmetric(run) / run.config.temperature,
    correction=slip(
        "constant",
        printed=r"$\frac{\partial L_1}{\partial v_1} = -2(p_5+p_6)v_2, \quad \frac{\partial L_1}{\partial v_2} = "
        r"-2(p_4+p_6)v_1$",
        right=r"$\frac{\partial L_1}{\partial v_1} = -\frac{2}{T}(p_5+p_6)v_2, \quad \frac{\partial L_1}{\partial v_2} "
        r"= -\frac{2}{T}(p_4+p_6)v_1$",
        reason=r"The factor $1/T$ of eqs. (2) and (3) is lost. (Just before, '$v_4 = v_5$' should read $v_2 = v_4$.)",
        survives="Lemma B.4: only the ratio of the two is used.",
    ),
)

CLAIMS = (
    Claim(
        id="lemma-b.4",
        locus="Appendix B, Lemma B.4",
        uses=("lemma-b.4-initial", "lemma-b.4-gradients", "lemma-b.4-saddle"),
        statement=r"With three subjects, gradient descent on $L_1$ from $\theta = 0$ with $\eta_1 = \Theta(T^2)$ and "
        r"$t_1 = \infty$ converges to a saddle point with $\tilde v = (\frac14, \frac14, \frac14, \frac14, 0, 0)$.",
        subject=lambda runs: runs["stages"].arrays["stage1_v"],
        wrong=lambda runs: runs["stages"].arrays["stage2_v"][:: len(runs["stages"].config.seeds)],
        parts=Part(
            _limit,
            near(lambda runs: np.tile(saddle.SADDLE, (len(runs["stages"].config.temperatures), 1)), atol=5e-3),
            along={
                "T": lambda runs: runs["stages"].config.temperatures,
                "on": ("s_1", "a_1", "s_2", "a_2", "s_3", "EoS"),
            },
        ),
        remark=r"Kept on $v_1 = v_3$, $v_2 = v_4$: rounding alone would leave the saddle after enough steps. Attention "
        r"on $s_3$ and EoS dies like $1/t$, so the limit is extrapolated: $2v(t) - v(t/2)$. The control is Stage 2.",
    ),
    formula(
        "lemma-b.4-initial",
        LOCUS,
        r"With three subjects, at $v = (\frac16, \ldots, \frac16)$ the gradient of $L_1$ in $v$ is "
        r"$\frac{1}{9T}(-1, 0, -1, 0, 2, 0)$.",
        lambda run: saddle.INITIAL_GRADIENT / run.config.temperature,
        lambda run: run.arrays["initial_gradient"],
        along={"in": scores("v")},
    ),
    GRADIENTS,
)


def draw(runs: Runs) -> Artefact:
    stages = runs["stages"]
    figure, (left, right) = plots.new_figure(1, 2)
    every = stages.config.steps1 // stages.config.records
    for colour, t, v in zip(plots.CYCLE, stages.config.temperatures, stages.arrays["stage1_v"], strict=False):
        for column, style, name in ((4, "-", "s₃"), (5, "--", "EoS")):
            steps = every * np.arange(1, len(v))
            left.plot(steps, v[1:, column], style, color=colour, label=f"{name}, T = {t:g}")
    left.set(xscale="log", yscale="log", xlabel="step of Stage 1", ylabel="attention left on s₃ and EoS")
    plots.legend_below(left, ncols=3)
    draw_formula(right, GRADIENTS, runs)
    caption = (
        f"Left: Stage 1 of Algorithm 1 with eta = {stages.config.learning_rate:g} T², kept on the symmetric subspace: "
        "attention on the query and EoS dies like 1/t. Right: the proof's gradients at random points, as printed and "
        "corrected, against autodiff."
    )
    return Artefact(figure, dict(stages.metrics), caption)


def _runs(scale: Scale) -> dict[str, RunConfig]:
    return {"stages": warmup.warmup_stages(scale), **warmup_algebra(scale)}


EXPERIMENT = Experiment(title="Three subjects: Stage 1 converges to the saddle", runs=_runs, claims=CLAIMS, draw=draw)
