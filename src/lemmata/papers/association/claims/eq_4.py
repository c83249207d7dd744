"""Equation (4): the noise row of W_V while the noise is being learned."""

from dataclasses import replace
from typing import NamedTuple

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, Runs, Scale, Seeds, near
from lemmata.papers.association.claims._descents import Descent, descent_run
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.sizes import Descent as Sizes

FIRST_STEPS = 3  # while the noise is being learned
CLOSE, CLOSER = 0.2, 0.15  # terms of relative order 2/N = .13 are dropped; fewer of them in the ratio


class NoiseRow(NamedTuple):
    """W_V's noise row after a number of steps."""

    descent: Descent
    record: int

    def on_noise(self) -> Seeds:
        return Seeds(self.descent.at(self.record, "noise_on_noise") / self.descent.at(self.record, "noise_row"))

    def in_printed_units(self) -> Seeds:
        """Over η Σ (α - p_t) / N, the sum over the steps made."""
        config, made = self.descent.run.config, self.descent.run.curve("noise_probability")[1][:, : self.record]
        unit = config.learning_rate * (config.alpha - made).sum(axis=1) / config.num_tokens
        return Seeds(self.descent.at(self.record, "noise_row") / unit)


def runs(scale: Scale) -> dict[str, RunConfig]:
    """Its ratios vary from batch to batch: many seeds, of the few steps that are read."""
    first = replace(descent_run(scale), steps=Sizes.FIRST_STEPS.at(scale), seeds=unseen(scale, Sizes.FIRST_SEEDS))
    return {"descent": descent_run(scale), "first steps": first}


def draw(runs: Runs) -> Artefact:
    curves = {"k ≤ N": runs["first steps"].curve("noise_row"), "k = N+1": runs["first steps"].curve("noise_on_noise")}
    caption = f"W_V's noise row; the claim is read after {FIRST_STEPS} steps."
    return draw_curves(curves, caption, xlabel="step", ylabel="W_U(N+1)ᵀ W_V W_E(k)")


EXPERIMENT = Experiment(
    title="W_V's noise row while the noise is being learned",
    runs=runs,
    claims=(
        Claim(
            id="eq-4",
            locus="Appendix B.3, equation (4)",
            uses=("table-3",),
            statement=r"While $p_t < \alpha$, attention is uniform and $T, N \gg 1$, "
            r"$W_U(N+1)^\top W_V W_E(k) = \frac{\eta}{N} \sum_t (\alpha - p_t)$ for $k \le N$, and $\alpha$ times as "
            r"much for $k = N+1$. Both are read after three steps.",
            subject=lambda runs: NoiseRow(Descent(runs["first steps"]), FIRST_STEPS),
            wrong=lambda runs: NoiseRow(Descent(runs["descent"]), runs["descent"].config.steps),  # after all of them
            parts={
                "k ≤ N, over (η/N) Σ (α - p_t)": Part(
                    NoiseRow.in_printed_units, near(1.0, atol=CLOSE, over_seeds=True)
                ),
                "k = N+1 over k ≤ N": Part(
                    NoiseRow.on_noise, near(lambda runs: runs["first steps"].config.alpha, rtol=CLOSER, over_seeds=True)
                ),
            },
        ),
    ),
    draw=draw,
)
