"""Section 3: a random start in high dimension is like a start at zero."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Seeds, near
from lemmata.core.rule import log_slope
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.random_start import BLOCKS, RandomStart
from lemmata.papers.association.sizes import Start


class Apart(NamedTuple):
    """How far the margins are from those of a start at zero."""

    run: RunResult
    weights: str = "spread"  # of variance 1/d, or "fixed"

    def grid(self, block: str) -> np.ndarray:
        """[seed, d]"""
        return self.run.column(self.weights, block=block).reshape(len(self.run.config.widths), -1).T

    def exponent(self, block: str) -> Seeds:
        return Seeds([log_slope(np.array(self.run.config.widths), one) for one in self.grid(block)])


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    curves = {
        f"{block}, variance {name}": (np.array(run.config.widths), Apart(run, weights).grid(block))
        for block in BLOCKS
        for weights, name in {"spread": "1/d", "fixed": "fixed"}.items()
    }
    caption = (
        f"Noise margins after one step from random weights, relative to a start at zero: N = {run.config.num_tokens}, "
        f"T = {run.config.length}, α = {run.config.alpha:g}."
    )
    labels: dict[str, Any] = {"xlabel": "d", "ylabel": "relative difference of the margin"}
    return draw_curves(curves, caption, marker="o", xscale="log", yscale="log", **labels)


EXPERIMENT = Experiment(
    title="One gradient step from random weights",
    runs=lambda scale: {"main": RandomStart(seeds=unseen(scale, Start.SEEDS))},
    claims=(
        Claim(
            id="eq-2-random",
            locus="Section 3, after equation (2): random initialization in high dimension",
            uses=("thm-1",),
            statement="Random initialization in high dimension leads to similar behaviours as a start at zero, thanks "
            "to near-orthogonality: after one gradient step the noise token's margins in both blocks are those of a "
            r"start at zero, up to what vanishes with $d$. Measured is the exponent of $d$ in their relative "
            r"difference, for weights of variance $1/d$.",
            subject=lambda runs: Apart(runs["main"]),
            wrong=lambda runs: Apart(runs["main"], "fixed"),  # weights that do not become small
            parts={
                block: Part(partial(Apart.exponent, block=block), near(-0.5, atol=0.2, over_seeds=True))
                for block in BLOCKS
            },
            remark=lambda runs: (
                "The paper names no rate; $W_U(i)^\\top W W_E(j)$ of such weights is of order $d^{-1/2}$. Attention's "
                f"margin is N times smaller, and at d = {max(runs['main'].config.widths)} still off by "
                f"{Apart(runs['main']).grid('attention')[:, -1].mean():.1f} of itself, the feed-forward one by "
                f"{Apart(runs['main']).grid('feed-forward')[:, -1].mean():.2f}."
            ),
        ),
    ),
    draw=draw,
)
