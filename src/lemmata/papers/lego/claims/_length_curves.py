"""Curves over lengths of the experimental model's runs, as Figures 1a and 1b read and draw them.

Section 7 judges what a model writes by itself, without teacher forcing, and reports the share of sentences with every
answer right. A sentence whose every clause is right in the teacher-forced pass is one whose greedy rollout is right,
and conversely: up to the first wrong token the two are one computation. So "all clauses right" is read from the
parallel pass. The last answer of a rollout alone (`FINAL`) is shown beside it: a guess is right once in as many as
there are values.
"""

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import RunResult, TooShort, Undecided, of_result
from lemmata.papers.lego.probe import wilson
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.length_training import BASE, SELF, UNTRAINED
from lemmata.report.plots import legend

ALL_RIGHT = "both"  # every clause, variable and value: that of the greedy rollout
FINAL = "final"  # the last answer of the greedy rollout
LEARNED = 0.95  # of the sentences of the training length, or the run says nothing about longer ones
FALLEN = 0.5  # most sentences fail
JUDGED = {"simply transitive": "transitive", "symmetric": "symmetric"}  # part -> run


class Model(NamedTuple):
    """One of the models of a run."""

    run: RunResult
    branch: str
    trained_at: int

    def column(self, name: str = ALL_RIGHT, **where: Any) -> np.ndarray:
        return self.run.column(name, branch=self.branch, trained_at=self.trained_at, **where)

    def curve(self, name: str = ALL_RIGHT) -> np.ndarray:
        """Its shares of [seed, length]."""
        return self.column(name).reshape(-1, len(self.run.config.lengths))

    def at(self, length: int, name: str = ALL_RIGHT) -> float:
        """The share of sentences of one length with all clauses right, mean over seeds."""
        return float(self.column(name, length=length).mean())

    @property
    def longest(self) -> float:
        return self.at(self.run.config.lengths[-1])

    @property
    def longest_by_seed(self) -> np.ndarray:
        return self.curve()[:, -1]


def paired(*by_seed: np.ndarray) -> np.ndarray:
    """As many seeds of each, the first. Models of one run are those of the same seeds, of which a control may have
    fewer; two actions share none of their randomness, so that any pairing will do."""
    return np.array([values[: min(map(len, by_seed))] for values in by_seed])


def untrained(run: RunResult) -> Model:
    return Model(run, UNTRAINED, 0)


def base(run: RunResult) -> Model:
    """Trained at the first length."""
    return Model(run, BASE, run.config.task.length)


def stages(run: RunResult) -> list[Model]:
    """The first model and that of every self-training stage."""
    return [base(run), *(Model(run, SELF, length) for length in run.config.stages)]


@of_result
def learned(run: RunResult) -> Undecided | None:
    """A need: the run learned its own training length."""
    reached, name = base(run).at(run.config.task.length), run.config.task.action
    little = f"{name} answers {reached:.2f} of its own training length: it must learn that"
    return None if reached >= LEARNED else TooShort(little)


# Actions of both families that have learned their own length.
NEEDS = {family: (of_family, learned) for family, of_family in FAMILIES.items()}


def draw_curve(ax: Axes, model: Model, label: str, colour: str, style: str = "-") -> dict[str, Any]:
    """The mean over seeds. The band spans the seeds and the Wilson interval of the sentences of all seeds pooled."""
    made, shares = model.run.config, model.curve()
    lengths, mean = np.array(made.lengths), shares.mean(axis=0)
    low, high = wilson(mean, len(shares) * made.test_sentences)
    lowest, highest = np.minimum(low, shares.min(axis=0)), np.maximum(high, shares.max(axis=0))
    ax.plot(lengths, mean, style, marker="o", markersize=3.5, color=colour, label=label)
    ax.fill_between(lengths, lowest, highest, color=colour, alpha=0.15, linewidth=0)
    return {
        "model": np.repeat(label, len(lengths)),
        "length": lengths,
        "all clauses right": mean,
        "low": lowest,
        "high": highest,
        "all values right": model.curve("values").mean(axis=0),
        "last answer right": model.curve(FINAL).mean(axis=0),
        "single steps right": model.curve("step").mean(axis=0),
    }


def finish(ax: Axes, run: RunResult, title: str) -> None:
    lengths = run.config.lengths
    ax.set_xscale("log", base=2)
    ax.set_xticks(lengths, [str(length) for length in lengths])
    ax.minorticks_off()
    ax.set(xlabel="length L (steps)", ylim=(-0.02, 1.02), title=title)
    legend(ax, fontsize=7)


def setting(run: RunResult) -> str:
    made = run.config
    return (
        f"{made.task.variables} variables, {made.sequences} training sentences, {made.epochs} epochs of Adam, "
        f"learning rate {made.learning_rate:g}, batch {made.batch}, width {made.model.width} a slot, "
        f"{made.model.hidden} neurons; "
        f"seeds {made.seeds[0]} to {made.seeds[-1]}, {made.test_sentences} test sentences a length and seed. All "
        "clauses right, variable and value, in one teacher-forced pass: the same sentences as those the greedy rollout "
        "gets right. Bands: the extremes of the seeds and of the pooled 95 % Wilson interval."
    )
