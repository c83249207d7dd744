"""The two diagonals of attention beyond the training length, as Figures 6 and 7 read and draw them."""

import itertools
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Seeds, at_least, at_most, of_result
from lemmata.papers.lego.claims._length_curves import JUDGED, NEEDS, paired
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.length_training import length_runs
from lemmata.report.plots import CYCLE, band, joined, legend, new_figure

Clause = Literal["predicate", "answer"]
DECAY = 0.1  # a "visible drop" along the positions: a tenth of the attention
LESS = 0.5  # "no comparable" drop: at most half of the other's


class Diagonal(NamedTuple):
    """The attention of one run on the right clause of a kind, by position."""

    run: RunResult
    clause: Clause
    moment: str = "trained"

    def at(self, times: int) -> np.ndarray:
        """At `times` the training length: [seed, position]."""
        return self.run.arrays[f"{self.moment}.{self.clause}.{times * self.run.config.task.length}"]

    @property
    def with_length(self) -> np.ndarray:
        return self.at(4).mean(axis=1) / self.at(2).mean(axis=1)

    @property
    def drops(self) -> np.ndarray:
        """How much lower the last quarter of positions is than the first, relative to the mean, by seed."""
        values = self.at(4)
        quarter = max(values.shape[1] // 4, 1)
        return (values[:, :quarter].mean(axis=1) - values[:, -quarter:].mean(axis=1)) / values.mean(axis=1)

    @property
    def drop(self) -> float:
        return float(self.drops.mean())

    @property
    def over_even(self) -> float:
        """Its mean at twice the training length, in units of an even spread over the clauses that are seen."""
        values = self.at(2)
        length = values.shape[1]
        return float((values * (length + 1 + np.arange(length))).mean())


class Backwards(NamedTuple):
    """A diagonal whose positions are read from the last."""

    of: Diagonal

    @property
    def drops(self) -> np.ndarray:
        values = self.of.at(4)[:, ::-1]
        quarter = max(values.shape[1] // 4, 1)
        return (values[:, :quarter].mean(axis=1) - values[:, -quarter:].mean(axis=1)) / values.mean(axis=1)


@of_result
def answers_seen(run: RunResult) -> str | None:
    """A need: there is a second diagonal to judge. In a block with a residual a model can do without it."""
    share = Diagonal(run, "answer").over_even
    name = run.config.task.action
    missing = f"{name}'s answers get {share:.2f} of what an even spread would give: the residual carries their value"
    return None if share >= 1 else missing


def beyond(steady: Diagonal, decaying: Diagonal) -> Seeds:
    """By how much one drops more than the other."""
    one, other = paired(steady.drops, decaying.drops)
    return Seeds(one - other)


def diagonals(runs: Runs, clause: Clause) -> dict[str, Diagonal]:
    return {kind: Diagonal(runs[name], clause) for kind, name in JUDGED.items()}


def exchanged(runs: Runs, clause: Clause) -> dict[str, Diagonal]:
    """Each action's diagonal under the other's name."""
    found = diagonals(runs, clause)
    return dict(zip(found, reversed(found.values()), strict=True))


def parts(decaying: str, steady: str, clause: Clause) -> dict[str, Part]:
    """Both are diluted with length; one drops along the positions, and by more than the other. (The control of a drop
    is the same positions read from the last.)"""
    diluted = {
        kind: Part(lambda found, kind=kind: Seeds(found[kind].with_length), at_most(1.0, over_seeds=True))
        for kind in JUDGED
    }
    return {f"{kind}, from twice to four times the length": part for kind, part in diluted.items()} | {
        f"{decaying}, drop along positions": Part(
            lambda found: Seeds(found[decaying].drops),
            at_least(0.0, over_seeds=True),
            wrong=lambda runs: {kind: Backwards(one) for kind, one in diagonals(runs, clause).items()},
        ),
        f"{steady}, drop less the other's": Part(
            lambda found: beyond(found[steady], found[decaying]), at_most(0.0, over_seeds=True)
        ),
    }


def describe(runs: Runs, clause: Clause) -> str:
    """Both actions' diagonals in words: their size, what length does to them, and what position does."""
    words = [
        f"{one.run.config.task.action}: {one.at(2).mean():.2f} at twice the training length and {one.at(4).mean():.2f} "
        f"at four times; along the positions it drops by {one.drop:.2f} of its mean"
        for one in diagonals(runs, clause).values()
    ]
    return f"Attention on the right {clause}, {'; '.join(words)}."


def draw_diagonal(runs: Runs, clause: Clause) -> Artefact:
    figure, axes = new_figure(1, 2, sharey=True)
    tables = []
    for ax, family in zip(axes, FAMILIES, strict=True):
        run = runs[family]
        action = run.config.task.action
        for moment, times in itertools.product(("trained", "untrained"), (2, 4)):
            values = Diagonal(run, clause, moment).at(times)
            length = values.shape[1]
            position = np.arange(length) / max(length - 1, 1)
            label, style = (f"L = {length}", "-") if moment == "trained" else (f"L = {length}, untrained", ":")
            band(ax, position, values, label, color=CYCLE[times // 4], linestyle=style)
            names = {"action": action, "model": moment, "length": length}
            table = {name: np.repeat(value, length) for name, value in names.items()}
            tables.append(table | {"position": position, "attention": values.mean(axis=0)})
        ax.set(title=action, ylim=(0, 1), xlabel="normalized position")
    axes[0].set_ylabel(f"attention on the right {clause}")
    legend(axes[1], fontsize=7)
    made = runs["symmetric"].config
    caption = (
        f"Trained at length {made.task.length}; {made.map_sentences} sentences, both heads averaged; bands: one "
        f"standard deviation over {len(made.seeds)} seeds."
    )
    return Artefact(figure, joined(tables), caption)


def diagonal_experiment(
    title: str, clause: Clause, *, decaying: str, steady: str, more: Mapping[str, Part], **words: Any
) -> Experiment:
    """A figure of one diagonal and its claim, in these words; the control exchanges the two actions."""
    claim = Claim(
        subject=lambda runs: diagonals(runs, clause),
        wrong=lambda runs: exchanged(runs, clause),
        parts=parts(decaying, steady, clause) | dict(more),
        remark=lambda runs: describe(runs, clause),
        **words,
    )
    return Experiment(
        title=title, runs=length_runs, needs=NEEDS, claims=(claim,), draw=lambda runs: draw_diagonal(runs, clause)
    )
