"""Beyond the paper: which rule, width and number of sequences let all of W^KQ learn what the position block learns."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._figure_worlds import bijections
from lemmata.papers.ic_recall.run.regime import WhichBlockLearns
from lemmata.report import plots

LOCUS = "beyond the paper: all of W^KQ trained (Sections 2.3 and 5)"


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    adam = WhichBlockLearns(
        world=bijections(sizes.REGIME_WORLD.at(scale)),
        widths=sizes.REGIME_WIDTHS.at(scale),
        sequences=sizes.REGIME_SEQUENCES.at(scale),
        steps=sizes.REGIME_STEPS.at(scale),
        seeds=sizes.seeds(sizes.REGIME_SEEDS, scale),
    )
    return {"adam": adam, "gradient descent": replace(adam, rule="gradient descent", learning_rate=0.3)}


class Learned(NamedTuple):
    """One rule's accuracies at the end."""

    run: core.RunResult

    def cells(self, name: str) -> np.ndarray:
        """As [seed, width, number of sequences]."""
        widths, numbers = sorted(self.run.config.widths), sorted(self.run.config.sequences)
        rows = [[self.run.column(name, width=w, sequences=n) for n in numbers] for w in widths]
        return np.moveaxis(np.array(rows, float), -1, 0)

    def worst_second(self) -> float:
        return float(self.run.metrics["second"].min())

    def width_matters(self) -> float:
        """The largest change of a second-step accuracy from the narrowest to the widest embeddings."""
        cells = self.cells("second").mean(axis=0)
        return float(np.abs(cells[-1] - cells[0]).max())

    def gain(self) -> core.Seeds:
        """Second-step accuracy on the largest set less that on the smallest, the mean over widths."""
        cells = self.cells("second").mean(axis=1)
        return core.Seeds(cells[:, -1] - cells[:, 0])

    def lost_to_width(self) -> core.Seeds:
        """Second-step accuracy of the narrowest less that of the widest embeddings, on all sets but the largest."""
        cells = self.cells("second")[:, :, :-1]
        return core.Seeds((cells[:, 0] - cells[:, -1]).mean(axis=1))

    def at_few(self) -> core.Seeds:
        """Second-step accuracy on the smallest set, the narrowest embeddings."""
        return core.Seeds(self.cells("second")[:, 0, 0], bounds=core.SHARE)


WIDTHS = core.several("widths", "narrow embeddings are compared with wide ones")
NUMBERS = core.several("sequences", "few sequences are compared with many")


def _adam(runs: core.Runs) -> Learned:
    return Learned(runs["adam"])


def _descent(runs: core.Runs) -> Learned:
    return Learned(runs["gradient descent"])


CLAIMS = (
    core.Claim(
        id="regime-descent",
        locus=LOCUS,
        statement="With the constructed memory, all of $W^{KQ}$ trained by gradient descent learns the second decoding "
        "step perfectly from any number of sequences. The width of the embeddings makes no difference, since gradient "
        "descent does not see a rotation.",
        needs={"gradient descent": WIDTHS},
        subject=_descent,
        wrong=_adam,
        parts={
            "second step, worst cell and seed": core.Part(Learned.worst_second, core.at_least(0.99)),
            "change with width": core.Part(Learned.width_matters, core.at_most(0.01)),
        },
        remark="So the paper's sentences on all of $W^{KQ}$ are true of gradient descent. The control is Adam, which "
        "the paper uses.",
    ),
    core.Claim(
        id="regime-adam",
        locus=LOCUS,
        statement="With the constructed memory, all of $W^{KQ}$ trained by Adam fails at the second decoding step with "
        "few sequences, gets better with more, and is worse the wider the embeddings.",
        needs={"adam": (WIDTHS, NUMBERS)},
        subject=_adam,
        wrong=_descent,
        parts={
            "second step, fewest sequences": core.Part(Learned.at_few, core.at_most(0.8, over_seeds=True)),
            "gained from few to many": core.Part(Learned.gain, core.at_least(0.1, over_seeds=True)),
            "lost from narrow to wide": core.Part(Learned.lost_to_width, core.at_least(0.01, over_seeds=True)),
        },
        remark="Adam moves every entry of the token block as fast as one of the position block. A rank-one gradient "
        "then moves the score of a token pair by an amount proportional to the width, the score of a position by one: "
        "the token block fits the relations it has been shown before positions have moved. The control is gradient "
        "descent.",
    ),
)


def draw(runs: core.Runs) -> core.Artefact:
    config = runs["adam"].config
    figure, axes = plots.new_figure(2, 2, width=9, height=5.2, squeeze=False)
    columns = [f"{number / config.world.relations:g}" for number in sorted(config.sequences)]
    rows = [f"{width} × tokens" for width in sorted(config.widths)]
    for line, name in zip(axes, ("first", "second"), strict=True):
        for ax, (rule, run) in zip(line, runs.items(), strict=True):
            plots.heatmap(ax, Learned(run).cells(name).mean(axis=0), columns, rows, vmin=0.0, vmax=1.0)
            ax.set(title=f"{name} step, {rule}", xlabel="sequences a relation", ylabel="width")
    plots.letter(axes)
    table = plots.joined([{"rule": [rule] * len(run.metrics["seed"]), **run.metrics} for rule, run in runs.items()])
    caption = (
        f"Test accuracy (first step: over the best possible) after training all of W^KQ with the constructed memory, "
        f"|S| = {config.world.n}, |R| = {config.world.relations}, T = {config.temperature:g}, {config.steps} steps, "
        f"mean over {len(config.seeds)} seeds. Orthonormal embeddings of as many dimensions as tokens, and of "
        "several times as many."
    )
    return core.Artefact(figure, table, caption)


EXPERIMENT = core.Experiment(
    title="Which block learns: sequences a relation, width and rule, for all of W^KQ",
    runs=_runs,
    claims=CLAIMS,
    draw=draw,
    notes="Adam has the paper's learning rate; the one of gradient descent is ours.",
)
