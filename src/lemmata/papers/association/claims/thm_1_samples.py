"""Theorem 1's observations: is W_V's update the noisier one?"""

from lemmata.core import Claim, Experiment, Part, Runs, at_least
from lemmata.papers.association.claims._margin_spread import Spread, draw, runs
from lemmata.papers.association.run.margin_spread import BLOCKS

NOISIER = 2.0  # times the spread: four times the samples, where the paper says N times


def spreads(runs: Runs) -> str:
    spread, config = Spread(runs["main"]), runs["main"].config
    pairs = zip(*(spread.grid("spread", block).ravel() for block in BLOCKS), strict=True)
    cells = [(n, m * config.group) for n in config.sizes for m in config.multiples]
    shown = "; ".join(f"N = {n}, m = {m}: {f:.2f} and {a:.2f}" for (n, m), (f, a) in zip(cells, pairs, strict=True))
    return (
        f"Relative spreads of the margin, feed-forward and attention: {shown}. What tells the blocks apart is the size "
        "of the margin, smaller by N/2 in attention, hence the learning rate. The right-hand sides are true bounds; "
        "m = Ω̃(N) comes from Bernstein's range term R/m, with R = 1 where a typical projection is of order 1/N. "
        "The theorem names no sizes."
    )


EXPERIMENT = Experiment(
    title="Theorem 1: the spread of the margins over samples",
    runs=runs,
    claims=(
        Claim(
            id="thm-1-samples",
            locus="Theorem 1, observations i and ii; abstract: noise in the gradients as a key factor",
            statement=r"With $N, T \gg 1$, $\alpha = \Theta(1)$ and one step from zero, $W_V$ needs "
            r"$m = \tilde\Omega(N)$ samples to predict the noise reliably and $W_F$ only $m = \tilde\Omega(1)$, its "
            r"gradient being noisier. Judged is that at $m < N$ the attention margin has at least twice the relative "
            "spread of the feed-forward one.",
            subject=lambda runs: Spread(runs["main"]),
            wrong=lambda runs: Spread(runs["main"], first="feed-forward", second="attention"),
            parts=Part(Spread.ratio, at_least(NOISIER), along={"m": lambda runs: Spread(runs["main"]).few()}),
            remark=spreads,
        ),
    ),
    draw=draw,
)
