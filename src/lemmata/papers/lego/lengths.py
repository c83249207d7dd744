"""How far the experimental model reaches: Figure 1a (two actions, trained at length 5) and 1b (self-training).

Section 7 judges what a model writes by itself, without teacher forcing. A sentence whose every clause is right in the
teacher-forced pass is one whose greedy rollout is right, and conversely: up to the first wrong token the two are one
computation. So "all clauses right" is read from the parallel pass; values alone could differ from a rollout.
"""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Scale, Undecided, require
from lemmata.core.legacy import AtLeast, AtMost, Claim, Each, Experiment, Monotone, Results
from lemmata.papers.lego.probe import wilson
from lemmata.papers.lego.run.length_training import LengthTraining, Regime, length_training
from lemmata.papers.lego.task import action
from lemmata.report.plots import CYCLE, GREY, legend, new_figure

REGIMES: dict[Regime, str] = {"sharp": "block-sparse attention", "diluted": "scaled scores, weight decay"}
JUDGED = "both"  # every clause right, variable and value: that of the greedy rollout
LEARNED = 0.9  # of the sentences of the training length, or the run was too short to say anything
NEAR_PERFECT = 0.95  # "nearly perfect accuracy at much longer lengths"
MUCH_LONGER = 8  # times the training length
FALLEN = 0.5  # "only constant-factor length generalization": most long sentences fail
GAIN = 0.4  # of the sentences twice as long as the last stage's, from the first model to the last
SHIFT = 0.02  # a curve's mean over lengths may fall by so much in one stage


def run_of(results: Results, symmetric: bool, regime: Regime = "sharp") -> RunResult:
    """The run of the symmetric or the simply transitive action in one regime; smoke has one run for both regimes."""
    kind = [run for run in results.where(LengthTraining) if is_symmetric(run) == symmetric]
    actions = tuple(run.config.task.action for run in results.where(LengthTraining))
    require(len(kind) > 0, "task.action", actions, "one simply transitive action and one that is not")
    return next((run for run in kind if (run.config.decay > 0) == (regime == "diluted")), kind[0])


def is_symmetric(run: RunResult) -> bool:
    return not action(run.config.task.action).simply_transitive


def curve(run: RunResult, branch: str, trained_at: int, column: str = JUDGED) -> np.ndarray:
    """One model's shares of [seed, length]."""
    found = run.column(column, branch=branch, trained_at=trained_at)
    return found.reshape(len(run.config.seeds), len(run.config.lengths))


def base(run: RunResult) -> np.ndarray:
    return curve(run, "base", run.config.task.length)


def at_length(run: RunResult, shares: np.ndarray, length: int) -> float:
    return float(shares[:, run.config.lengths.index(length)].mean())


def learned(results: Results, reading: Any, regime: Regime = "sharp") -> Any:
    """The reading, where both actions' runs of the regime learned their own training length."""
    for run in (run_of(results, symmetric, regime) for symmetric in (False, True)):
        reached = at_length(run, base(run), run.config.task.length)
        if reached < LEARNED:
            return Undecided(f"{run.config.task.action} reaches {reached:.2f} at its training length: too short a run")
    return reading


# Figure 1a


def _figure_1a(results: Results, branch: str) -> Any:
    transitive, symmetric = run_of(results, False), run_of(results, True)
    length = transitive.config.lengths[-1]
    if length < MUCH_LONGER * transitive.config.task.length:
        return Undecided(f"length {length} is not {MUCH_LONGER} times the training length")
    found = {}
    for run, name in ((transitive, "simply transitive"), (symmetric, "symmetric")):
        trained_at = run.config.task.length if branch == "base" else 0
        found[name] = at_length(run, curve(run, branch, trained_at), length)
    return found


FIGURE_1A = Claim(
    id="lego/fig-1a",
    locus="Section 7, Figure 1a",
    statement="Trained at length 5, the model of the simply transitive action answers nearly every sentence of much "
    "longer lengths, while the symmetric action's falls. Rule, at the longest test length (at least 8 times"
    " the training length; 32 times at the paper's scale), all clauses right, mean over seeds: simply "
    "transitive at least 0.95, symmetric at most 0.5.",
    predict=lambda results: {"simply transitive": NEAR_PERFECT, "symmetric": FALLEN},
    measure=lambda results: learned(results, _figure_1a(results, "base")),
    control=lambda results: _figure_1a(results, "untrained"),
    check=Each({"simply transitive": AtLeast(), "symmetric": AtMost()}),
    remark="The length is reached, the gap is not there. With block-sparse attention (the default here) the simply "
    "transitive action answers every sentence of the longest length, and so does the symmetric one once it has"
    " converged. With attention over all slots and scaled scores both fall, and the simply transitive one "
    "falls sooner. A gap appeared once, at the paper's size, in a single-seed pair stopped early at score scale "
    "1: C6 answered 1.00 of the sentences of length 160 after 4,000 steps, S5 0.27 after 7,000 and 1.00 after "
    "14,000; with another data set S5 stayed at 0.26 after 14,000. The symmetric action stays on a plateau for "
    "thousands of steps before it learns values, so a budget that is ample for one action is short for the other.",
)


# Figure 1b


def _stages(run: RunResult) -> list[tuple[str, int]]:
    return [("base", run.config.task.length), *(("self", length) for length in run.config.stages)]


def _last_stage(run: RunResult) -> int:
    require(len(run.config.stages) > 0, "stages", run.config.stages, "at least one: the figure is about them")
    return run.config.stages[-1]


def _figure_1b(results: Results, models: list[tuple[str, int]]) -> Any:
    run = run_of(results, True, "diluted")
    length = 2 * _last_stage(run)  # what no stage has shown
    if length not in run.config.lengths:
        return Undecided(f"length {length}, twice the last stage's, is not among the test lengths")
    curves = [curve(run, *model) for model in models]
    first = at_length(run, base(run), length)
    if first > 1 - GAIN:
        return Undecided(f"the first model already answers {first:.2f} at length {length}: nothing to repair")
    return {
        "mean over lengths, stage by stage": np.array([shares.mean() for shares in curves]),
        "gain at twice the last stage": at_length(run, curves[-1], length) - first,
    }


FIGURE_1B = Claim(
    id="lego/fig-1b",
    locus="Section 7, Figure 1b",
    statement="Each stage of self-training at doubled lengths moves the symmetric action's curve to the right. Rule: "
    "the share of sentences with all clauses right, averaged over test lengths, falls in no stage by more than "
    "0.02, and at twice the last stage's length the last model answers at least 0.4 more of the sentences "
    "than the first. Control: the same readings of as many steps at the first length alone.",
    predict=lambda results: {
        "mean over lengths, stage by stage": "increasing",
        "gain at twice the last stage": GAIN,
    },
    measure=lambda results: learned(results, _figure_1b(results, _stages(run_of(results, True, "diluted"))), "diluted"),
    control=lambda results: _figure_1b(
        results, [("base", (n := run_of(results, True, "diluted").config.task.length)), ("short", n)]
    ),
    check=Each({"mean over lengths, stage by stage": Monotone(slack=SHIFT), "gain at twice the last stage": AtLeast()}),
    remark="At the paper's size two settings were run with three seeds, after single-seed trials of some twenty "
    "others, in most of which the first model had little left to repair or later stages undid what earlier ones "
    "gained. The first (every slot attends, decay 0.1, 100,000 sentences) moved length 80 only from 0.005 to 0.10."
    " The second (block-sparse, scaled scores, decay 1, 20,000 sentences: the default now) moved it from 0.055 to "
    "0.31, 0.53 and 0.73 over the stages 10, 20 and 40; as many steps at length 5 gave 0.014 and true labels 0.96 "
    "(sentences with all values right, the column judged in those runs). At laptop scale (S4, 41 variables, 128 "
    "neurons) every stage moves the curve to the right as well, by less than the rule asks: a few per cent of the "
    "sentences a small model labels at the second stage are wrong, and it learns them; with true labels the same "
    "stages repair nearly everything.",
)


def _final_gap(results: Results, branch: str) -> Any:
    transitive, symmetric = run_of(results, False, "diluted"), run_of(results, True, "diluted")
    stage = _last_stage(symmetric) if branch == "self" else symmetric.config.task.length
    goal, reached = base(transitive), curve(symmetric, branch, stage)
    length = symmetric.config.lengths[-1]
    if at_length(transitive, goal, length) < FALLEN:
        return Undecided(f"the simply transitive action itself fails at length {length}: there is nothing to match")
    return at_length(symmetric, reached, length) - at_length(transitive, goal, length)


FIGURE_1B_MATCH = Claim(
    id="lego/fig-1b-match",
    locus="Section 7, Figure 1b and its discussion",
    statement="After the last stage the symmetric action matches the simply transitive one up to the longest test "
    "length. Rule: it answers at most 0.1 fewer of the sentences there. Control: the model before self-"
    "training.",
    predict=lambda results: -0.1,
    measure=lambda results: learned(results, _final_gap(results, "self"), "diluted"),
    control=lambda results: _final_gap(results, "base"),
    check=AtLeast(),
)


# Drawings


def _draw(ax: Any, run: RunResult, model: tuple[str, int], label: str, colour: str, style: str = "-") -> dict[str, Any]:
    """A curve over lengths: the mean over seeds. The band spans the seeds and the Wilson interval of the sentences of
    all seeds pooled."""
    lengths = np.array(run.config.lengths)
    shares = curve(run, *model)
    low, high = wilson(shares.mean(axis=0), len(run.config.seeds) * run.config.test_sentences)
    lowest, highest = np.minimum(low, shares.min(axis=0)), np.maximum(high, shares.max(axis=0))
    ax.plot(lengths, shares.mean(axis=0), style, marker="o", markersize=3.5, color=colour, label=label)
    ax.fill_between(lengths, lowest, highest, color=colour, alpha=0.15, linewidth=0)
    return {
        "model": np.repeat(label, len(lengths)),
        "length": lengths,
        "all clauses right": shares.mean(axis=0),
        "low": lowest,
        "high": highest,
        "all values right": curve(run, *model, "values").mean(axis=0),
        "single steps right": curve(run, *model, "step").mean(axis=0),
    }


def _finish(ax: Any, run: RunResult, title: str) -> None:
    ax.set_xscale("log", base=2)
    ax.set_xticks(run.config.lengths, [str(length) for length in run.config.lengths])
    ax.minorticks_off()
    ax.set(xlabel="length L (steps)", ylim=(-0.02, 1.02), title=title)
    legend(ax, fontsize=7)


def _joined(tables: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def setting(run: RunResult) -> str:
    made = run.config
    return (
        f"{made.task.variables} variables, {made.sequences} training sentences, {made.steps} steps of Adam at rate "
        f"{made.rate:g}, batch {made.batch}, width {made.model.width} a slot, {made.model.hidden} neurons; "
        f"{len(made.seeds)} seeds, {made.test_sentences} test sentences a length and seed. All clauses right, variable "
        "and value, in one teacher-forced pass: the same sentences as those the greedy rollout gets right. Bands: the "
        "extremes of the seeds and of the pooled 95 % Wilson interval."
    )


def render_1a(results: Results) -> Artefact:
    figure, axes = new_figure(1, 2, width=9.6, height=3.6, sharey=True)
    tables = []
    for ax, regime in zip(axes, REGIMES, strict=True):
        for symmetric, colour in zip((False, True), CYCLE, strict=False):
            run = run_of(results, symmetric, regime)
            name, first = run.config.task.action, run.config.task.length
            found = [_draw(ax, run, ("base", first), name, colour)]
            found.append(_draw(ax, run, ("untrained", 0), f"{name}, untrained", colour, ":"))
            tables += [{"regime": np.repeat(regime, len(one["length"])), **one} for one in found]
            ax.axvline(first, color=GREY, linestyle="--", linewidth=1)
        _finish(ax, run_of(results, True, regime), f"Figure 1a: {REGIMES[regime]}")
    axes[0].set_ylabel("all clauses right")
    return Artefact(figure, _joined(tables), f"Dashed: the training length. {setting(run_of(results, True))}")


def render_1b(results: Results) -> Artefact:
    run, goal = run_of(results, True, "diluted"), run_of(results, False, "diluted")
    figure, ax = new_figure(width=6.0, height=3.9)
    tables = []
    for model, colour in zip(_stages(run), CYCLE, strict=False):
        name = "before" if model[0] == "base" else f"self-trained to {model[1]}"
        tables.append(_draw(ax, run, model, f"{run.config.task.action}, {name}", colour))
        ax.axvline(model[1], color=colour, linestyle="--", linewidth=0.8)
    last = _last_stage(run)
    action_name, first = run.config.task.action, run.config.task.length
    tables.append(_draw(ax, run, ("true", last), f"{action_name}, true labels to {last}", GREY, "-."))
    tables.append(_draw(ax, run, ("short", first), f"{action_name}, as many steps at {first}", GREY, ":"))
    name = f"{goal.config.task.action}, trained at {first}"
    tables.append(_draw(ax, goal, ("base", goal.config.task.length), name, "black", ":"))
    ax.set_ylabel("all clauses right")
    _finish(ax, run, "Figure 1b: self-training at doubled lengths")
    shares = run.arrays["labels.sentences"].mean(axis=0)
    labels = ", ".join(f"{length}: {share:.3f}" for length, share in zip(run.config.stages, shares, strict=True))
    caption = f"Sentences whose own labels were all right, by stage: {labels}. {run.config.stage_steps} steps a stage. "
    return Artefact(figure, _joined(tables), caption + setting(run))


def sharp_runs(scale: Scale) -> tuple[LengthTraining, ...]:
    return tuple(length_training(scale, symmetric) for symmetric in (False, True))


def diluted_runs(scale: Scale) -> tuple[LengthTraining, ...]:
    return tuple(length_training(scale, symmetric, "diluted") for symmetric in (True, False))


def all_runs(scale: Scale) -> tuple[LengthTraining, ...]:
    return tuple(dict.fromkeys((*sharp_runs(scale), *diluted_runs(scale))))


EXPERIMENTS = (
    Experiment(
        id="lego/fig-1a",
        title="Length generalization of two actions",
        grid=all_runs,
        claims=(FIGURE_1A,),
        render=render_1a,
    ),
    Experiment(
        id="lego/fig-1b",
        title="Self-training moves the curve",
        grid=diluted_runs,
        claims=(FIGURE_1B, FIGURE_1B_MATCH),
        render=render_1b,
    ),
)
