"""Beyond TC0: which groups are not solvable, and a chain of thought that decides the word problem of one."""

from operator import itemgetter

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, exactly
from lemmata.papers.lego.claims._reasoners import symmetric_reasoner
from lemmata.papers.lego.probe import wilson
from lemmata.papers.lego.run.action_catalogue import ActionCatalogue
from lemmata.papers.lego.task import action
from lemmata.report.plots import CYCLE, ceiling, legend, new_figure

DECIDED = 0.95  # of the words; a coin gets half of them
GROUPS = ("C2", "C5", "C6", "S3", "D4", "D5", "F5", "A4", "S4", "A5", "S5")
MOMENTS = ("one step", "two steps", "last")


def groups_without(runs: Runs, property_name: str) -> str:
    names, found = runs["groups"].metrics["action"], runs["groups"].metrics[property_name]
    return ", ".join(str(name) for name, yes in zip(names, found, strict=True) if not yes)


def words_decided(runs: Runs, moment: str) -> float:
    return float(runs["speller"].arrays[f"{moment}.decided"].mean())


def not_solvable(runs: Runs) -> str:
    """A_n and S_n are solvable up to n = 4 and not from 5 on; the other families always are."""

    def large(factor: str) -> bool:
        return factor[0] in "AS" and int(factor[1:]) >= 5

    names = runs["groups"].config.actions
    return ", ".join(name for name in names if any(map(large, name.partition(":")[0].split("x"))))


def can_spell(run: RunResult) -> str | None:
    if action(run.config.action).solvable:
        return f"{run.config.action} is solvable: this scale has no model of a non-solvable group"
    for token in ("value", "variable"):
        if run.arrays[f"one_step.{token}.accuracy"].min() < 1:
            return f"one step is not learned at this scale ({token})"
    return None


BEYOND = Claim(
    id="beyond-tc0",
    locus="Section 2.1, Theorem 2.1; Section 5, significance of Corollary 5.1",
    statement="The word problem of a non-solvable group is NC1-complete (Barrington), so believed out of reach of "
    "constant depth without chain of thought; S_n is such a group from n = 5 on, and the trained transformer solves it "
    "in linearly many steps. Solvability by derived series from the groups' tables; chains of thought from all five "
    "first values decide whether a word of S5, ten times as long as the labelled training sentences, is the identity "
    "(half of the words are). Control: solvable taken for abelian, and the model before its attention was trained.",
    subject=lambda runs: (groups_without(runs, "solvable"), words_decided(runs, "last")),
    wrong=lambda runs: (groups_without(runs, "abelian"), words_decided(runs, "one step")),
    parts={
        "not solvable": Part(itemgetter(0), exactly(not_solvable)),
        "words decided": Part(itemgetter(1), at_least(DECIDED)),
    },
    needs={"speller": can_spell},
)


def draw(runs: Runs) -> Artefact:
    made = runs["speller"].config
    trials = made.words * len(made.seeds)
    shares = np.array([words_decided(runs, moment) for moment in MOMENTS])
    low, high = wilson(shares, trials)
    places = range(len(MOMENTS))
    figure, ax = new_figure()
    ax.bar(places, shares, color=CYCLE[: len(MOMENTS)], width=0.6)
    ax.errorbar(places, shares, yerr=[shares - low, high - shares], fmt="none", ecolor="#222222", capsize=3)
    ceiling(ax, 0.5, "always saying no")
    legend(ax, fontsize=7, loc="upper left")
    longest = max(stage.length for stage in made.stages)
    ax.set_xticks(places, ["one step", "two steps", f"self-trained to {longest}"])
    ax.set(ylabel=f"words of length {made.word_length} decided", ylim=(0, 1.05), xlabel="the model has learned")
    caption = (
        f"Is a word of {made.action} the identity? {made.words} words a seed, {len(made.seeds)} seeds, half of them "
        f"are; 95% Wilson intervals. Not solvable among {', '.join(runs['groups'].config.actions)}: "
        f"{groups_without(runs, 'solvable') or 'none'}."
    )
    table = {"model": np.array(MOMENTS), "decided": shares, "low": low, "high": high}
    return Artefact(figure, {**table, "words": np.full(len(MOMENTS), trials)}, caption)


EXPERIMENT = Experiment(
    title="A word problem by chain of thought",
    runs=lambda scale: {
        "groups": ActionCatalogue(actions=GROUPS, sampled=("C6",), sentences=100),
        "speller": symmetric_reasoner(scale),
    },
    claims=(BEYOND,),
    draw=draw,
)
