"""Theorem 1's observations as sufficient conditions: so many samples put the noise ahead."""

import numpy as np

from lemmata.core import Claim, Experiment, Part, RunResult, at_least
from lemmata.papers.association.claims._margin_spread import RELIABLE, Spread, draw, runs
from lemmata.papers.association.run.margin_spread import BLOCKS


def positive(run: RunResult, multiple: int) -> dict[str, np.ndarray]:
    """The share of samples whose step puts the noise ahead, by block and N, at m = multiple × group."""
    at = run.config.multiples.index(multiple)
    return {block: Spread(run).grid("positive", block)[:, at] for block in BLOCKS}


EXPERIMENT = Experiment(
    title="Theorem 1: enough samples put the noise ahead",
    runs=runs,
    claims=(
        Claim(
            id="thm-1-observations",
            locus="Theorem 1, observations i and ii, as sufficient conditions",
            statement=r"With $N, T \gg 1$, $\alpha = \Theta(1)$ and one step from zero, a number of samples $m$ that "
            r"does not depend on $N$ is enough for $W_F$ to put the noise ahead, and $m \ge N$ is enough for $W_V$. "
            r"Measured is the share of samples with a positive margin, for each $N$, at the largest $m$.",
            subject=lambda runs: positive(runs["main"], max(runs["main"].config.multiples)),
            wrong=lambda runs: positive(runs["main"], min(runs["main"].config.multiples)),  # a handful of sequences
            parts={
                block: Part(
                    lambda shares, block=block: shares[block],
                    at_least(RELIABLE),
                    along={"N": lambda runs: runs["main"].config.sizes},
                )
                for block in BLOCKS
            },
        ),
    ),
    draw=draw,
)
