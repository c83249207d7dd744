"""Readings of answers to GSM8K, and their drawing: Table 2 with the same questions paired."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lemmata.core import Artefact, RunResult, Runs, Undecided, of_result
from lemmata.papers.association.probe.paired_answers import PairedGains, mcnemar
from lemmata.papers.association.run.gsm8k_answers import EDITS
from lemmata.report.plots import ceiling, new_figure


@dataclass(frozen=True)
class Answers:
    """Whether each question was answered rightly, before and after a change, a cell each."""

    before: Sequence[np.ndarray]
    after: Sequence[np.ndarray]


def right(run: RunResult, edit: str) -> np.ndarray:
    """Of each question, by the harness's strict match."""
    return np.asarray(run.column("strict", edit=EDITS.index(edit)), bool)


def changed(cells: Sequence[RunResult], edit: str) -> Answers:
    """The whole models, and the same with an edit."""
    return Answers([right(run, "full") for run in cells], [right(run, edit) for run in cells])


def each_gain(answers: Answers) -> PairedGains:
    before, after = (np.stack(side, axis=1).astype(float) for side in (answers.before, answers.after))
    return PairedGains(after - before)


def mean_gain(answers: Answers) -> PairedGains:
    return PairedGains(each_gain(answers).differences.mean(axis=1))


@of_result
def can_count(run: RunResult) -> str | None:
    """A model that answers next to nothing has nothing to lose, and a gain would be luck."""
    found = right(run, "full")
    if found.mean() >= run.config.worth:
        return None
    return (
        f"{run.config.model} answers {found.sum()} of {found.size} questions rightly at {run.config.shots} shots, "
        f"below {run.config.worth:.0%}: too few to tell what truncation changes"
    )


def paired_words(runs: Runs) -> str:
    """Questions won and lost by truncation, cell by cell."""
    words = []
    for name, run in runs.items():
        try:
            won, lost, p_value = mcnemar(right(run, "full"), right(run, "truncated"))
        except Undecided:
            continue
        words.append(f"{name}: {won} won, {lost} lost (McNemar p = {p_value:.2g})")
    return "; ".join(words)


def draw(runs: Runs) -> Artefact:
    names = list(runs)
    names_of = ("cell", "edit", "right", "questions", "won", "lost", "mcnemar_p")
    rows: list[tuple] = []
    for name, run in runs.items():
        for place in sorted(set(np.asarray(run.metrics["edit"]).tolist())):
            found = right(run, EDITS[place])
            won, lost, p_value = mcnemar(right(run, "full"), found)
            rows.append((name, EDITS[place], int(found.sum()), found.size, won, lost, p_value))
    figure, ax = new_figure(width=max(4.0, 0.7 * len(names) + 2), height=3.4)
    columns = {name: np.array([row[i] for row in rows]) for i, name in enumerate(names_of)}
    for i, edit in enumerate(EDITS):
        mine = columns["edit"] == edit
        x = np.array([names.index(name) for name in columns["cell"][mine]]) + 0.25 * (i - 1)
        ax.bar(x, 100 * columns["right"][mine] / columns["questions"][mine], width=0.25, label=edit)
    ceiling(ax, 100.0)
    ax.set_xticks(np.arange(len(names)), names, rotation=30, ha="right", fontsize=7)
    ax.set(ylabel="GSM8K, % right")
    ax.legend(fontsize=7)
    caption = (
        "Right answers by lm-evaluation-harness (strict match) of the whole model, with one matrix cut to its largest "
        "directions, and with a random subspace of the same rank kept. The questions of a cell are the same, so the "
        "table counts those won and lost."
    )
    return Artefact(figure, columns, caption)
