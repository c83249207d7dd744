"""Equation (35): after a step of W_QK, a trigger that follows a trigger against the noise that follows one."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, rows_of
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.run.key_orders import TriggerGaps

BETA_2 = 1.0  # in units of (1-α)²/N², at β_1 = β_2 = 1, where the bound is tightest


def gap(run: RunResult, held: str = "at_trigger") -> np.ndarray:
    """ξ of (q, then `held`) less that of (q, then the noise), in units of (1-α)²/N²."""
    unit = (1 - run.column("alpha")) ** 2 / run.column("num_tokens") ** 2
    return (run.column(held) - run.column("at_noise")) / unit


def leading(alpha: float) -> float:
    """For T >> N >> 1: (β_1 + β_2)(1 - α + α²)/α, of the k = q in a context that repeats its trigger."""
    return 2 * (1 - alpha + alpha**2) / alpha


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    longest = max(run.config.ratios)
    curves = {
        f"α = {alpha:g}": (run.column("num_tokens", alpha=alpha, ratio=longest), [gap(run)[at]])
        for alpha in run.config.alphas
        for at in [(run.column("alpha") == alpha) & (run.column("ratio") == longest)]
    }
    caption = (
        f"The exact chain, β_1 = β_2 = 1, T = {longest} N. Dashed: the printed bound, and the limits "
        "(β_1 + β_2)(1 - α + α²)/α."
    )
    at = (BETA_2, *(leading(alpha) for alpha in run.config.alphas))
    return draw_curves(curves, caption, at=at, marker="o", xlabel="N", ylabel="gap at j = q · N²/(1-α)²")


EXPERIMENT = Experiment(
    title="Theorem 2's first gap at the trigger itself",
    runs=lambda scale: {"main": TriggerGaps()},  # exact and cheap: the same at every scale
    claims=(
        Claim(
            id="eq-35",
            locus="Appendix F, equations (35) and (36): Theorem 2 for j = q",
            uses=("thm-2-gap",),
            statement=r"For $N, T \gg 1$, under Assumption F.1 and with the $W_V$ of (26), $\xi_{q \to q} - "
            r"\xi_{q \to N+1} \ge \frac{(1-\alpha)^2}{N^2}\beta_2$ after a unit step of $W_{QK}$. Read in units of "
            r"$\frac{(1-\alpha)^2}{N^2}$, for $\beta_1 = \beta_2 = 1$, by the exact chain.",
            subject=lambda runs: gap(runs["main"]),
            wrong=lambda runs: gap(runs["main"], "at_ordinary"),  # j other than q
            parts=Part(
                lambda found: found,
                at_least(BETA_2, paper="N, T ≫ 1 and α up to .38"),
                along={"size": lambda runs: rows_of(runs["main"], α="alpha", N="num_tokens", ratio="ratio")},
            ),
            remark=r"The first gap holds at $j = q$ for the reason for which it fails elsewhere (thm-2): contexts with "
            r"$\bar y = q$ repeat their trigger. For $T \gg N \gg 1$ it is $\frac{(1-\alpha)^2}{N^2} "
            r"(\beta_1 + \beta_2)\frac{1-\alpha+\alpha^2}{\alpha}$, positive at every $\alpha$.",
        ),
    ),
    draw=draw,
)
