"""Table 2: which of the printed changes on GSM8K are distinguishable from chance. No model is run."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.association.probe.shares import Contrast
from lemmata.papers.association.run.printed_accuracies import PrintedAccuracies, Z
from lemmata.report.plots import ceiling, new_figure

FEW, MANY = (1, 2), 8  # shots: where truncation is said to help, and where not


@dataclass(frozen=True)
class Change:
    """Accuracies before and after something was changed, in groups of cells of the table."""

    before: Sequence[np.ndarray]
    after: Sequence[np.ndarray]
    questions: int


def truncation(runs: Runs, *groups: Sequence[int]) -> Change:
    """The full and the truncated models, at these numbers of shots."""
    run = runs["printed"]
    before, after = ([_cells(run, name, shots) for shots in groups] for name in ("full", "truncated"))
    return Change(before, after, run.config.questions)


def other_shots(runs: Runs, *groups: Sequence[tuple[int, int]]) -> Change:
    """The full models alone, given one number of shots and then another: no truncation at all."""
    run = runs["printed"]
    before, after = ([_cells(run, "full", [pair[i] for pair in group]) for group in groups] for i in (0, 1))
    return Change(before, after, run.config.questions)


def _cells(run: RunResult, name: str, shots: Sequence[int]) -> np.ndarray:
    return np.concatenate([run.column(name, shots=one) for one in shots])


def _sum(change: Change, after: np.ndarray) -> Contrast:
    """`after` weighs the groups' cells after the change; what was before has the opposite weights."""
    shares = np.concatenate([*change.before, *change.after])
    return Contrast(shares, np.concatenate([-after, after], axis=-1), change.questions)


def each(change: Change) -> Contrast:
    """Every cell's gain."""
    return _sum(change, np.eye(sum(map(len, change.before))))


def mean(change: Change) -> Contrast:
    """The mean gain of all cells."""
    count = sum(map(len, change.before))
    return _sum(change, np.full(count, 1 / count))


def first_over_second(change: Change) -> Contrast:
    """The mean gain of the first group over that of the second."""
    first, second = map(len, change.before)
    return _sum(change, np.concatenate([np.full(first, 1 / first), np.full(second, -1 / second)]))


def few(run: RunResult) -> np.ndarray:
    """The rows of one and two shots."""
    return np.isin(run.column("shots"), FEW)


def distinguishable(runs: Runs) -> str:
    """Which gains are, and what the same answers, paired, could show."""
    run = runs["printed"]
    z, names = run.column("z"), run.config.models
    found = [
        f"{names[model]} at {shots} shot{'s' if shots > 1 else ''} (z = {one:.1f})"
        for model, shots, one in zip(run.column("model"), run.column("shots"), z, strict=True)
        if shots in FEW and one > Z
    ]
    rest = z[few(run) & (z <= Z)]
    allowed = run.column("most_changed")[few(run) & (z <= Z)]
    words = [f"Of {few(run).sum()} printed gains {len(found)} can be told from chance: {', '.join(found) or 'none'}."]
    if rest.size:
        share = allowed / run.config.questions
        words.append(
            f"The others have z of {rest.min():.1f} to {rest.max():.1f}. They are not refuted: both models answered "
            "the same questions, and a paired comparison, which needs every answer, would tell a gain from chance "
            f"if truncation changed the outcome of at most {allowed.min():.0f} to {allowed.max():.0f} questions "
            f"({share.min():.1%} to {share.max():.1%}), the fewer the smaller the gain."
        )
    return " ".join(words)


def without_the_largest(change: Change) -> str:
    """What is left of the contrast when the one gain that carries most of it is left out."""
    kept = np.delete(np.arange(len(change.before[0])), np.argmax(change.after[0] - change.before[0]))
    before, after = ((groups[0][kept], groups[1]) for groups in (change.before, change.after))
    rest = first_over_second(Change(before, after, change.questions))
    low, high = rest.interval()
    return (
        f"Without the largest gain {100 * rest.mean:.1f} points are left (95% interval {100 * low:.1f} to "
        f"{100 * high:.1f}). The accuracies are taken as independent, though their questions are the same."
    )


def _named(runs: Runs, shots: Sequence[int]) -> list[dict[str, Any]]:
    """The cells of the table at these numbers of shots, as `_cells` reads them."""
    run = runs["printed"]
    names = run.config.models
    return [{"model": names[int(model)], "shots": one} for one in shots for model in run.column("model", shots=one)]


FEW_SHOTS = Claim(
    id="tab-2-significance",
    locus="Section 4.2 and Table 2: improves when only using 1 or 2 shots",
    statement="Truncation improves the accuracy on GSM8K at one and at two shots, for each of the three models and on "
    "average over them, beyond what the number of questions leaves to chance.",
    subject=lambda runs: truncation(runs, FEW),
    wrong=lambda runs: other_shots(runs, ((2, 1), (4, 2))),  # half the shots, in the place of truncation
    parts={
        "mean gain": Part(mean, at_least(0, over_seeds=True, unit="questions")),
        "each gain": Part(
            each, at_least(0, over_seeds=True, unit="questions"), along={"cell": partial(_named, shots=FEW)}
        ),
    },
    remark=distinguishable,
)

EIGHT_SHOTS = Claim(
    id="tab-2-eight-shots",
    locus="Section 4.2 and Table 2: worse in the standard 8-shot setting",
    statement="Truncation lowers the accuracy at eight shots, for each of the three models and on average over them, "
    "beyond what the number of questions leaves to chance.",
    subject=lambda runs: truncation(runs, (MANY,)),
    wrong=lambda runs: other_shots(runs, ((1, MANY),)),  # seven more shots in the place of truncation
    parts={
        "mean gain": Part(mean, at_most(0, over_seeds=True, unit="questions")),
        "each gain": Part(
            each, at_most(0, over_seeds=True, unit="questions"), along={"cell": partial(_named, shots=(MANY,))}
        ),
    },
    remark="At four shots, of which the text does not speak, all three printed changes are losses too.",
)

CONTRAST = Claim(
    id="tab-2-contrast",
    locus="Table 2, caption: improves in few-shot settings while it is worse with eight shots",
    statement="Truncation does more for the accuracy at one and two shots than at eight, on average over the models.",
    subject=lambda runs: truncation(runs, FEW, (MANY,)),
    wrong=lambda runs: other_shots(runs, ((2, 1), (4, 2)), ((MANY, 4),)),  # half the shots: worst where they are few
    parts={
        "mean gain at 1 and 2 shots - at 8": Part(first_over_second, at_least(0, over_seeds=True, unit="questions"))
    },
    remark=lambda runs: without_the_largest(truncation(runs, FEW, (MANY,))),
)


def draw(runs: Runs) -> Artefact:
    run = runs["printed"]
    config, columns = run.config, {name: np.asarray(values) for name, values in run.metrics.items()}
    figure, ax = new_figure(width=7.5, height=3.8)
    for i, model in enumerate(config.models):
        mine = columns["model"] == i
        x = np.arange(mine.sum()) + (i - (len(config.models) - 1) / 2) * 0.2
        gain, error = 100 * columns["gain"][mine], 100 * columns["error"][mine]
        best = np.abs(gain) / np.maximum(np.abs(columns["favourable_z"][mine]), 1e-9)
        ax.errorbar(x, gain, yerr=Z * error, fmt="o", ms=4, lw=1, color=f"C{i}", label=model)
        ax.errorbar(x, gain, yerr=Z * best, fmt="none", lw=4, alpha=0.35, color=f"C{i}")
    ceiling(ax, 0.0)
    ax.set_xticks(np.arange(len(config.shots)), [str(shots) for shots in config.shots])
    ax.set(xlabel="shots", ylabel="printed gain by truncation, points")
    ax.legend(fontsize=7)
    caption = (
        f"Table 2's printed gains with 95% intervals from {config.questions} questions: thin, the two runs of a cell "
        "taken as independent; thick, the most favourable pairing, in which a gain lost no question and a loss won "
        "none. What a paired comparison would give lies in between, or beyond the thin line."
    )
    names = {"model": np.array(config.models)[columns["model"]]}
    return Artefact(figure, columns | names, caption)


EXPERIMENT = Experiment(
    title="Table 2: which gains on GSM8K are more than chance",
    runs=lambda scale: {"printed": PrintedAccuracies()},
    claims=(FEW_SHOTS, EIGHT_SHOTS, CONTRAST),
    draw=draw,
    notes="The printed accuracies are all that is used; the number of questions is that of GSM8K's test set. A verdict "
    "of `undecided` says that the printed numbers do not tell, not that truncation does nothing.",
)
