"""Table 2 as printed: which changes of accuracy are more than chance. No model is run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs
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


def gains(rule: Callable[..., Any], shots: Sequence[int]) -> dict[str, Part]:
    """That the mean and each single gain at these numbers of shots are beyond chance in one direction."""
    beyond_luck = rule(0, over_seeds=True, unit="questions")
    cell = {"cell": partial(_named, shots=shots)}
    return {"mean gain": Part(mean, beyond_luck), "each gain": Part(each, beyond_luck, along=cell)}


def _named(runs: Runs, shots: Sequence[int]) -> list[dict[str, Any]]:
    """The cells of the table at these numbers of shots, as `_cells` reads them."""
    run = runs["printed"]
    names = run.config.models
    return [{"model": names[int(model)], "shots": one} for one in shots for model in run.column("model", shots=one)]


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
        f"Table 2's printed gains with 95% intervals from {config.questions} questions. Thin: the two runs of a cell "
        "taken as independent. Thick: the most favourable pairing, in which a gain lost no question and a loss won "
        "none. What a paired comparison would give lies in between, or beyond the thin line."
    )
    names = {"model": np.array(config.models)[columns["model"]]}
    return Artefact(figure, columns | names, caption)


def printed_table(title: str, claim: Claim) -> Experiment:
    return Experiment(
        title=title,
        runs=lambda scale: {"printed": PrintedAccuracies()},
        claims=(claim,),
        draw=draw,
        notes="The printed accuracies are all that is used; the number of questions is that of GSM8K's test set. "
        "`undecided` says that the printed numbers do not tell, not that truncation does nothing.",
    )
