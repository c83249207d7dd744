"""Lemma B.7: after the escape the two tokens of a pair are driven together."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, Undecided, at_most
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims import _warmup as warmup
from lemmata.papers.ic_recall.claims._algebra import warmup_algebra
from lemmata.papers.ic_recall.claims._formula import draw_formula, formula, points, slip
from lemmata.papers.ic_recall.run.algebra import WarmupAlgebra
from lemmata.papers.ic_recall.theory import pairing
from lemmata.report import plots

LOCUS = "Appendix B, proof of Lemma B.7"


def _velocities(run: RunResult, ahead: bool) -> np.ndarray:
    """d log psi / dt by autodiff at random points with v_5 = 0, where l(r_1) is (or is not) ahead of the mean logit."""
    v, slope = run.arrays["unpaired"], run.arrays["unpaired_theta"]
    keep = (np.asarray(pairing.advantage(v, run.config.temperature)) > 0) == ahead
    return np.asarray(pairing.psi_velocity(v, slope))[keep]


def _rises(run: RunResult) -> np.ndarray:
    """The largest rise of psi on each path, where L_1 < log 2."""
    if not run.metrics["escaped"].all():
        raise Undecided("some path never comes below L_1 = log 2, and the lemma speaks of none of it")
    return run.metrics["largest_rise"]


def _rises_across(run: RunResult) -> np.ndarray:
    """The rises of psi for the wrong pairs, (s_1, a_2) and (s_2, a_1)."""
    v, below = run.arrays["v"], run.arrays["loss"] < np.log(2.0)
    log_psi = np.abs(np.log(v[..., [0, 2]] / v[..., [3, 1]])).max(axis=-1)
    return np.where(below[:, :-1], np.diff(log_psi, axis=1), -np.inf).max(axis=1)


def _printed_differences(run: RunResult) -> np.ndarray:
    return pairing.printed_differences(run.arrays["v"], run.config.temperature)


def _theta_differences(run: RunResult) -> np.ndarray:
    slope = run.config.temperature * run.arrays["gradient_theta"]
    return slope[:, [0, 2]] - slope[:, [1, 3]]


FORMULAS = (
    formula(
        "lemma-b.7-identity",
        LOCUS,
        r"With three subjects $\sum_j v_j \frac{\partial L_1}{\partial v_j} = \sum_r p_1(r) l(r)$.",
        lambda run: pairing.printed_inner_product(run.arrays["v"], run.config.temperature),
        lambda run: (run.arrays["v"] * run.arrays["gradient_v"]).sum(-1),
        along={"point": points},
        corrected=lambda run: -2 / run.config.temperature * pairing.advantage(run.arrays["v"], run.config.temperature),
        correction=slip(
            "step of a proof",
            printed=r"$\sum_j v_j \frac{\partial L_1}{\partial v_j} = \sum_r p_1(r) l(r)$",
            right=r"$\sum_j v_j \frac{\partial L_1}{\partial v_j} = \frac{2}{T}\Bigl(\sum_r p_1(r)l(r) - l(r_1)\Bigr)$",
            reason=r"Logits are homogeneous of degree 2 in $v$, so $v \cdot \nabla l = 2l$; the loss is $-l(r_1)/T$ "
            "plus a log-sum-exp.",
            survives="Lemma B.7: the two displays that follow use the right form, up to their factor 2.",
        ),
    ),
    formula(
        "lemma-b.7-differences",
        LOCUS,
        r"With three subjects the signs of $\frac{\partial L_1}{\partial\theta_1} - \frac{\partial "
        r"L_1}{\partial\theta_2}$ and $\frac{\partial L_1}{\partial\theta_3} - \frac{\partial L_1}{\partial\theta_4}$ "
        r"drive $v_1/v_2$ and $v_3/v_4$ to 1. $T$ times the first is $(p_2 + p_4)v_1v_4 - (p_2 + p_5)v_2v_3 - (p_4 + "
        r"p_6)v_2v_5 + (v_1 - v_2)(l(r_1) - \sum_r p_1(r) l(r))$, and likewise the second.",
        _printed_differences,
        _theta_differences,
        along={"point": points, "difference in theta": ("1 - 2", "3 - 4")},
        corrected=lambda run: 2 * _printed_differences(run),
        correction=slip(
            "constant",
            printed=r"$T\bigl(\frac{\partial L_1}{\partial\theta_1} - \frac{\partial L_1}{\partial\theta_2}\bigr)$ and "
            r"$T\bigl(\frac{\partial L_1}{\partial\theta_3} - \frac{\partial L_1}{\partial\theta_4}\bigr)$ without a "
            "factor 2",
            right="twice the printed right-hand sides",
            reason="A factor 2 is lost from eqs. (2)-(6).",
            survives="Lemma B.7: only signs are used.",
            latex=r"$\frac{T}{2}\Bigl(\frac{\partial L_1}{\partial \theta_1} - \frac{\partial L_1}{\partial "
            r"\theta_2}\Bigr) = (p_2+p_4)v_1v_4 - (p_2+p_5)v_2v_3 - (p_4+p_6)v_2v_5 + (v_1-v_2)\Bigl(l(r_1) - \sum_r "
            r"p_1(r)l(r)\Bigr)$ and $\frac{T}{2}\Bigl(\frac{\partial L_1}{\partial \theta_3} - \frac{\partial "
            r"L_1}{\partial \theta_4}\Bigr) = (p_2+p_5)v_2v_3 - (p_2+p_4)v_1v_4 - (p_3+p_5)v_4v_5 + "
            r"(v_3-v_4)\Bigl(l(r_1) - \sum_r p_1(r)l(r)\Bigr)$",
        ),
    ),
)

LEMMA = Claim(
    id="lemma-b.7",
    locus="Appendix B, Lemma B.7",
    uses=("lemma-b.7-identity", "lemma-b.7-differences"),
    statement=r"Let $\alpha = v_1/v_2$, $\beta = v_3/v_4$ and $\psi = \max\{\alpha, \beta, 1/\alpha, 1/\beta\}$. With "
    r"three subjects, if $l(r_1) > \sum_r p_1(r) l(r)$ and $v_5 = 0$, $\psi$ decreases unless $\alpha = \beta = 1$.",
    subject=lambda runs: (_velocities(runs["algebra"], True), _rises(runs["escape"])),
    wrong=lambda runs: (_velocities(runs["algebra"], False), _rises_across(runs["escape"])),
    parts={
        "velocity at random points": Part(lambda psi: psi[0], at_most(0.0)),
        "largest rise along training": Part(
            lambda psi: psi[1], at_most(0.0, slack=1e-13), along=warmup.by_replica("escape")
        ),
    },
    remark=r"The velocity is of $\log\psi$ under gradient flow, by autodiff. The control takes points where $l(r_1)$ "
    r"is not ahead, where $\psi$ can rise, and on the trained paths the $\psi$ of the wrong pairs. The slack is "
    r"rounding of $\log\psi$ near 0.",
)


def draw(runs: Runs) -> Artefact:
    run = runs["escape"]
    figure, (left, *others) = plots.new_figure(1, 3)
    temperatures, first, steps = warmup.first_paths(run)
    for colour, t, j in zip(plots.CYCLE, temperatures, first, strict=False):
        left.plot(steps, np.maximum(run.arrays["log_psi"][j], 1e-16), color=colour, label=f"T = {t:g}")
    left.set(xlabel="step of Stage 2", ylabel="logarithm of ψ", yscale="log")
    plots.legend(left)
    for ax, claim in zip(others, FORMULAS, strict=True):
        draw_formula(ax, claim, runs)
    caption = (
        "Left: log ψ of one seed at each temperature; it is 0 when attention is pairwise. Middle and right: the "
        "proof's identities at random points, as printed and corrected, against autodiff."
    )
    return Artefact(figure, dict(run.metrics), caption)


def _runs(scale: Scale) -> dict[str, RunConfig]:
    algebra = WarmupAlgebra(points=sizes.VELOCITY_POINTS.at(scale), seed=1)
    return {"escape": warmup.warmup_escape(scale), "algebra": algebra, **warmup_algebra(scale)}


EXPERIMENT = Experiment(
    title="Three subjects: why attention becomes pairwise", runs=_runs, claims=(LEMMA, *FORMULAS), draw=draw
)
