"""Any language model, matrix by matrix: is it the feed-forward matrices whose truncation takes "the" away?"""

from dataclasses import dataclass

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Undecided, at_least
from lemmata.lm.roles import Role
from lemmata.papers.association.claims._truncations import (
    OURS,
    chosen_layer,
    chosen_share,
    judged,
    over_whole,
    probabilities,
    randomly_cut,
    setting,
    truncated,
)
from lemmata.papers.association.probe.gains import OverPrompts, Probabilities, gain
from lemmata.papers.association.run.chosen_truncation import ChosenTruncation
from lemmata.report.plots import DIVERGING, columns, new_figure

MATRICES: tuple[Role, ...] = ("mlp in", "mlp out", "q", "k", "v", "o")  # all that every family has
FEED_FORWARD, ATTENTION = ("mlp in", "mlp out"), ("q", "k", "v", "o")


@dataclass(frozen=True)
class Pair:
    """A cut of a feed-forward matrix, and the best of the attention matrices, chosen on the prompts that choose."""

    of: Probabilities
    over: Probabilities


def best_of(run: RunResult, group: tuple[str, ...]) -> tuple[int, int]:
    """Matrix and layer of the group's largest ratio on the prompts that choose."""
    found: dict[tuple[int, int], float] = {}
    for matrix in (i for i, name in enumerate(run.config.matrices) if name in group and judged(run, i)):
        layer = chosen_layer(run, matrix)
        where = {"matrix": matrix, "layer": layer, "share": chosen_share(run, layer, matrix)}
        cut = probabilities(run, half=run.config.chosen_on, edit="cut", **where)
        found[matrix, layer] = float(cut.ratio(np.arange(len(cut.the))))
    if not found:
        raise Undecided(f"no cut of {', '.join(group)} could be chosen")
    return max(found, key=found.__getitem__)


def best_cut(run: RunResult, group: tuple[str, ...]) -> Probabilities:
    matrix, layer = best_of(run, group)
    return truncated(run, layer, matrix).edit


def second_attention(run: RunResult) -> Probabilities:
    """The best cut of the attention matrices other than the best one."""
    best = run.config.matrices[best_of(run, ATTENTION)[0]]
    return best_cut(run, tuple(name for name in ATTENTION if name != best))


def compared(run: RunResult, of: Probabilities) -> Pair:
    return Pair(of, best_cut(run, ATTENTION))


def advantage(pair: Pair) -> OverPrompts:
    return gain(pair.of, pair.over)


def which(runs: Runs) -> str:
    run = runs["main"]
    words = []
    for group in (FEED_FORWARD, ATTENTION):
        matrix, layer = best_of(run, group)
        factor = over_whole(truncated(run, layer, matrix)).mean
        share = chosen_share(run, layer, matrix)
        words.append(f"{run.config.matrices[matrix]} of layer {layer}, share {share:g}: x{factor:.3g}")
    matrix, layer = best_of(run, FEED_FORWARD)
    random = over_whole(randomly_cut(run, layer, matrix)).mean
    return (
        f"Best cuts, on the prompts that judge: {'; '.join(words)}. Random subspaces of that feed-forward matrix and "
        f"rank: x{random:.3g}."
    )


FEED = Claim(
    id="truncation-matrices",
    locus=f"{OURS}; Abstract: feed-forward layers learn distributional associations, attention the context",
    statement='The best truncation of a feed-forward matrix raises P(answer)/P("the") twice as far as the best of an '
    "attention matrix, and more; both are chosen on other prompts.",
    subject=lambda runs: compared(runs["main"], best_cut(runs["main"], FEED_FORWARD)),
    wrong=lambda runs: compared(runs["main"], second_attention(runs["main"])),
    parts={"feed-forward over attention": Part(advantage, at_least(2.0, over_seeds=True, unit="prompts"))},
    remark=which,
)


def draw(runs: Runs) -> Artefact:
    """The map layer x matrix x rank, on the prompts that choose."""
    run = runs["main"]
    config, rows = run.config, []
    base = probabilities(run, half=config.chosen_on, edit="whole")
    every = np.arange(len(base.the))
    layers = sorted(set(run.column("layer", half=config.chosen_on, edit="cut").tolist()))
    grids = {}
    for i, name in enumerate(config.matrices):
        grid = np.array(
            [
                [
                    float(
                        probabilities(run, half=config.chosen_on, edit="cut", matrix=i, layer=layer, share=share).ratio(
                            every
                        )
                        / base.ratio(every)
                    )
                    for share in config.shares
                ]
                for layer in layers
            ]
        )
        grids[name] = np.log2(grid)
        rows += [
            {"matrix": name, "layer": layer, "share": share, "factor": float(grid[row, column])}
            for row, layer in enumerate(layers)
            for column, share in enumerate(config.shares)
        ]
    limit = max(float(np.abs(grid).max()) for grid in grids.values())
    figure, axes = new_figure(1, len(grids), width=1.4 + 1.35 * len(grids), height=3.8, sharey=True, squeeze=False)
    image = None
    for ax, (name, grid) in zip(axes[0], grids.items(), strict=True):
        image = ax.imshow(grid, cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="auto", origin="lower")
        ax.set_title(name, fontsize=9)
        ax.set_xticks(range(len(config.shares)), [f"{share:g}" for share in config.shares], fontsize=7)
        ax.set_yticks(range(len(layers))[::2], [str(layer) for layer in layers[::2]], fontsize=7)
        ax.grid(False)
    axes[0][0].set_ylabel("layer (from 1)")
    figure.supxlabel("share of the rank kept", fontsize=9)
    assert image is not None
    figure.colorbar(image, ax=list(axes[0]), pad=0.01).set_label('log2 of the factor on answer/"the"', fontsize=8)
    caption = f"Every cut of every matrix, on the prompts that choose. {setting(run)}. {which(runs)}"
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="Truncating any language model, matrix by matrix",
    runs=lambda scale: {
        "main": ChosenTruncation(
            task="facts",
            prompts=scale.pick(smoke=4, laptop=50, paper=50),
            matrices=scale.pick(smoke=("mlp in", "v", "o"), laptop=MATRICES, paper=MATRICES),
            upper=scale.pick(smoke=0.04, laptop=0.25, paper=1.0),  # a laptop's time: the upper quarter
            shares=scale.pick(smoke=(0.2,), laptop=(0.2, 0.5, 0.8), paper=(0.05, 0.2, 0.5, 0.8)),
            subspaces=2,
        )
    },
    claims=(FEED,),
    draw=draw,
    extra="lm",
    notes="Facts, as in truncation-facts; `lemmata lm map` draws all layers. The default model is one of 4 bits. "
    "The control was changed after the run: the two groups exchanged, and a random cut of the feed-forward matrix "
    "(which gains over attention too), had stood in its place.",
)
