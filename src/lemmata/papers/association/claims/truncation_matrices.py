"""Any language model, matrix by matrix: is it the feed-forward matrices whose truncation takes "the" away?"""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Undecided, at_least
from lemmata.papers.association.claims._knows import knows
from lemmata.papers.association.claims._truncations import (
    OURS,
    chosen_layer,
    chosen_share,
    grid_rows,
    judged,
    on_choice,
    over_whole,
    ratio_grid,
    setting,
    show_grid,
    truncated,
)
from lemmata.papers.association.probe.gains import Compared, Probabilities, gain
from lemmata.papers.association.run.chosen_truncation import ChosenTruncation
from lemmata.papers.association.sizes import LanguageModels
from lemmata.report.plots import columns, new_figure

TWICE = 2.0  # as far as attention's best: more than prompts drawn again give
FEED_FORWARD, ATTENTION = ("mlp in", "mlp out"), ("q", "k", "v", "o")


def best_of(run: RunResult, group: tuple[str, ...]) -> tuple[int, int]:
    """Matrix and layer of the group's largest ratio on the prompts that choose."""
    found: dict[tuple[int, int], float] = {}
    for matrix in (i for i, name in enumerate(run.config.matrices) if name in group and judged(run, i)):
        layer = chosen_layer(run, matrix)
        found[matrix, layer] = on_choice(run, layer, matrix)
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


def over_attention(run: RunResult, cut: Probabilities) -> Compared:
    """A cut against the best of the attention matrices, both chosen on the prompts that choose."""
    return Compared(cut, best_cut(run, ATTENTION))


def which(runs: Runs) -> str:
    run = runs["main"]
    words = []
    for group in (FEED_FORWARD, ATTENTION):
        matrix, layer = best_of(run, group)
        factor = over_whole(truncated(run, layer, matrix)).mean
        share = chosen_share(run, layer, matrix)
        words.append(f"{run.config.matrices[matrix]} of layer {layer}, share {share:g}: x{factor:.3g}")
    matrix, layer = best_of(run, FEED_FORWARD)
    compared = truncated(run, layer, matrix)
    others = (compared.random, compared.scaled, compared.dropped)
    random, scaled, dropped = (gain(other, compared.whole).mean for other in others)
    return (
        f"Best cuts, on the prompts that judge: {'; '.join(words)}. Random subspaces of that feed-forward matrix and "
        f"rank: x{random:.3g}; the matrix scaled by that share: x{scaled:.3g}; dropped: x{dropped:.3g}."
    )


FEED = Claim(
    id="truncation-matrices",
    locus=f"{OURS}; Abstract: feed-forward layers learn distributional associations, attention the context",
    statement='The best truncation of a feed-forward matrix raises P(answer)/P("the") twice as far as the best of an '
    "attention matrix, and more; both are chosen on other prompts.",
    subject=lambda runs: over_attention(runs["main"], best_cut(runs["main"], FEED_FORWARD)),
    wrong=lambda runs: over_attention(runs["main"], second_attention(runs["main"])),
    parts={"feed-forward over attention": Part(Compared.gain, at_least(TWICE, over_seeds=True, unit="prompts"))},
    remark=which,
)


def draw(runs: Runs) -> Artefact:
    """The map layer x matrix x rank, on the prompts that choose."""
    run = runs["main"]
    grids = {name: ratio_grid(run, i) for i, name in enumerate(run.config.matrices)}
    rows = [row for name, grid in grids.items() for row in grid_rows(run, *grid, matrix=name)]
    limit = max(float(np.abs(np.log2(grid)).max()) for _, grid in grids.values())
    figure, axes = new_figure(1, len(grids), width=1.4 + 1.35 * len(grids), height=3.8, sharey=True, squeeze=False)
    image = None
    for ax, (name, grid) in zip(axes[0], grids.items(), strict=True):
        image = show_grid(ax, run, *grid, limit=limit)
        ax.set_title(name, fontsize=9)
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
            prompts=LanguageModels.DIRECTION_PROMPTS.at(scale),
            matrices=LanguageModels.MATRIX_ROLES.at(scale),
            upper=LanguageModels.MATRIX_UPPER.at(scale),
            shares=LanguageModels.MATRIX_SHARES.at(scale),
            subspaces=2,
        )
    },
    needs={"main": knows},
    claims=(FEED,),
    draw=draw,
    extra="lm",
    notes="Facts, as in truncation-facts; `lemmata lm map` draws all layers. The default model is one of 4 bits.",
)
