"""Algebra alone: actions on the same points, or of the same order, in worlds with the same vocabulary."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Scale, Undecided
from lemmata.core.legacy import AtLeast, Claim, Each, Experiment, Monotone, Results
from lemmata.papers.lego.run.regime import RegimeCells
from lemmata.papers.lego.task import action
from lemmata.report.plots import COLOURS, legend, new_figure, panel_label

FIVE_POINTS = ("C5", "D5", "F5", "A5", "S5")  # stabilizers of 1, 2, 4, 12, 24 elements
ORDER_TWELVE = ("C12", "A4:self", "D6", "A4")  # of 1, 1, 2, 3
VOCABULARY = {"five": 167, "twelve": 66}  # d, so that B, the bias and the silent tokens agree within a family


def family(name: str, scale: Scale) -> tuple[RegimeCells, ...]:
    """The actions of a family at one setting; |X| fills the vocabulary up to the same d."""
    if scale.name == "smoke":
        return tuple(RegimeCells.smallest(member) for member in (("C3", "S3") if name == "five" else ()))
    paper, five = scale.name == "paper", name == "five"
    laptop = ("C5", "S5") if five else ("A4:self", "A4")
    found = []
    for member in (FIVE_POINTS if five else ORDER_TWELVE) if paper else laptop:
        actions, values = action(member).table.shape
        found.append(
            RegimeCells(
                action=member,
                variables=VOCABULARY[name] - actions - values - 1,
                widths=(12 if five else 32,),  # a class of A4 on itself has twelve combinations to learn
                steps=400,  # later every action reaches the end of the grid
                every=200,
                one_step_steps=20_000 if paper else 8000,
                lengths=(2, 4, 8, 12, 18, 27, 40),
                test_sentences=256 if paper else 64,
                seeds=scale.seeds(smoke=1, laptop=2, paper=5),
            )
        )
    return tuple(found)


def members(results: Results, names: tuple[str, ...]) -> list[RunResult]:
    """In the order of their stabilizers."""
    runs = [run for run in results.where(RegimeCells) if run.config.action in names]
    return sorted(runs, key=lambda run: (stabilizer(run), names.index(run.config.action)))


def stabilizer(run: RunResult) -> int:
    return action(run.config.action).stabilizer_size


def reached(run: RunResult, step: int | None = None) -> np.ndarray:
    """By seed."""
    return run.column("reached", step=run.config.steps if step is None else step)


def _decides(results: Results, step: int | None) -> Any:
    five, twelve = members(results, FIVE_POINTS), members(results, ORDER_TWELVE)
    if results.scale.name == "smoke":
        return Undecided("at smoke scale stage 1 has not learned the actions yet")
    if any(np.any(run.arrays["one_step.value.accuracy"] < 1 - 1e-6) for run in (*five, *twelve)):
        unlearned = [
            r.config.action for r in (*five, *twelve) if np.any(r.arrays["one_step.value.accuracy"] < 1 - 1e-6)
        ]
        return Undecided(f"stage 1 did not reach accuracy 1 in every seed of {', '.join(unlearned)}")
    for name, runs in (("on five points", five), ("of order twelve", twelve)):
        if all(np.all(reached(run, step) >= max(run.config.lengths)) for run in runs):
            return Undecided(f"every action {name} reaches the longest chain that is asked for")
    lengths = [float(reached(run, step).mean()) for run in five]
    free = [float(reached(run, step).mean()) for run in twelve if stabilizer(run) == 1]
    bound = [float(reached(run, step).mean()) for run in twelve if stabilizer(run) > 1]
    ratio = min(free) / max(max(bound), 1.0)
    return {
        "five points, by growing stabilizer": lengths,
        "order twelve, free over not free": ratio,
    }


STABILIZER = Claim(
    id="lego/stabilizer",
    locus="Section 1.1 (stabilizers), Section 5 (distractors)",
    statement="The stabilizer decides: with points, vocabulary and training equal, the length reached falls as the "
    "stabilizer grows. Rule: on five points the mean length reached never rises with the stabilizer by more than 2; at "
    "order twelve every simply transitive action reaches at least as far as every other. Values, "
    "teacher-forced; the variable (token 4) is not judged. Control: untrained attention.",
    predict=lambda results: {
        "five points, by growing stabilizer": "decreasing",
        "order twelve, free over not free": 1.0,
    },
    measure=lambda results: _decides(results, None),
    control=lambda results: _decides(results, 0),
    check=Each(
        {
            "five points, by growing stabilizer": Monotone(slack=2.0),
            "order twelve, free over not free": AtLeast(),
        }
    ),
    remark="Our reading of the paper's mechanism (a distractor needs a stabilizer), not a statement it prints. With "
    "the vocabulary equal the stabilizer does not decide: S₅ reaches about as far as C₅, and A₄ on four points farther "
    "than A₄ on itself, the same group with a trivial stabilizer. Usually d grows with |G| too.",
)


def draw(results: Results) -> Artefact:
    groups = {"on five points": FIVE_POINTS, "of order twelve": ORDER_TWELVE}
    figure, axes = new_figure(1, 2, width=9.5, height=3.6)
    table: dict[str, list[Any]] = {
        "family": [], "action": [], "stabilizer": [], "variables": [], "step": [], "seed": [], "reached": [],
        "one_step_accuracy": [],
    }  # fmt: skip
    colours = (COLOURS["sky"], COLOURS["blue"], COLOURS["purple"], "#333333")
    for ax, (title, names) in zip(axes, groups.items(), strict=True):
        runs = members(results, names) or list(results.where(RegimeCells))
        places = np.arange(len(runs))
        steps = [step for step in (200, 400, 800, 1600) if step <= runs[0].config.steps] or [runs[0].config.steps]
        for step, colour in zip(steps, colours, strict=False):
            values = [reached(run, step) for run in runs]
            ax.plot(places, [v.mean() for v in values], "o-", color=colour, label=f"{step} steps", markersize=4)
            for place, run, value in zip(places, runs, values, strict=True):
                ax.plot(np.full(len(value), place), value, ".", color=colour, alpha=0.5, markersize=4)
                for seed, one in zip(run.config.seeds, value, strict=True):
                    row = (title, run.config.action, stabilizer(run), run.config.variables, step, seed, float(one))
                    row += (float(run.arrays["one_step.value.accuracy"].min()),)
                    for name, item in zip(table, row, strict=True):
                        table[name].append(item)
        ax.set_xticks(places, [f"{run.config.action}\n{stabilizer(run)}" for run in runs])
        ax.set(xlabel="action, and the size of its stabilizer", ylabel="length reached", title=title, ylim=(0, None))
        legend(ax, fontsize=7)
    panel_label(axes[0], "a")
    panel_label(axes[1], "b")
    seeds = len(next(iter(results.where(RegimeCells))).config.seeds)
    caption = (
        "Length reached after T¹ and T² (all values right, teacher-forced, in 0.9 of the sentences, up to 40) by "
        "actions in worlds of "
        f"one vocabulary size each; σ₀ = 0.02, C_B = 2, rate 0.2 |X|. Line: mean of {seeds} seeds; dots: seeds. |X| "
        "makes up for the size of the group. All seeds are tested on the same sentences."
    )
    return Artefact(figure, table, caption)


EXPERIMENTS = (
    Experiment(
        id="lego/stabilizer",
        title="Does the stabilizer decide?",
        grid=lambda scale: (*family("five", scale), *family("twelve", scale)),
        claims=(STABILIZER,),
        render=draw,
    ),
)
