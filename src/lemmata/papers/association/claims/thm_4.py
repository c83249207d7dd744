"""Theorem 4: how far the margins of one step are from their mean, by m and by N."""

from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Seeds
from lemmata.core.rule import log_slope, near
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.step_spread import BLOCKS, StepSpread
from lemmata.papers.association.sizes import Margins

TOLERANCE = 0.15  # of an exponent: terms of relative order 1/(αN) and the sampling of a spread
IN_N = {"feed-forward": 0, "attention": -1}  # of sqrt(1/m), and of sqrt((1/(TN) + 1/N²)/m) at T = 4N


class Deviations(NamedTuple):
    """A column by block; read wrongly it is the margins themselves, each block's at the other."""

    run: RunResult
    column: str = "spread"
    exchanged: bool = False

    def grid(self, block: str) -> np.ndarray:
        """[seed, N, m]."""
        config = self.run.config
        read = BLOCKS[1 - BLOCKS.index(block)] if self.exchanged else block
        return self.run.column(self.column, block=read).reshape(len(config.seeds), len(config.sizes), -1)

    def exponent_of_samples(self, block: str) -> Seeds:
        """At the largest N."""
        config = self.run.config
        curves = self.grid(block)[:, int(np.argmax(config.sizes))]
        return Seeds([log_slope(np.array(config.samples), one) for one in curves])

    def exponent_of_size(self, block: str) -> Seeds:
        """The mean over m: a deviation at a small m is read from more samples."""
        sizes = np.array(self.run.config.sizes)
        return Seeds([np.mean([log_slope(sizes, by_size) for by_size in one.T]) for one in self.grid(block)])


def runs(scale: Scale) -> dict[str, StepSpread]:
    return {"main": StepSpread(seeds=unseen(scale, Margins.SEEDS))}


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    config, found = run.config, Deviations(run)
    curves = {
        f"{block}, N = {n}": (config.samples, found.grid(block)[:, i])
        for block in BLOCKS
        for i, n in enumerate(config.sizes)
    }
    caption = (
        f"Standard deviation of the noise token's margin after a unit step on m sequences, T = {config.ratio} N, α = "
        f"{config.alpha:g}, {config.repeats} samples or more, {config.tests} test sequences."
    )
    labels: dict[str, Any] = {"xlabel": "m", "ylabel": "deviation of the margin"}
    return draw_curves(curves, caption, marker="o", xscale="log", yscale="log", **labels)


EXPERIMENT = Experiment(
    title="Theorem 4: the deviations of both margins",
    runs=runs,
    claims=(
        Claim(
            id="thm-4",
            locus="Theorem 4 (Theorem 1 with its right-hand sides)",
            uses=("thm-1", "lemma-d.1", "table-3"),
            statement=r"For $N, T \gg 1$, $\alpha = \Theta(1)$ and one step from zero on $m$ samples, with probability "
            r"$1-\delta$ the margins are within $\eta_f O(\sqrt{\ln\frac{2(N+1)}{\delta}/m})$ and "
            r"$\eta_v O(\sqrt{(\frac{1}{TN} + \frac{1}{N^2}) \ln\frac{2(N+1)}{\delta}/m} + "
            r"\ln\frac{2(N+1)}{\delta}/m)$ of their centres. Judged are the exponents of $m$ and of $N$, at $T = 4N$, "
            "of the deviation from its mean against the first term of each.",
            subject=lambda runs: Deviations(runs["main"]),
            wrong=lambda runs: Deviations(runs["main"], "margin", exchanged=True),
            parts={
                f"{block}, exponent of m": Part(
                    lambda found, block=block: found.exponent_of_samples(block),
                    near(-0.5, atol=TOLERANCE, over_seeds=True),
                )
                for block in BLOCKS
            }
            | {
                f"{block}, exponent of N": Part(
                    lambda found, block=block: found.exponent_of_size(block),
                    near(IN_N[block], atol=TOLERANCE, over_seeds=True),
                )
                for block in BLOCKS
            },
            remark=r"The first terms are reached: attention's second term, $\ln(\cdot)/m$, is not needed. The centres "
            r"are "
            r"of leading order: as $m \to \infty$ the feed-forward margin tends to $\eta_f(\alpha - "
            r"\frac{1-\alpha}{N})$, "
            r"so at a fixed $N$ the printed bound holds for $m$ up to the order of $N^2$. Attention's centre is "
            r"half the "
            "right one (thm-1).",
        ),
    ),
    draw=draw,
    notes="The model of equation (2). A sequence's gradient has rank one; the tests compare the shortcut with "
    "autodiff.",
)
