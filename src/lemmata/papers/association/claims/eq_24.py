"""Equation (24): where the first step of W_QK goes, at the noise token and at all others."""

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs
from lemmata.core.rule import exactly
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.run.key_orders import GradientOrders

LONG_CONTEXT = 16  # T/N from which N/T counts as small


def signs(run: RunResult, keys: str = "key") -> tuple[tuple[int, int], ...]:
    """Of W_QK's first move on the noise and on any other token, for each T/N, at the largest N."""
    largest = max(run.config.sizes)
    read = [run.column(f"{keys}_{token}", num_tokens=largest) for token in ("noise", "ordinary")]
    return tuple((int(np.sign(noise)), int(np.sign(other))) for noise, other in zip(*read, strict=True))


def draw(runs: Runs) -> Artefact:
    run, curves = runs["main"], {}
    for ratio in run.config.ratios:
        n = run.column("num_tokens", ratio=ratio)
        curves[f"T = {ratio} N"] = n, [run.column("key_ordinary", ratio=ratio) * n**3]
    caption = f"The exact chain at α = {run.config.alpha:g}: the first step of W_QK at k ≤ N, by T/N."
    return draw_curves(curves, caption, at=(0.0,), marker="o", xlabel="N", ylabel="N³ · W_E(k)ᵀ(-∇W_QK)W_E(q)")


EXPERIMENT = Experiment(
    title="The first step of W_QK: signs",
    runs=lambda scale: {"main": GradientOrders()},  # exact and cheap: the same at every scale
    claims=(
        Claim(
            id="eq-24",
            locus="Appendix B.3, equation (5) and after; equation (24)",
            uses=("eq-4",),
            statement=r"For $T, N \gg 1$, after a first step of $W_V$ with the structure (4), "
            r"$W_E(j)^\top (-\nabla_{W_{QK}} L) W_E(q)$ is $-\Theta(1/N^2)$ at $j = N+1$ and $\Theta(1/N^3) > 0$ at "
            r"$j \le N$. Judged are both signs for each $T/N$, at the largest $N$.",
            subject=lambda runs: signs(runs["main"]),
            wrong=lambda runs: signs(runs["main"], keys="later_key"),  # with the W_V of phase 3 in place of (4)'s
            parts=Part(
                lambda found: found,
                exactly(lambda runs: ((-1, 1),) * len(runs["main"].config.ratios)),
                corrected=lambda runs: tuple(
                    (-1, 1 if ratio >= LONG_CONTEXT else -1) for ratio in runs["main"].config.ratios
                ),
                along={"T/N": lambda runs: runs["main"].config.ratios, "token": ("noise", "any other")},
            ),
            correction=Correction(
                severity="step of a proof",
                printed=r"$W_E(k)^\top (-\nabla_{W_{QK}} L) W_E(q) = \Theta(1/N^3) > 0$ for every $k \le N$",
                corrected=r"$\Theta(1/N^3) > 0$ for $k \le N$, $k \ne q$ if $T \gg N$; at $T = 4N$ it is negative for "
                r"$k \ne q$ (the paper's experiments have $T = 256$, $N = 65$)",
                reason=r"$z_T = q$ is always counted: it adds a term of relative order $N/T$ to $W_V$'s column of $q$ "
                r"and to the mean embedding. The estimate of the $k \le N$ drops it although what it keeps is itself "
                r"of order $1/N^3$.",
                survives=r"The noise token's sign and order at both $T/N$; with them observation ii, and of "
                "observation i that the noise is avoided.",
                source=f"{SOURCE}; the displays before it have the same sign",
            ),
            remark=r"The sums of (4) and (5) have slips of their own: (4) runs to $t$ for $T$ and has a sum over steps "
            r"on one side only, and (5)'s first sum ends at $N$ where it needs $N + 1$.",
        ),
    ),
    draw=draw,
)
