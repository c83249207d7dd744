"""Lemma C.3: how the gap between the confused relations grows until the right one is sure."""

import numpy as np

from lemmata.core import Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, at_least, at_most, slope_near
from lemmata.papers.ic_recall.claims import _low_temperature as trained
from lemmata.papers.ic_recall.claims._algebra import general_algebra
from lemmata.papers.ic_recall.claims._formula import formula, scores, slip
from lemmata.papers.ic_recall.theory import low_temperature


def _tilted(run: RunResult) -> tuple[np.ndarray, np.ndarray, float]:
    """Attention, p(r_2) and temperature of the tilted points; r_1 and r_2 carry all the weight there."""
    return run.arrays["tilted"], run.arrays["tilted_p"][:, 1], run.config.low_temperature


def _tilts(run: RunResult) -> range:
    return range(1, len(run.arrays["tilted"]) + 1)


def _three_identities(run: RunResult) -> np.ndarray:
    moved = run.arrays["tilted"] * run.arrays["tilted_theta"]
    return np.stack([moved[:, 2] - moved[:, 0], moved[:, 3] - moved[:, 1], moved.sum(-1)], axis=-1)


def _bounds(runs: Runs, exponent: float) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bound on p(r_1) at the tilted points."""
    g, config = np.asarray(low_temperature.gap(runs["main"].arrays["tilted"])), runs["main"].config
    return low_temperature.confusing_accuracy_bounds(g, config.low_temperature, config.n, exponent)


CLAIMS = (
    Claim(
        id="lemma-c.3",
        locus="Appendix C, Lemma C.3",
        uses=("lemma-c.2", "lemma-c.3-gradients", "lemma-c.3-identities", "lemma-c.3-bound", "lemma-e.2"),
        statement=r"With probability at least $1 - \delta/3$, after $O(\frac{T}{\eta_2 p_{\text{conf}}}\log\frac1T)$ "
        r"iterations of Stage 2, $p(r_1) \ge 0.999$ on any confusing sequence. From the escape until $p(r_1) = "
        r"0.9991$, $g = (v_1 - v_3)(v_2 - v_4)$ has $g_{k+1} - g_k \ge \frac{\eta_2 p_{\text{conf}}}{10000T} g_k$. "
        "Judged in worlds of drawn slopes, under the hypotheses of Theorem 4.4.",
        needs=trained.NEEDS,
        subject=trained.trained_on_enough,
        wrong=trained.trained_on_one,
        parts={
            "share that reached 0.999": Part(
                lambda found: found.reached("accurate_steps"), at_least(trained.promised_share, over_seeds=True)
            ),
            "steps over log(1/T), against T": Part(
                lambda found: found.steps_by_temperature("accurate_steps"), slope_near(-1.0, 0.2)
            ),
            "steps against p_conf": Part(lambda found: found.steps_by_share("accurate_steps"), slope_near(-1.0, 0.2)),
            "growth of g": Part(
                trained.Replicas.slowest_growth,
                at_least(1e-4, paper="every T < T_max(delta), until p(r_1) = 0.9991"),
                along={"replica": trained.every_replica},
            ),
        },
        remark=r"$\eta_2$ is proportional to $T^2$, so the promise is steps proportional to "
        r"$\log(1/T)/(p_{\text{conf}}T)$; growth is in units of $p_{\text{conf}}\eta_2/T$. The control has a sample of "
        "one sequence.",
    ),
    formula(
        "lemma-c.3-gradients",
        "Appendix C, proof of Lemma C.3",
        r"On a confusing sequence, once only $r_1$ and $r_2$ have weight, $\frac{\partial \ell_1}{\partial v_1} = "
        r"\frac1T(p_2(v_4 - v_2) + o(e^{-1/\sqrt T}))$, and likewise in $v_2$, $v_3$ and $v_4$.",
        lambda run: low_temperature.printed_confusing_gradient(*_tilted(run)),
        lambda run: run.arrays["tilted_gradient"],
        along={"point": _tilts, "in": scores("v")},
        corrected=lambda run: 2 * low_temperature.printed_confusing_gradient(*_tilted(run)),
        correction=slip(
            "constant",
            printed=r"$\frac{\partial \ell_1(v,Z)}{\partial v_1} = \frac{1}{T}\bigl(p_2(Z)(v_4-v_2) + o(e^{-1/\sqrt "
            r"T})\bigr)$, and so on",
            right=r"$\frac{\partial \ell_1(v,Z)}{\partial v_1} = \frac{2}{T}\bigl(p_2(Z)(v_4-v_2) + o(e^{-1/\sqrt "
            r"T})\bigr)$, and so on",
            reason="The factor 2 of the general gradients is lost here.",
            survives="Lemma C.3: eqs. (26)-(29) have it.",
            latex=r"$\nabla_v \ell_1(v,Z) = \frac{2}{T}\big(p_2(Z)\,(v_4-v_2,\, v_3-v_1,\, v_2-v_4,\, v_1-v_3,\, 0,\, "
            r"0)^\top + o(e^{-1/\sqrt T})\big)$",
        ),
    ),
    formula(
        "lemma-c.3-identities",
        "Appendix C, eqs. (26), (27) and the display before (28)",
        r"With only $r_1$ and $r_2$ in play, $v_3\frac{\partial L_1}{\partial\theta_3} - v_1\frac{\partial "
        r"L_1}{\partial\theta_1} = \frac{2p_2p_{\text{conf}}}{T}((v_1^2 + v_3^2)(v_2 - v_4) + 2(v_3^2 - v_1^2)g)$, up "
        r"to $o(e^{-1/\sqrt T})$. Likewise for $v_4$, $v_2$ and for $v^\top\nabla_\theta L_1 = "
        r"\frac{2p_2p_{\text{conf}}}{T}(2\|v\|^2 - (v_1 + v_2 + v_3 + v_4))g$.",
        lambda run: low_temperature.eq_26_27_28(*_tilted(run)),
        _three_identities,
        along={"point": _tilts, "equation": ("26", "27", "28")},
    ),
    Claim(
        id="lemma-c.3-bound",
        locus="Appendix C, end of the proof of Lemma C.3",
        statement=r"For any confusing sequence, with $g = (v_1 - v_3)(v_2 - v_4)$, $\frac{1}{1 + e^{-g/T} + "
        r"4e^{-1/\sqrt T} + n^2e^{-1/(18T)}} \le p_1(r_1) \le \frac{1}{1 + e^{-g/T}}$.",
        subject=lambda runs: runs["main"].arrays["tilted_p"][:, 0],
        wrong=lambda runs: runs["main"].arrays["tilted_p"][:, 1],
        parts={
            name: Part(
                np.asarray,
                rule(lambda runs, i=i: _bounds(runs, 1.0)[i], slack=1e-13, paper="every confusing sequence"),
                corrected=lambda runs, i=i: _bounds(runs, 2.0)[i],
                along={"point": lambda runs: _tilts(runs["main"])},
            )
            for i, (name, rule) in enumerate({"lower": at_least, "upper": at_most}.items())
        },
        correction=slip(
            "constant",
            printed=r"$p_1(Z') \le \frac{1}{1+\exp(-g_k/T)}$",
            right=r"$p_1(Z') \le \frac{1}{1+\exp(-2g_k/T)}$",
            reason="$l(r_1) - l(r_2) = 2g$. Lemma C.2 defines $g$ with the factor 2, Lemma C.3 without, and the bound "
            "was copied.",
            survives="Lemma C.3: the true accuracy is higher than the printed upper bound.",
        ),
        remark="The control is $p_1(r_2)$.",
    ),
)


def _runs(scale: Scale) -> dict[str, RunConfig]:
    return {**trained.low_temperature_runs(scale), **general_algebra(scale)}


EXPERIMENT = Experiment(title="From the escape to certainty: Lemma C.3", runs=_runs, claims=CLAIMS, draw=trained.draw)
