"""Theorem 1's sample sizes: how many sequences the feed-forward block needs for the noise, and how many attention."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least
from lemmata.papers.association.run.margin_spread import BLOCKS, MarginSpread
from lemmata.report.plots import ceiling, new_figure


class Spread(NamedTuple):
    """Margins by N (rows) and m (columns); `first` is read as the attention block, `second` as the feed-forward one."""

    run: RunResult
    first: str = "attention"
    second: str = "feed-forward"

    def grid(self, what: str, block: str) -> np.ndarray:
        return self.run.column(what, block=block).reshape(len(self.run.config.sizes), -1)

    def few(self) -> list[int]:
        """The numbers of samples below the largest N."""
        config = self.run.config
        return [m for multiple in config.multiples if (m := multiple * config.group) < max(config.sizes)]

    def ratio(self) -> np.ndarray:
        """The first block's relative spread over the second's, where the theorem tells them apart: m < N, largest N."""
        config = self.run.config
        few = np.isin(np.array(config.multiples) * config.group, self.few())
        ratio = self.grid("spread", self.first) / self.grid("spread", self.second)
        return ratio[int(np.argmax(config.sizes)), few]


def positive(run: RunResult, multiple: int) -> dict[str, np.ndarray]:
    """The share of samples whose step puts the noise ahead, by block and N, at m = multiple × group."""
    at = run.config.multiples.index(multiple)
    return {block: Spread(run).grid("positive", block)[:, at] for block in BLOCKS}


def bounds_apart(runs: Runs) -> str:
    spread, config = Spread(runs["main"]), runs["main"].config
    pairs = zip(*(spread.grid("spread", block).ravel() for block in BLOCKS), strict=True)
    cells = [(n, m * config.group) for n in config.sizes for m in config.multiples]
    shown = "; ".join(f"N = {n}, m = {m}: {f:.2f} and {a:.2f}" for (n, m), (f, a) in zip(cells, pairs, strict=True))
    return (
        f"Relative spreads of the margin, feed-forward and attention: {shown}. They agree at every N and m, so the "
        "noise in the gradients does not tell the blocks apart; what does is the size of the margin, smaller by N/2 in "
        "attention, hence the learning rate. The right-hand sides are true bounds; m = Ω̃(N) comes from Bernstein's "
        "range term R/m, with R = 1 where a typical projection is of order 1/N. Model, data and step are the "
        "theorem's, which names no sizes; N = 64 with T = 256 is the size of the paper's own experiments."
    )


SAMPLES = Claim(
    id="thm-1-samples",
    locus="Theorem 1, observations i and ii; abstract: noise in the gradients as a key factor",
    statement="To put the noise ahead reliably, W_V needs many more samples (m = Ω̃(N)) than W_F (m = Ω̃(1)), its "
    "update being noisier: at m < N its margin has at least twice the relative spread (which is to ask for four times "
    "the samples, where the paper says N times).",
    subject=lambda runs: Spread(runs["main"]),
    wrong=lambda runs: Spread(runs["main"], first="feed-forward", second="attention"),
    parts=Part(Spread.ratio, at_least(2.0), along={"m": lambda runs: Spread(runs["main"]).few()}),
    remark=bounds_apart,
)

OBSERVATIONS = Claim(
    id="thm-1-observations",
    locus="Theorem 1, observations i and ii, as sufficient conditions",
    statement="A number of samples that does not depend on N is enough for W_F to put the noise ahead, and m ≥ N is "
    "enough for W_V: the share of samples with a positive margin, for each N, at the largest m.",
    subject=lambda runs: positive(runs["main"], max(runs["main"].config.multiples)),
    wrong=lambda runs: positive(runs["main"], min(runs["main"].config.multiples)),  # a handful of sequences
    parts={
        block: Part(
            lambda shares, block=block: shares[block],
            at_least(0.95),
            along={"N": lambda runs: runs["main"].config.sizes},
        )
        for block in BLOCKS
    },
)


def draw(runs: Runs) -> Artefact:
    run, config = runs["main"], runs["main"].config
    figure, (left, right) = new_figure(1, 2)
    samples = np.array(config.multiples) * config.group
    for i, n in enumerate(config.sizes):
        for block, style in zip(BLOCKS, ("-", "--"), strict=True):
            spread = Spread(run)
            left.loglog(samples, spread.grid("spread", block)[i], f"o{style}", color=f"C{i}", label=f"{block}, N = {n}")
            right.semilogx(samples, spread.grid("positive", block)[i], f"o{style}", color=f"C{i}")
    left.set(xlabel="m", ylabel="standard deviation of the margin over its mean")
    left.legend(fontsize=7)
    ceiling(right, 0.95)
    right.set(xlabel="m", ylabel="share of samples that put the noise ahead")
    caption = (
        f"The noise token's margin after one step from zero on m sequences, α = {config.alpha:g}, T = "
        f"{config.ratio} N, over {config.groups} samples of {config.group} (larger m: their means), "
        f"{config.tests} test sequences."
    )
    return Artefact(figure, dict(run.metrics), caption)


EXPERIMENT = Experiment(
    title="Theorem 1: the spread of the margins over samples",
    runs=lambda scale: {
        "main": MarginSpread(
            sizes=scale.pick(smoke=(16,), laptop=(16, 64), paper=(16, 64, 256)),
            groups=scale.pick(smoke=128, laptop=2048, paper=8192),
            seed=100,
        )
    },
    claims=(SAMPLES, OBSERVATIONS),
    draw=draw,
)
