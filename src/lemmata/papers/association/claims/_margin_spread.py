"""Theorem 1's sample sizes: the noise's margin after one step, by N and by the number of sequences m."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, RunResult, Runs, Scale
from lemmata.papers.association.run.margin_spread import BLOCKS, MarginSpread
from lemmata.papers.association.sizes import Margins
from lemmata.report.plots import ceiling, new_figure

RELIABLE = 0.95  # the share of samples whose step puts the noise ahead


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


def draw(runs: Runs) -> Artefact:
    run, config = runs["main"], runs["main"].config
    figure, (left, right) = new_figure(1, 2)
    samples = np.array(config.multiples) * config.group
    for i, n in enumerate(config.sizes):
        for block, style in zip(BLOCKS, ("-", "--"), strict=True):
            spread = Spread(run)
            left.loglog(samples, spread.grid("spread", block)[i], f"o{style}", color=f"C{i}", label=f"{block}, N = {n}")
            right.semilogx(samples, spread.grid("positive", block)[i], f"o{style}", color=f"C{i}")
    left.set(xlabel="m", ylabel="s.d. of the margin over its mean")
    left.legend(fontsize=7)
    ceiling(right, RELIABLE)
    right.set(xlabel="m", ylabel="share of samples with noise ahead")
    caption = (
        f"The noise token's margin after one step from zero on m sequences, α = {config.alpha:g}, T = "
        f"{config.ratio} N, over {config.groups} samples of {config.group} (larger m: their means), "
        f"{config.tests} test sequences."
    )
    return Artefact(figure, dict(run.metrics), caption)


def runs(scale: Scale) -> dict[str, MarginSpread]:
    sizes, groups = Margins.SPREAD_SIZES.at(scale), Margins.SPREAD_GROUPS.at(scale)
    return {"main": MarginSpread(sizes=sizes, groups=groups, seed=100)}
