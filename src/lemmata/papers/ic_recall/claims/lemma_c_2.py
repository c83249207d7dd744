"""Lemma C.2: the escape after one large step, and the curvature behind it."""

import numpy as np

from lemmata.core import Claim, Experiment, Part, RunConfig, Runs, Scale, at_least, at_most, near, rows_of, slope_near
from lemmata.papers.ic_recall.claims import _low_temperature as trained
from lemmata.papers.ic_recall.claims._algebra import general_algebra
from lemmata.papers.ic_recall.claims._formula import formula, scores, slip
from lemmata.papers.ic_recall.theory import low_temperature

LOCUS = "Appendix C, proof of Lemma C.2"


def _curvature(runs: Runs, name: str) -> np.ndarray:
    """T times the second derivative along (1, 1, -1, -1, 0, 0)/2, replica by replica."""
    metrics = trained.trained_on_enough(runs).over_temperature.metrics
    return metrics[name] * metrics["temperature"]


def _expected_escape(runs: Runs) -> str:
    c2 = runs["temperatures"].config.schedule.c2
    return (
        rf"With $\eta_2 = c_2 T^2$, $c_2$ = {c2:g}, growth $p_{{\text{{conf}}}}\eta_2/(18T)$ a step and a perturbation "
        rf"of $T^3$, five times $\log(1/T)$ e-folds would take {5 * 18 / c2:g} $\log(1/T)/(p_{{\text{{conf}}}}T)$ "
        "steps. "
        r"Reaching $\log 2 - (p_{\text{conf}}T)^3$ takes fewer. The control has a sample of one sequence."
    )


CLAIMS = (
    Claim(
        id="lemma-c.2",
        locus="Appendix C, Lemma C.2",
        uses=("lemma-c.1", "lemma-c.2-acceleration", "lemma-c.2-parts", "lemma-c.2-eigenvalue", "lemma-c.2-curvature"),
        statement=r"If $T < T_{\max}(\delta)$, with probability at least $1 - \delta/3$ the loss on confusing "
        r"sequences is $\ell_1 \le \log 2 - \Omega(p_{\text{conf}}^3 T^3)$ after $O(1/T)$ iterations of Stage 2 of "
        r"Algorithm 1. Judged with the constant 1 in $\Omega$, after $\tilde O(\frac{1}{p_{\text{conf}}T})$ "
        "iterations, as the proof has it.",
        needs=trained.NEEDS,
        subject=trained.trained_on_enough,
        wrong=trained.trained_on_one,
        parts={
            "share that escaped": Part(
                lambda found: found.reached("escape_steps"), at_least(trained.promised_share, over_seeds=True)
            ),
            "steps p_conf T / log(1/T)": Part(
                lambda found: found.steps_in_units("escape_steps"),
                at_most(0.05),
                along={"at": trained.temperatures_then_shares},
            ),
        },
        remark=_expected_escape,
    ),
    Claim(
        id="lemma-c.2-eigenvalue",
        locus=LOCUS,
        statement=r"After Stage 1 $\lambda_{\min}(\nabla^2 L_1(\tilde\theta, D)) \lesssim "
        r"-\Omega(p_{\text{conf}}/T)$. Judged: $T$ times the eigenvalue is proportional to $p_{\text{conf}}$, by "
        r"$-\frac{1}{18}$ in the limit, extrapolated in $\sqrt T\log\frac1T$.",
        needs=trained.NEEDS,
        subject=trained.trained_on_enough,
        wrong=trained.trained_on_one,
        parts={
            "against p_conf": Part(trained.Replicas.eigenvalues, slope_near(1.0, 0.05)),
            "over p_conf, as T falls": Part(
                trained.Replicas.eigenvalue_limit, near(lambda runs: low_temperature.escape_rate(), rtol=0.02)
            ),
        },
        remark=r"The printed form has no constant; $\frac{1}{18}$ comes from the corrected term I (lemma-c.2-parts). "
        r"The control has a sample of one sequence, whose $p_{\text{conf}}$ is 0 or 1.",
    ),
    Claim(
        id="lemma-c.2-curvature",
        locus=LOCUS,
        statement=r"For a confusing sequence at $v = (\frac16, \ldots, \frac16)$, $r_1$ and $r_2$ alone and $p_2 = "
        r"\frac12$, the curvature along $\tilde\epsilon = (1, 1, -1, -1, 0, 0)/2$ is $-\frac{p_2}{12T}$.",
        subject=lambda runs: _curvature(runs, "curvature_uniform"),
        wrong=lambda runs: _curvature(runs, "curvature_after"),
        parts=Part(
            lambda curvature: curvature,
            near(low_temperature.printed_confusing_curvature(1.0), rtol=1e-8),
            corrected=low_temperature.confusing_curvature(1.0),
            along={
                "replica": lambda runs: rows_of(
                    trained.trained_on_enough(runs).over_temperature, T="temperature", seed="seed"
                )
            },
        ),
        correction=slip(
            "constant",
            printed=r"$\text{term I} = \frac{p_1}{12T}\bigl(p_2 + O(\sqrt T\log\frac1T)\bigr)$, a curvature of "
            r"$-\frac{1}{24T}$",
            right=r"$\text{term I} = \frac{p_1}{9T}\bigl(p_2 + O(\sqrt T\log\frac1T)\bigr)$, a curvature of "
            r"$-\frac{1}{18T}$",
            reason=r"$l_1'' - l_2'' = \frac19$. At the point Stage 1 really reaches the curvature is $-2v_1v_2/T$, "
            "which tends to this.",
            root="lemma-c.2-parts",
            survives="Lemma C.2.",
            latex=r"$\text{term I} = \frac{p_1}{9T}\big(p_2 + O(\sqrt T\log\tfrac1T)\big)$",
        ),
        remark="The control is the point that Stage 1 really reaches: near the limit, not on it.",
    ),
    formula(
        "lemma-c.2-acceleration",
        LOCUS,
        r"Along $\text{softmax}(\theta + x\tilde\epsilon)$ with $\tilde\epsilon = (1, 1, -1, -1, 0, 0)/2$, at $v = "
        r"(\frac16, \ldots, \frac16)$, $v_i''(0) = \frac{1}{12}v_i$ for all $i$.",
        lambda run: low_temperature.PRINTED_CURVE_ACCELERATION,
        lambda run: run.arrays["acceleration"],
        along={"of": scores("v")},
        corrected=lambda run: low_temperature.CURVE_ACCELERATION,
        correction=slip(
            "step of a proof",
            printed=r"$v_i''(0) = \frac{1}{12}v_i$, up to $O(\sqrt T\log\frac1T)$",
            right=r"$v_i''(0) = \frac{1}{12}v_i$ for $i \le 4$ and $v_i''(0) = -\frac16 v_i$ for $i = 5, 6$, up to "
            r"$O(\sqrt T\log\frac1T)$",
            reason=r"$\tilde\epsilon_i^2 = 0$ for $i = 5, 6$, so $v_i'' = -v_i \sum_j v_j \tilde\epsilon_j^2$. The "
            "printed vector does not sum to 0.",
            survives="Lemma C.2, with another constant.",
        ),
    ),
    formula(
        "lemma-c.2-parts",
        LOCUS,
        r"Along the same curve at $v = (\frac16, \ldots, \frac16)$, $(\nabla_v l_i)^\top v'' = \frac{1}{24}$ for $i = "
        r"1, 2$, $v'^\top \nabla_v^2 l_1 v' = \frac{1}{12}$ and $v'^\top \nabla_v^2 l_2 v' = 0$. So $l_1''(0) = "
        r"\frac18$ and $l_2''(0) = \frac{1}{24}$.",
        lambda run: low_temperature.PRINTED_SECOND_ORDER_PARTS,
        lambda run: run.arrays["second_order"],
        along={"what": ["grad l_1 . v''", "grad l_2 . v''", "v' Hess l_1 v'", "v' Hess l_2 v'", "l_1''", "l_2''"]},
        corrected=lambda run: low_temperature.SECOND_ORDER_PARTS,
        correction=slip(
            "step of a proof",
            printed=r"$\frac{1}{24}, \frac{1}{24}$; $\frac{1}{12}, 0$; $l_1''(0) = \frac18, \quad l_2''(0) = "
            r"\frac{1}{24}$",
            right=r"$\frac{1}{36}, \frac{1}{36}$; $\frac19, 0$; $l_1''(0) = \frac{5}{36}, \quad l_2''(0) = "
            r"\frac{1}{36}$",
            reason=r"$\frac{1}{24}$ becomes $\frac{1}{36}$ with the right $v''$ (lemma-c.2-acceleration). "
            r"$\frac{1}{12}$ is a slip of its own: $v' = (1, 1, -1, -1, 0, 0)/12$, so $v'^\top \nabla_v^2 l_1 v' = "
            r"2(\frac{1}{36} + \frac{1}{36}) = \frac19$. Then $l_1'' - l_2'' = \frac19$, term I is "
            r"$\frac{p_1p_2}{9T}$, and $p_1''$ is positive (printed $-\Theta(1/T)$, by way of '(23)' for (22)).",
            survives=r"Lemma C.2: $-\Omega(p_{\text{conf}}/T)$.",
            latex=r"$l_1''(0) = \tfrac{5}{36}, \quad l_2''(0) = \tfrac{1}{36}, \quad \text{term I} = \frac{p_1 "
            r"p_2}{9T}$",
        ),
    ),
)


def _runs(scale: Scale) -> dict[str, RunConfig]:
    return {**trained.low_temperature_runs(scale), **general_algebra(scale)}


EXPERIMENT = Experiment(
    title="The escape after one large step: Lemma C.2", runs=_runs, claims=CLAIMS, draw=trained.draw
)
