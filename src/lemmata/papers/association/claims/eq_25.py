"""Equation (25): what a step of W_V learns in phase 2."""

from typing import Any

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    OutsideSetting,
    Part,
    RunResult,
    Runs,
    Scale,
    of_config,
)
from lemmata.core.rule import near
from lemmata.papers.association.claims._attention_gaps import AS_PRINTED, LEARNED, key_gradients
from lemmata.papers.association.claims._drawing import entries, matrix_panel
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.run.attention_gaps import KeyGradients
from lemmata.report.plots import new_figure

CLOSE = 0.2  # terms of relative order 2/N = .13 are dropped


def runs(scale: Scale) -> dict[str, KeyGradients]:
    """At smoke scale nothing is learned, and the claim is undecided."""
    cases = key_gradients(scale)
    return {name: cases[name] for name in ([AS_PRINTED] if scale.name == "smoke" else [LEARNED])}


def diagonal(run: RunResult, offset: int = 0) -> np.ndarray:
    """N² times the mean over k != q of W_U(k)^T (-∇W_V) W_E(k), and of the same on W̃_E(k); or beside the diagonal."""
    tokens = np.arange(1, run.config.num_tokens)
    read = np.roll(tokens, offset)
    return np.array([run.arrays[name][tokens, read].mean() for name in ("value", "value_previous")])


@of_config
def learned(config: Any) -> OutsideSetting | None:
    return None if config.values == "learned" else OutsideSetting("W_V is set by hand, not learned in phase 2")


def draw(runs: Runs) -> Artefact:
    run = runs[next(iter(runs))]
    figure, axes = new_figure(1, 2, width=9.0, height=3.6)
    shown = {"on W_E": run.arrays["value"], "on W̃_E": run.arrays["value_previous"]}
    for ax, (title, matrix) in zip(axes, shown.items(), strict=True):
        matrix_panel(ax, matrix, title, "input token k", "output token j")
    config = run.config
    caption = (
        f"N² W_U(j)ᵀ W_V W_E(k) and the same on W̃_E(k) after phase 2, N = {config.num_tokens}, T = {config.length}, "
        f"α = {config.alpha:g}."
    )
    return Artefact(figure, entries(shown), caption)


EXPERIMENT = Experiment(
    title="What a step of W_V learns in phase 2",
    runs=runs,
    claims=(
        Claim(
            id="eq-25",
            locus="Appendix F, equation (25)",
            uses=("lemma-h.1",),
            statement=r"Under Assumption F.1 and $T, N \gg 1$, in phase 2 $W_U(j)^\top (-\nabla_{W_V} L) W_E(k)$ and "
            r"$W_U(j)^\top (-\nabla_{W_V} L) \widetilde W_E(k)$ are $\frac{1}{N^2} 1\{j = k\} + O(\frac{1}{N^3})$ for "
            r"$j, k \le N$. Judged is the mean diagonal over $k \ne q$ times $N^2$, by autodiff on sampled sequences.",
            needs={LEARNED: learned},
            subject=lambda runs: diagonal(runs[LEARNED]),
            wrong=lambda runs: diagonal(runs[LEARNED], offset=1),
            parts=Part(
                lambda found: found,
                near(np.ones(2), rtol=CLOSE),
                corrected=lambda runs: np.full(2, (1 - runs[LEARNED].config.alpha) ** 2),
                along={"on": ("W_E(k)", "W̃_E(k)")},
            ),
            correction=Correction(
                severity="constant",
                printed=r"$\frac{1}{N^2} 1\{j = k\}$",
                corrected=r"$\frac{(1-\alpha)^2}{N^2} 1\{j=k\} + O(\frac{1}{N^3})$ for $j, k \le N$, $j \ne q$; "
                r"$\frac{(1-\alpha)^2}{\alpha N^2}$ for $j = k = q$ and $\frac{(1-\alpha)^2}{N^2}$ for $j = q$, "
                r"$k = N+1$",
                reason=r"$P(y = k) = \frac{1-\alpha}{N}$, and given $\bar y = k$ the token $k$ is more frequent by "
                r"$\frac{1-\alpha}{N}$, not $\frac{1}{N}$.",
                survives=r"The order $1/N^2$ and the diagonal structure for $k \ne q$; with it the order of $\beta_1$ "
                r"and $\beta_2$.",
                source=rf"{SOURCE}; the display before (25) has $\frac{{1-\alpha}}{{N}}$, so a factor may have been "
                "lost, but neither is right",
            ),
        ),
    ),
    draw=draw,
)
