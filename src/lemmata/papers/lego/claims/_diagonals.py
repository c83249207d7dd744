"""The two diagonals of attention beyond the training length, as Figures 6 and 7 read and draw them."""

import itertools
from typing import Any, Literal, NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.lego.claims._length_curves import JUDGED, needs
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.length_training import REGIMES, length_runs
from lemmata.report.plots import CYCLE, band, joined, legend, new_figure

Clause = Literal["predicate", "answer"]
DECAY = 0.1  # a "visible drop" along the positions: a tenth of the attention
LESS = 0.5  # "no comparable" drop: at most half of the other's


class Diagonal(NamedTuple):
    """The attention of one run on the right clause of a kind, by position."""

    run: RunResult
    moment: str
    clause: Clause

    def at(self, times: int) -> np.ndarray:
        """At `times` the training length: [seed, position]."""
        return self.run.arrays[f"{self.moment}.{self.clause}.{times * self.run.config.task.length}"]

    @property
    def with_length(self) -> float:
        return float(self.at(4).mean() / self.at(2).mean())

    @property
    def drop(self) -> float:
        """How much lower the last quarter of positions is than the first, relative to the mean."""
        values = self.at(4)
        quarter = max(values.shape[1] // 4, 1)
        return float((values[:, :quarter].mean() - values[:, -quarter:].mean()) / values.mean())


def parts(decaying: str, steady: str) -> dict[str, Part]:
    """Both are diluted with length; one decays along the positions, the other by less than half of that."""
    diluted = {kind: Part(lambda found, kind=kind: found[kind].with_length, at_most(1.0)) for kind in JUDGED}
    return {f"{kind}, from twice to four times the length": part for kind, part in diluted.items()} | {
        f"{decaying}, drop along positions": Part(lambda found: found[decaying].drop, at_least(DECAY)),
        f"{steady}, drop relative to the other's": Part(
            lambda found: found[steady].drop / max(abs(found[decaying].drop), 1e-9), at_most(LESS)
        ),
    }


def drops(runs: Runs, clause: Clause) -> str:
    """How far each action's attention drops along the positions, in each regime, in words."""
    found = []
    for regime, words in REGIMES.items():
        both = [Diagonal(runs[f"{family}/{regime}"], "trained", clause) for family in FAMILIES]
        shares = " and ".join(f"{one.drop:.2f} for {one.run.config.task.action}" for one in both)
        found.append(f"{shares} ({words})")
    return f"Along the positions it drops, relative to its mean, by {', by '.join(found)}."


def draw_diagonal(runs: Runs, clause: Clause) -> Artefact:
    figure, axes = new_figure(2, 2, sharey=True)
    tables = []
    for row, (regime, words) in zip(axes, REGIMES.items(), strict=True):
        for ax, family in zip(row, FAMILIES, strict=True):
            run = runs[f"{family}/{regime}"]
            action = run.config.task.action
            for moment, times in itertools.product(("trained", "untrained"), (2, 4)):
                values = Diagonal(run, moment, clause).at(times)
                length = values.shape[1]
                position = np.arange(length) / max(length - 1, 1)
                label, style = (f"L = {length}", "-") if moment == "trained" else (f"L = {length}, untrained", ":")
                band(ax, position, values, label, color=CYCLE[times // 4], linestyle=style)
                names = {"regime": regime, "action": action, "model": moment, "length": length}
                table = {name: np.repeat(value, length) for name, value in names.items()}
                tables.append(table | {"position": position, "attention": values.mean(axis=0)})
            ax.set(title=f"{action}: {words}", ylim=(0, 1))
        row[0].set_ylabel(f"attention on the right {clause}")
    for ax in axes[-1]:
        ax.set_xlabel("normalized position")
    legend(axes[0, 1], fontsize=7)
    made = runs["symmetric/sharp"].config
    caption = (
        f"Trained at length {made.task.length}; {made.map_sentences} sentences, both heads averaged; bands: one "
        f"standard deviation over {len(made.seeds)} seeds. The claim is judged on the upper row."
    )
    return Artefact(figure, joined(tables), caption)


def diagonal_experiment(title: str, clause: Clause, *, decaying: str, steady: str, **words: Any) -> Experiment:
    """A figure of one diagonal and its claim, in these words; the control is the untrained model's."""

    def read(runs: Runs, moment: str) -> dict[str, Diagonal]:
        return {kind: Diagonal(runs[name], moment, clause) for kind, name in JUDGED.items()}

    claim = Claim(
        subject=lambda runs: read(runs, "trained"),
        wrong=lambda runs: read(runs, "untrained"),
        parts=parts(decaying, steady),
        **words,
    )
    return Experiment(
        title=title,
        runs=lambda scale: length_runs(scale, "sharp", "diluted"),
        needs=needs("sharp"),
        claims=(claim,),
        draw=lambda runs: draw_diagonal(runs, clause),
    )
