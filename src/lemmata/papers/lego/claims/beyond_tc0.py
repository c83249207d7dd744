"""Beyond TC0: which groups are not solvable, and a chain of thought that decides the word problem of one."""

from operator import itemgetter

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, OutsideSetting, Part, RunResult, Runs, Undecided, of_result, word
from lemmata.core.rule import at_least, exactly
from lemmata.papers.lego.claims._theory_runs import settled, stages_of, symmetric_run
from lemmata.papers.lego.probe import wilson
from lemmata.papers.lego.run.action_catalogue import ActionCatalogue
from lemmata.papers.lego.task import action
from lemmata.report.plots import CYCLE, legend_below, new_figure

DECIDED = 0.95  # of the words; a coin gets half of them
GROUPS = ("C2", "C5", "C6", "S3", "D4", "D5", "F5", "A4", "S4", "A5", "S5")
MOMENTS = {"none": "one step", "T2": "two steps", "self": "self-training"}  # plan -> what the model has learned


def groups_without(runs: Runs, property_name: str) -> str:
    names, found = runs["groups"].metrics["action"], runs["groups"].metrics[property_name]
    return ", ".join(str(name) for name, yes in zip(names, found, strict=True) if not yes)


def words_decided(runs: Runs, plan: str) -> tuple[float, float]:
    """The shares decided right of the words that are the identity, and of the others (which any noise moves)."""
    decided = runs["speller"].arrays[f"{plan}.words_decided"]
    if decided.shape[1] < 2:
        raise Undecided("one word a seed: words of both kinds are needed")
    return float(decided[:, ::2].mean()), float(decided[:, 1::2].mean())


def not_solvable(runs: Runs) -> str:
    """A_n and S_n are solvable up to n = 4 and not from 5 on; the other families always are."""

    def large(factor: str) -> bool:
        return factor[0] in "AS" and int(factor[1:]) >= 5

    names = runs["groups"].config.actions
    return ", ".join(name for name in names if any(map(large, name.partition(":")[0].split("x"))))


@of_result
def can_spell(run: RunResult) -> str | Undecided | None:
    if action(run.config.action).solvable:
        return OutsideSetting(f"{run.config.action} is solvable: these runs have no model of a non-solvable group")
    return settled("self")(run)


BEYOND = Claim(
    id="beyond-tc0",
    locus="Section 2.1, Theorem 2.1; Section 5, significance of Corollary 5.1",
    uses=("cor-5.1",),
    statement=r"The word problem of a finite non-solvable group is $\mathrm{NC}^1$-complete (Barrington), $S_n$ for "
    r"$n \ge 5$ being the canonical example, and the trained transformer solves it by linearly many steps of chain of "
    "thought. Judged: solvability by derived series from the groups' tables, and chains of thought from all first "
    "values that decide whether a word of S5, ten times as long as the labelled training sentences, is the identity "
    "(half of the words are). Control: solvable taken for abelian, and the model before its attention was trained.",
    wording={"word of S5": word("word of {}", "speller.action")},
    subject=lambda runs: (groups_without(runs, "solvable"), *words_decided(runs, "self")),
    wrong=lambda runs: (groups_without(runs, "abelian"), *words_decided(runs, "none")),
    parts={
        "not solvable": Part(itemgetter(0), exactly(not_solvable)),
        "identities recognized": Part(itemgetter(1), at_least(DECIDED)),
        "other words refused": Part(itemgetter(2), at_least(DECIDED)),
    },
    needs={"speller": can_spell},
    remark="Words that are not the identity are refused by almost any noise; it is the identities that need a right "
    "chain of thought from every first value.",
)


def draw(runs: Runs) -> Artefact:
    made = runs["speller"].config
    trials = made.words * len(made.seeds) // 2
    shares = np.array([words_decided(runs, plan) for plan in MOMENTS]).T
    figure, ax = new_figure()
    for index, (label, values) in enumerate(zip(("identities", "other words"), shares, strict=True)):
        low, high = wilson(values, trials)
        places = np.arange(len(MOMENTS)) + 0.36 * index - 0.18
        ax.bar(places, values, color=CYCLE[index], width=0.34, label=label)
        ax.errorbar(places, values, yerr=[values - low, high - values], fmt="none", ecolor="#222222", capsize=3)
    legend_below(ax, ncols=2)
    longest = max(stage.length for stage in stages_of(runs["speller"], "self"))
    ax.set_xticks(range(len(MOMENTS)), [*list(MOMENTS.values())[:-1], f"self-trained to {longest}"])
    ax.set(ylabel=f"words of length {made.word_length} decided", ylim=(0, 1.05), xlabel="the model has learned")
    caption = (
        f"Is a word of {made.action} the identity? {made.words} words a seed, {len(made.seeds)} seeds, half of them "
        f"are; 95% Wilson intervals. Not solvable among {', '.join(runs['groups'].config.actions)}: "
        f"{groups_without(runs, 'solvable') or 'none'}."
    )
    table = {"model": np.array(list(MOMENTS.values())), "identities": shares[0], "others": shares[1]}
    return Artefact(figure, {**table, "words": np.full(len(MOMENTS), 2 * trials)}, caption)


EXPERIMENT = Experiment(
    title="A word problem by chain of thought",
    runs=lambda scale: {
        "groups": ActionCatalogue(actions=GROUPS, sampled=("C6",), sentences=100),
        "speller": symmetric_run(scale),
    },
    claims=(BEYOND,),
    draw=draw,
)
