"""Theorem 1's observations: is W_V's update the noisier one?"""

from lemmata.core import Claim, Experiment, Part, at_least
from lemmata.papers.association.claims._margin_spread import Spread, draw, runs

NOISIER = 2.0  # times the spread: four times the samples, where the paper says N times


EXPERIMENT = Experiment(
    title="Theorem 1: the spread of the margins over samples",
    runs=runs,
    claims=(
        Claim(
            id="thm-1-samples",
            locus="Theorem 1, observations i and ii; abstract: noise in the gradients as a key factor",
            statement=r"With $N, T \gg 1$, $\alpha = \Theta(1)$ and one step from zero, $W_V$ needs "
            r"$m = \tilde\Omega(N)$ samples to predict the noise reliably and $W_F$ only $m = \tilde\Omega(1)$, its "
            "gradient being noisier. Judged is that at $m < N$ the attention margin has at least twice the relative "
            "spread of the feed-forward one.",
            subject=lambda runs: Spread(runs["main"]),
            wrong=lambda runs: Spread(runs["main"], first="feed-forward", second="attention"),
            parts=Part(Spread.ratio, at_least(NOISIER), along={"m": lambda runs: Spread(runs["main"]).few()}),
            remark="The spreads agree at every $N$ and $m$. What tells the blocks apart is the size of the margin, "
            "smaller by $N/2$ in attention, hence the learning rate. The right-hand sides are true bounds; "
            r"$m = \tilde\Omega(N)$ comes from Bernstein's range term $R/m$, with $R = 1$ where a typical projection "
            "is of order $1/N$. The theorem names no sizes.",
        ),
    ),
    draw=draw,
)
