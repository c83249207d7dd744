"""Figure 1b: self-training at doubled lengths moves the symmetric action's curve."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Undecided, at_least, rises
from lemmata.papers.lego.claims._length_curves import (
    FALLEN,
    Model,
    base,
    draw_curve,
    finish,
    joined,
    learned,
    longer,
    setting,
    stages,
    told,
)
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.length_training import BASE, length_runs
from lemmata.report.plots import CYCLE, GREY, new_figure

GAIN = 0.4  # of the sentences twice as long as the last stage's, from the first model to the last
SHIFT = 0.02  # a curve's mean over lengths may fall by so much in one stage
NEEDS = {"transitive/diluted": learned, "symmetric/diluted": learned}


def self_trained(runs: Runs) -> RunResult:
    run = runs["symmetric/diluted"]
    if not run.config.stages:
        raise Undecided("the run has no stages of self-training")
    return run


class Sequence(NamedTuple):
    """Models one after another, and the length that no stage has shown."""

    models: list[Model]
    length: int

    @property
    def means(self) -> np.ndarray:
        return np.array([model.curve().mean() for model in self.models])

    @property
    def gain(self) -> float:
        return self.models[-1].at(self.length) - self.models[0].at(self.length)


def sequence(runs: Runs, short: bool = False) -> Sequence:
    run = self_trained(runs)
    length = 2 * run.config.stages[-1]
    first = base(run).at(length)
    if first > 1 - GAIN:
        raise Undecided(f"the first model already answers {first:.2f} at length {length}: nothing to repair")
    return Sequence([base(run), longer(run)] if short else stages(run), length)


def labels(runs: Runs) -> str:
    run = self_trained(runs)
    shares = run.arrays["labels.sentences"].mean(axis=0)
    return ", ".join(f"{length}: {share:.3f}" for length, share in zip(run.config.stages, shares, strict=True))


def remark(runs: Runs) -> str:
    models, length = sequence(runs)
    moved = " to ".join(f"{model.at(length):.2f}" for model in models)
    return (
        f"The stages move length {length} from {moved}; true labels give {told(self_trained(runs)).at(length):.2f}. "
        f"Sentences whose own labels were all right, by stage: {labels(runs)}; the model learns the wrong ones too."
    )


FIGURE_1B = Claim(
    id="fig-1b",
    locus="Section 7, Figure 1b",
    statement="Each stage of self-training at doubled lengths moves the symmetric action's curve to the right. (Share "
    "of sentences with all clauses right: its mean over test lengths, and from the first model to the last at twice "
    "the last stage's length.)",
    subject=sequence,
    wrong=lambda runs: sequence(runs, short=True),  # as many steps at the first length alone
    parts={
        "mean over lengths, stage by stage": Part(lambda found: found.means, rises(SHIFT)),
        "gain at twice the last stage": Part(lambda found: found.gain, at_least(GAIN)),
    },
    needs=NEEDS,
    remark=remark,
)


class Gap(NamedTuple):
    reached: Model
    goal: Model

    @property
    def at_the_longest(self) -> float:
        if self.goal.longest < FALLEN:
            length = self.goal.run.config.lengths[-1]
            raise Undecided(f"the simply transitive action itself fails at length {length}: there is nothing to match")
        return self.reached.longest - self.goal.longest


FIGURE_1B_MATCH = Claim(
    id="fig-1b-match",
    locus="Section 7, Figure 1b and its discussion",
    statement="After the last stage the symmetric action matches the simply transitive one up to the longest test "
    "length. (The difference of the shares of sentences answered there.)",
    subject=lambda runs: Gap(stages(self_trained(runs))[-1], base(runs["transitive/diluted"])),
    wrong=lambda runs: Gap(base(self_trained(runs)), base(runs["transitive/diluted"])),
    parts=Part(lambda gap: gap.at_the_longest, at_least(-0.1)),
    needs=NEEDS,
)


def draw(runs: Runs) -> Artefact:
    run, goal = self_trained(runs), base(runs["transitive/diluted"])
    name, first, last = run.config.task.action, run.config.task.length, run.config.stages[-1]
    figure, ax = new_figure(width=6.0, height=3.9)
    tables = []
    for model, colour in zip(stages(run), CYCLE, strict=False):
        label = "before" if model.branch == BASE else f"self-trained to {model.trained_at}"
        tables.append(draw_curve(ax, model, f"{name}, {label}", colour))
        ax.axvline(model.trained_at, color=colour, linestyle="--", linewidth=0.8)
    tables.append(draw_curve(ax, told(run), f"{name}, true labels to {last}", GREY, "-."))
    tables.append(draw_curve(ax, longer(run), f"{name}, as many steps at {first}", GREY, ":"))
    tables.append(draw_curve(ax, goal, f"{goal.run.config.task.action}, trained at {goal.trained_at}", "black", ":"))
    ax.set_ylabel("all clauses right")
    finish(ax, run, "Figure 1b: self-training at doubled lengths")
    caption = (
        f"Sentences whose own labels were all right, by stage: {labels(runs)}. {run.config.stage_steps} steps a stage. "
    )
    return Artefact(figure, joined(tables), caption + setting(run))


EXPERIMENT = Experiment(
    title="Self-training moves the curve",
    runs=lambda scale: length_runs(scale, "diluted"),
    needs=FAMILIES,
    claims=(FIGURE_1B, FIGURE_1B_MATCH),
    draw=draw,
)
