"""The drawing of self-training: accuracy by length and by time, in both metrics, and attention by stage."""

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, RunResult, Runs
from lemmata.papers.lego.claims._theory_runs import AfterStage, every_stage, last_stage, most_accurate, stages_of
from lemmata.report.plots import COLOURS, band, ceiling, joined, legend, letter, new_figure

SHADES = (COLOURS["vermillion"], COLOURS["orange"], COLOURS["yellow"], COLOURS["green"])
SHOWN = ("length", "seed", "probability", "both", "values", "epsilon_worst_step")


def curves(runs: Runs) -> list[tuple[str, AfterStage, str]]:
    """Label, model and colour: the simply transitive action's, the symmetric one's by stage, and T^2 alone."""
    one, other = runs["transitive"], runs["symmetric"]
    name = other.config.action
    found = [(f"{one.config.action}, T²", last_stage(one, "T2"), COLOURS["blue"])]
    found.append((f"{name}, T²", last_stage(other, "T2"), SHADES[0]))
    for model, stage, colour in zip(every_stage(other, "self"), stages_of(other, "self"), SHADES[1:] * 3, strict=False):
        found.append((f"{name}, self-trained to {stage.length}", model, colour))
    if any(plan.name == "T2 sum" for plan in other.config.plans):
        found.append((f"{name}, T², as long as {one.config.action}", last_stage(other, "T2 sum"), "#555555"))
    return found


def draw(runs: Runs) -> Artefact:
    one, other = runs["transitive"], runs["symmetric"]
    figure, axes = new_figure(1, 3, width=14.5, height=4.0)
    by_length, by_time, by_stage = axes
    tables = []
    for label, model, colour in curves(runs):
        lengths = model.run.config.lengths
        for measure, line in (("probability", "-"), ("both", ":")):
            scale = most_accurate(model.run) if measure == "probability" else 1.0
            values = model.column(measure).reshape(-1, len(lengths)) / scale
            band(by_length, lengths, values, label if line == "-" else None, color=colour, linestyle=line)
        found = {name: model.column(name) for name in SHOWN}
        tables.append({"curve": [label] * len(found["length"]), **found})
    longest = max(set(one.config.lengths) & set(other.config.lengths))
    for run, plan, colour in ((one, "T2", COLOURS["blue"]), (other, "T2 sum", "#555555")):
        if any(p.name == plan for p in run.config.plans):
            _over_time(by_time, every_stage(run, plan), longest, run.config.action, colour)
    _by_stage(by_stage, other)
    by_length.set(xlabel="length of the chain", ylabel="share", ylim=(-0.03, 1.05), title="accuracy by length")
    by_time.set(xscale="log", xlabel="time on T² (rate times steps)", ylim=(-0.03, 1.05), title=f"at length {longest}")
    by_stage.set(xscale="log", yscale="log", xlabel="length of the stage", ylabel="attention elsewhere, worst step")
    for ax in (by_length, by_time):
        ceiling(ax, 1.0)
    legend(by_length, fontsize=6.5, loc="lower left")
    for ax in (by_time, by_stage):
        if ax.lines:
            legend(ax, fontsize=7)
    letter(axes)
    return Artefact(figure, joined(tables), _caption(other))


def _over_time(ax: Axes, models: list[AfterStage], length: int, name: str, colour: str) -> None:
    times = [model.time for model in models]
    band(ax, times, np.array([m.accuracy(length) for m in models]).T, f"{name}, Acc (5)", color=colour, marker="o")
    band(ax, times, np.array([m.greedy(length) for m in models]).T, f"{name}, greedy", color=colour, linestyle=":")


def _by_stage(ax: Axes, run: RunResult) -> None:
    """ε at a stage's own length, after it and before it."""
    after = every_stage(run, "self")
    lengths = [stage.length for stage in stages_of(run, "self")]
    before = [last_stage(run, "T2"), *after[:-1]]
    for models, label, colour in ((before, "before the stage", COLOURS["purple"]), (after, "after it", SHADES[1])):
        values = np.array([m.column("epsilon_worst_step", length=n) for m, n in zip(models, lengths, strict=True)]).T
        band(ax, lengths, values, label, color=colour, marker="o")


def _caption(run: RunResult) -> str:
    config = run.config
    labels = min(float(run.arrays[f"self.{m.stage}.labels_right_mean"].min()) for m in every_stage(run, "self"))
    return (
        f"Theory model, d = {config.model_config().vocab}, m = {config.width}, C_B = {config.clip:g}; "
        f"{len(config.seeds)} seeds, {config.test_sentences} sentences each; bands are one standard deviation. (a, b) "
        "Solid: Acc (5), the mean chance that a sampled clause is right, over what the clip allows; dotted: greedy "
        "rollouts that are right to the end. Where they part, the argmax is right and its probability small. (c) "
        f"Equation (19). The annotator of a stage is the model of the stage before, frozen; of its labels at least "
        f"{labels:.3f} are right."
    )
