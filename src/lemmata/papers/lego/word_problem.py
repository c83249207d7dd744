"""Beyond TC0: which groups are not solvable, and a chain of thought that decides the word problem of one."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Scale, Undecided
from lemmata.core.legacy import AtLeast, Claim, Each, Exact, Experiment, Results
from lemmata.papers.lego.actions import ActionCatalogue
from lemmata.papers.lego.probe import wilson
from lemmata.papers.lego.run.reasoners import TrainedReasoner, reasoners
from lemmata.papers.lego.task import action
from lemmata.report.plots import CYCLE, ceiling, legend, new_figure

DECIDED = 0.95  # of the words; a coin gets half of them
GROUPS = ("C2", "C5", "C6", "S3", "D4", "D5", "F5", "A4", "S4", "A5", "S5")
NOT_SOLVABLE = "A5, S5"  # A_n and S_n are solvable up to n = 4 and not from 5 on; the other families always are
MOMENTS = ("one step", "two steps", "last")


def grid(scale: Scale) -> tuple[Any, ...]:
    spelled = tuple(run for run in reasoners(scale) if run.words)
    return (ActionCatalogue(actions=GROUPS, sampled=("C6",), sentences=100), *spelled)


def _speller(results: Results) -> RunResult:
    return results.one(TrainedReasoner)


def _groups(results: Results, column: str) -> str:
    """Those of which the column says no."""
    run = results.one(ActionCatalogue)
    found = np.asarray(run.metrics[column])
    return ", ".join(str(name) for name, yes in zip(run.metrics["action"], found, strict=True) if not yes)


def _decided(results: Results) -> Any:
    run = _speller(results)
    if action(run.config.action).solvable:
        return Undecided(f"{run.config.action} is solvable: this scale has no model of a non-solvable group")
    for token in ("value", "variable"):
        if run.arrays[f"one_step.{token}.accuracy"].min() < 1:
            return Undecided(f"one step is not learned at this scale ({token})")
    return float(run.arrays["last.decided"].mean())


BEYOND = Claim(
    id="lego/beyond-tc0",
    locus="Section 2.1, Theorem 2.1; Section 5, significance of Corollary 5.1",
    statement="The word problem of a non-solvable group is NC1-complete (Barrington), so believed out of reach of "
    "constant depth without chain of thought; S_n is such a group from n = 5 on, and the trained transformer solves it "
    "in linearly many steps. Rule: of the catalogue's groups A5 and S5 alone are not solvable, by derived series from "
    "their tables; and chains of thought from all five first values decide whether a word of S5, ten times as long as "
    "the labelled training sentences, is the identity (half of the words are), right in at least 95%. Control: "
    "solvable taken for abelian, and the model before its attention was trained.",
    predict=lambda results: {"not solvable": NOT_SOLVABLE, "words decided": DECIDED},
    measure=lambda results: {"not solvable": _groups(results, "solvable"), "words decided": _decided(results)},
    control=lambda results: {
        "not solvable": _groups(results, "abelian"),
        "words decided": float(_speller(results).arrays["one step.decided"].mean()),
    },
    check=Each({"not solvable": Exact(), "words decided": AtLeast()}),
)


def draw(results: Results) -> Artefact:
    run = _speller(results)
    made, trials = run.config, run.config.words * len(run.config.seeds)
    shares = np.array([run.arrays[f"{name}.decided"].mean() for name in MOMENTS])
    low, high = wilson(shares, trials)
    figure, ax = new_figure()
    ax.bar(range(len(MOMENTS)), shares, color=CYCLE[: len(MOMENTS)], width=0.6)
    ax.errorbar(
        range(len(MOMENTS)), shares, yerr=[shares - low, high - shares], fmt="none", ecolor="#222222", capsize=3
    )
    ceiling(ax, 0.5, "always saying no")
    legend(ax, fontsize=7, loc="upper left")
    longest = max(stage.length for stage in made.stages)
    ax.set_xticks(range(len(MOMENTS)), ["one step", "two steps", f"self-trained to {longest}"])
    ax.set(ylabel=f"words of length {made.word_length} decided", ylim=(0, 1.05), xlabel="the model has learned")
    caption = (
        f"Is a word of {made.action} the identity? {made.words} words a seed, {len(made.seeds)} seeds, half of them "
        f"are; 95% Wilson intervals. Not solvable among {', '.join(GROUPS)}: {_groups(results, 'solvable')}."
    )
    table = {"model": np.array(MOMENTS), "decided": shares, "low": low, "high": high}
    return Artefact(figure, {**table, "words": np.full(len(MOMENTS), trials)}, caption)


EXPERIMENTS = (
    Experiment(
        id="lego/word-problem",
        title="A word problem by chain of thought",
        grid=grid,
        claims=(BEYOND,),
        render=draw,
    ),
)
