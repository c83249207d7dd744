"""Where the feed-forward layer learns first: a map over learning rate, noise level and depth."""

from functools import partial
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Protocol, RunResult, Runs, Scale, TooShort, at_least
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.order_map import OrderMap
from lemmata.papers.association.sizes import Map
from lemmata.report.plots import DIVERGING, columns, letter, new_figure

AXES = ("depth", "rate", "alpha")


LARGEST = 0.03  # learning rate of Appendix B.6's range


class Moments(NamedTuple):
    """When the noise is learned, or any other token in its place, at the paper's learning rates or at larger ones."""

    run: RunResult
    larger: bool = False
    token: str = "noise"
    margin: str = "margin"
    last: str = "last_margin"

    def grid(self, name: str) -> np.ndarray:
        """[depth, rate, α, seed]"""
        config = self.run.config
        shape = (len(config.depths), len(config.rates), len(config.alphas), len(config.seeds))
        return self.run.column(name).reshape(shape)

    def lead(self, first: str) -> np.ndarray:
        """[depth, rate, α]: how many steps a moment comes before the context begins, in the worst seed; where the
        context never begins, before the end."""
        return (self.grid("context") - self.grid(getattr(self, first))).min(axis=-1)

    def learned(self) -> np.ndarray:
        """[depth, rate, α]: where the context has begun in every seed."""
        return (self.grid("context") <= self.run.config.steps).all(axis=-1)

    def judged(self) -> np.ndarray:
        """Those of the range."""
        larger = np.array(self.run.config.rates) > LARGEST
        return self.learned() & (larger == self.larger)[None, :, None]

    def where_learned(self, first: str) -> np.ndarray:
        """The lead by cell, of those of the range in which the context begins."""
        if not self.judged().any():
            raise TooShort("the context is learned in no cell")
        return self.lead(first)[self.judged()]


def cells(runs: Runs, larger: bool = False) -> list[str]:
    config, learned = runs["main"].config, Moments(runs["main"], larger).judged()
    values = [getattr(config, f"{axis}s") for axis in AXES]
    return [
        f"L = {values[0][i]}, η = {values[1][j]:g}, α = {values[2][k]:g}" for i, j, k in np.argwhere(learned).tolist()
    ]


def where(runs: Runs) -> str:
    moments = Moments(runs["main"])
    learned, first, last = moments.learned(), moments.lead("margin") > 0, moments.lead("last") > 0
    return (
        f"The context begins in {int(learned.sum())} of {learned.size} cells within {runs['main'].config.steps} steps. "
        f"In {int((first & learned).sum())} of them a feed-forward layer has the noise before, in "
        f"{int((last & learned).sum())} the last one. Where the noise is rare and the model deep it need not be so."
    )


def exceptions(runs: Runs) -> str:
    moments = Moments(runs["main"], larger=True)
    lead = moments.lead("margin")[moments.judged()]
    found = [name for name, steps in zip(cells(runs, larger=True), lead.tolist(), strict=True) if steps < 1]
    return f"Where no feed-forward layer is first: {'; '.join(found) or 'nowhere'}."


def draw(runs: Runs) -> Artefact:
    run, moments = runs["main"], Moments(runs["main"])
    config, lead, learned = run.config, moments.lead("margin"), moments.learned()
    figure, axes = new_figure(1, len(config.depths), width=4.2 * len(config.depths), height=3.6, squeeze=False)
    top = float(np.abs(lead).max()) or 1.0
    for ax, depth, values, known in zip(axes[0], config.depths, lead, learned, strict=True):
        ax.imshow(values, cmap=DIVERGING, vmin=-top, vmax=top, aspect="auto")
        for (row, column), value in np.ndenumerate(values):
            ax.text(column, row, f"{value:.0f}" if known[row, column] else f"≥ {value:.0f}", ha="center", va="center")
        ax.set_xticks(range(len(config.alphas)), [f"{alpha:g}" for alpha in config.alphas])
        ax.set_yticks(range(len(config.rates)), [f"{rate:g}" for rate in config.rates])
        ax.set(xlabel="noise level α", ylabel="learning rate", title=f"{depth} layers")
        ax.grid(False)
    letter(axes[0])
    caption = (
        "How many steps before the context begins a feed-forward layer says the noise at the bare trigger, in the "
        "worst seed; with ≥ where the context has not begun by the end. "
        f"N = {config.symbols}, T = {config.length}, d = {config.width}, batch {config.batch}, {config.steps} steps, "
        f"{len(config.seeds)} seeds."
    )
    rows = [
        {"depth": config.depths[i], "rate": config.rates[j], "alpha": config.alphas[k], "lead": float(value)}
        for (i, j, k), value in np.ndenumerate(lead)
    ]
    return Artefact(figure, columns(rows), caption)


def runs(scale: Scale) -> dict[str, OrderMap]:
    return {
        "main": OrderMap(
            symbols=Map.SYMBOLS.at(scale),
            length=Map.LENGTH.at(scale),
            width=Map.WIDTH.at(scale),
            precision=Map.PRECISION.at(scale),
            batch=Map.BATCH.at(scale),
            steps=Map.STEPS.at(scale),
            every=Map.EVERY.at(scale),
            test_sequences=Map.TEST_SEQUENCES.at(scale),
            rates=Map.RATES.at(scale),
            alphas=Map.ALPHAS.at(scale),
            depths=Map.DEPTHS.at(scale),
            seeds=unseen(scale, Map.SEEDS),
        )
    }


FIRST = (
    "the noise is learned before: it is the likeliest answer at most test positions, and a feed-forward layer's margin "
    "of it at the bare trigger is positive. The context begins where the correct token has twice a blind guess (of an "
    "untrained model, or of one that knows the noise level). Measured is the lead in steps, in the worst seed."
)


def parts(*, larger: bool) -> dict[str, Part]:
    read = {"the noise is the likeliest": "token", "a feed-forward layer's margin is positive": "margin"}
    along = {"cell": partial(cells, larger=larger)}
    return {
        name: Part(partial(Moments.where_learned, first=first), at_least(1.0), along=along)
        for name, first in read.items()
    }


EXPERIMENT = Experiment(
    title="Where the feed-forward layer learns first",
    runs=runs,
    claims=(
        Claim(
            id="order-map",
            locus="Beyond the paper: section 3, the noise is learned first, by learning rate, noise level and depth",
            uses=("noise-first", "fig-3-margin"),
            statement="In every cell of a map over learning rate (up to Appendix B.6's largest), noise level and depth "
            f"in which the context begins to be learned, {FIRST}",
            protocol=Protocol(ours="depths and noise levels beside the paper's", why="The paper has one of each."),
            subject=lambda runs: Moments(runs["main"]),
            wrong=lambda runs: Moments(runs["main"], False, "another", "margin_of_another"),
            parts=parts(larger=False),
            remark=where,
        ),
        Claim(
            id="order-map-larger",
            locus="Beyond the paper: the same at a larger learning rate than Appendix B.6 names",
            uses=("order-map",),
            statement="In every cell of the same map at a learning rate above Appendix B.6's largest in which the "
            f"context begins to be learned, {FIRST}",
            protocol=Protocol(ours="the learning rate", why="The paper's results are up to .03."),
            subject=lambda runs: Moments(runs["main"], larger=True),
            wrong=lambda runs: Moments(runs["main"], True, "another", "margin_of_another"),
            parts=parts(larger=True),
            remark=exceptions,
        ),
    ),
    draw=draw,
)
