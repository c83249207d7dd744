"""Figure 17: GPT-2 Small on the paper's sentence, truncated at its upper layers to every rank."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_most, exactly
from lemmata.papers.association.claims._knows import knows
from lemmata.papers.association.run.fixed_truncation import FixedTruncation
from lemmata.report.plots import ceiling, columns, legend, new_figure

TOP = ("Mary", "them", "the", "John")
LAYERS = (9, 10, 11)  # of which the caption speaks; the figure shows 12 too
BETWEEN = (0.1, 0.8)  # shares of the rank, likewise


def ranks(run: RunResult) -> tuple[int, ...]:
    """Of the four words, in the whole model; 1: no token is likelier."""
    return tuple(int(run.column(f"rank of {word}", edit="whole")[0]) for word in TOP)


def over_whole(runs: Runs, edit: str) -> np.ndarray:
    """[layer, share, word] probability over the whole model's, of "the" and "them"."""
    run = runs["main"]
    shares = [share for share in run.config.shares if BETWEEN[0] <= share <= BETWEEN[1]]
    return np.array(
        [
            [
                [
                    run.column(word, edit=edit, layer=layer, share=share).mean() / run.column(word, edit="whole")[0]
                    for word in ("the", "them")
                ]
                for share in shares
            ]
            for layer in LAYERS
        ]
    )


FOUR = Claim(
    id="fig-17-top-4",
    locus="Section 4.1, IOI on GPT-2 Small",
    statement='After "When Mary and John went to a store, John gave a drink to" the four likeliest tokens are Mary, '
    "them, the, John, in this order.",
    needs={"main": knows},
    subject=lambda runs: ranks(runs["main"]),
    wrong=lambda runs: ranks(runs["exchanged"]),  # the same sentence with Mary giving
    parts={"ranks of Mary, them, the, John": Part(lambda ranks: ranks, exactly((1, 2, 3, 4)))},
    remark=lambda runs: f"{runs['main'].config.model} ranks Mary, them, the and John {ranks(runs['main'])}.",
)

LOWER = Claim(
    id="fig-17",
    locus="Figure 17",
    statement='Truncation of the MLP input at layers 9, 10 and 11 to any share of the rank from .1 to .8 lowers "the" '
    'and "them".',
    needs={"main": knows},
    subject=lambda runs: over_whole(runs, "cut"),
    wrong=lambda runs: over_whole(runs, "random"),
    parts={"probability over the whole model's": Part(lambda ratios: ratios, at_most(1.0))},
    remark=lambda runs: (
        f"Of {over_whole(runs, 'cut').size} probabilities {(over_whole(runs, 'cut') < 1).sum()} are "
        f"lower than the whole model's; with random subspaces {(over_whole(runs, 'random') < 1).sum()} are, "
        f"with the matrix scaled {(over_whole(runs, 'scaled') < 1).sum()}, "
        f"dropped {(over_whole(runs, 'dropped') < 1).sum()}."
    ),
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    config, rows = run.config, []
    figure, axes = new_figure(
        1, len(config.layers), width=3.1 * len(config.layers), height=3.2, sharey=True, squeeze=False
    )
    for ax, layer in zip(axes[0], config.layers, strict=True):
        for word, colour in zip(TOP, ("C0", "C2", "C1", "C3"), strict=True):
            values = [float(run.column(word, edit="cut", layer=layer, share=share)[0]) for share in config.shares]
            ax.plot(config.shares, values, ".-", color=colour, label=word)
            ceiling(ax, float(run.column(word, edit="whole")[0]), color=colour)
            rows += [
                {"layer": layer, "share": share, "word": word, "probability": value}
                for share, value in zip(config.shares, values, strict=True)
            ]
        ax.set(xlabel="share of the rank kept", title=f"layer {layer}")
    axes[0][0].set_ylabel("probability")
    legend(axes[0][-1])
    caption = (
        f'{config.model} after "When Mary and John went to a store, John gave a drink to"; dashed, the whole model.'
    )
    return Artefact(figure, columns(rows), caption)


SMALL = "openai-community/gpt2"
EXPERIMENT = Experiment(
    title="Figure 17: GPT-2 Small at every rank",
    runs=lambda scale: {
        "main": FixedTruncation(
            model=SMALL,
            task="mary",
            words=TOP,
            layers=(*LAYERS, 12),
            shares=tuple(round(i / 20, 2) for i in range(1, 21)),
        ),
        "exchanged": FixedTruncation(model=SMALL, task="john", words=TOP, layers=(12,), shares=(0.5,), subspaces=1),
    },
    claims=(FOUR, LOWER),
    draw=draw,
    extra="lm",
    notes="One sentence, so no interval; the paper prints no rank, we take every twentieth of it.",
)
