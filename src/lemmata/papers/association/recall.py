"""Noisy recall along training: Figure 3, the order in which things are learned, Figure 8 and Figure 10."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Scale, Undecided
from lemmata.core.legacy import AtLeast, AtMost, Claim, Close, Each, Experiment, Monotone, Results
from lemmata.papers.association.probe.answers import rank_name
from lemmata.papers.association.probe.readings import (
    at_end,
    curve,
    early_peak,
    first_step_over,
    long_table,
    trained,
)
from lemmata.papers.association.run.recall_training import RecallTraining, fine_tuned_run, main_run
from lemmata.report.plots import COLOURS, CYCLE, band, ceiling, legend, new_figure, panel_label

PAPER_CORRECT = 0.98  # Figure 3's caption: the correct token's probability without F_2
FIRST_STEPS = 20  # "the first few (~5) steps" of Figure 8, with room for a slower learner
HIGH = 2 / 3  # a "high probability": twice everything else together
EDITS = {"full": "full model", "without_F2": "without F₂", "without_F1": "without F₁"}


def main_result(results: Results) -> RunResult:
    return results.where(RecallTraining, clean_steps=0).runs[0]


def fine_tuned_result(results: Results) -> RunResult:
    return next(run for run in results.where(RecallTraining) if run.config.clean_steps > 0)


# Figure 3


def _figure_3(results: Results, full: str, dropped: str, ranks: slice) -> dict[str, Any]:
    run = main_result(results)
    return {
        "full model, noise": at_end(run, f"{full}.noise").mean(),
        "without F₂, correct": at_end(run, f"{dropped}.correct").mean(),
        "without F₂, noise": at_end(run, f"{dropped}.noise").mean(),
        "correct, rank 0 to full": run.arrays["sweep.correct"].mean(axis=0)[ranks],
    }


FIGURE_3 = Claim(
    id="association/fig-3",
    locus="Section 3, Figure 3, left three panels",
    statement="Trained with noise α = 1/2, the full model gives the noise token a probability near α on clean data; "
    "with F₂ dropped it gives the correct token almost all of it (the paper: about 0.98), and keeping more of the "
    "rank of F₂'s input matrix brings the noise back. Rule at every scale: noise within 0.05 of α; without F₂ "
    "correct at least 0.8 and noise at most 0.1; the correct probability falls with the rank kept, within 0.05.",
    predict=lambda results: {
        "full model, noise": main_result(results).config.task.alpha,
        "without F₂, correct": 0.8,
        "without F₂, noise": 0.1,
        "correct, rank 0 to full": "decreasing",
    },
    measure=lambda results: trained(results, _figure_3(results, "full", "without_F2", slice(None))),
    # The two models exchanged: the full one is read where F_2 should have been dropped, and the ranks backwards.
    control=lambda results: _figure_3(results, "without_F2", "full", slice(None, None, -1)),
    check=Each(
        {
            "full model, noise": Close(atol=0.05),
            "without F₂, correct": AtLeast(),
            "without F₂, noise": AtMost(),
            "correct, rank 0 to full": Monotone(slack=0.05),
        }
    ),
)


def _margin_lead(results: Results, column: str) -> Any:
    run = main_result(results)
    rise = first_step_over(run, "full.correct", 0.1)
    if not np.isfinite(rise).all():
        return Undecided("the correct token's probability never passes 0.1: the run is too short")
    positive = first_step_over(run, column, 0.0)
    steps, values = curve(run, column)
    after = [one[steps >= since] > 0 for one, since in zip(values, positive, strict=True)]
    return {
        "steps ahead": float((rise - positive).min()),
        "positive afterwards": min(float(one.mean()) if one.size else 0.0 for one in after),
    }


FIGURE_3_MARGIN = Claim(
    id="association/fig-3-margin",
    locus="Section 3, Figure 3, rightmost panel",
    statement="F₂ alone, fed the bare trigger, favours the noise token over all others from the early steps on: its "
    "margin is positive before the correct token's probability passes 0.1, in every seed, and stays so (rule: at 0.95 "
    "of the later records).",
    predict=lambda results: {"steps ahead": 1.0, "positive afterwards": 0.95},
    measure=lambda results: trained(results, _margin_lead(results, "margin")),
    control=lambda results: _margin_lead(results, "margin_of_another"),  # the same margin of a token that is not noise
    check=Each({"steps ahead": AtLeast(), "positive afterwards": AtLeast()}),
)


def _lead(results: Results, early: str, late: str) -> Any:
    run = main_result(results)
    passes = first_step_over(run, late, 0.1)
    if results.scale.name == "smoke" or not np.isfinite(passes).all():
        return Undecided("the correct token's probability never passes 0.1: the run is too short")
    return float((passes - first_step_over(run, early, 0.5)).min())


NOISE_FIRST = Claim(
    id="association/noise-first",
    locus="Section 3, experimental results",
    statement="The noise is learned first: its probability is over 1/2 before the correct token's passes 0.1, in "
    "every seed (the measured number is the smallest lead in steps).",
    predict=lambda results: 1.0,
    measure=lambda results: _lead(results, "full.noise", "full.correct"),
    control=lambda results: _lead(results, "full.correct", "full.noise"),  # the two tokens exchanged
    check=AtLeast(),
)


def render_figure_3(results: Results) -> Artefact:
    run = main_result(results)
    config = run.config
    figure, axes = new_figure(1, 4, width=14.0, height=3.3)
    inner = [fraction for fraction in config.fractions if 0 < fraction < 1]
    names = {"without_F2": "ρ = 0"} | {rank_name(f): f"ρ = {f:g}" for f in inner} | {"full": "ρ = 1"}
    colours = dict(zip(names, _shades(len(names)), strict=True))
    titles = {
        "correct": "probability of the correct token",
        "noise": "probability of noise",
        "clean_loss": "clean loss",
    }
    table = {}
    for ax, (what, title) in zip(axes, titles.items(), strict=False):
        for name, label in names.items():
            steps, values = table[f"{label} {what}"] = curve(run, f"{name}.{what}")
            band(ax, steps, values, label, color=colours[name])
        ax.set(xlabel="step", title=title)
    ceiling(axes[0], PAPER_CORRECT)
    ceiling(axes[1], config.task.alpha)
    axes[0].set_ylim(-0.02, 1.02)
    axes[1].set_ylim(-0.02, 1.02)
    table["margin"] = curve(run, "margin")
    band(axes[3], *table["margin"], "τ, the noise token", color=COLOURS["vermillion"])
    band(axes[3], *curve(run, "margin_of_another"), "another token", color=COLOURS["sky"])
    ceiling(axes[3], 0.0)
    axes[3].set(xlabel="step", title="margin of F₂ at the trigger", ylabel="logits")
    for letter, ax in zip("abcd", axes, strict=True):
        panel_label(ax, letter)
    legend(axes[2], loc="upper right", fontsize=7.5)
    axes[0].annotate("paper, ρ = 0", (0, PAPER_CORRECT), (2, -9), textcoords="offset points", fontsize=7)
    legend(axes[3], loc="best")
    caption = (
        f"Average probability of the correct (a) and the noise token (b) and the loss (c) on clean data, for "
        f"fractions ρ of the rank kept in U_in of F₂; (d) the margin of a token in F₂'s output at the bare "
        f"trigger. {setting(run)} Read at triggers that occurred three times before, where the answer has been shown: "
        f"the ceiling of (a) is 1 (at the last position of all sequences it is {np.ravel(run.arrays['shown'])[0]:.3f})."
    )
    return Artefact(figure, long_table(table), caption)


def _shades(count: int) -> list[str]:
    """From the truncated (blue) to the full model (vermillion), greys between."""
    middle = [f"{0.2 + 0.6 * i / max(count - 3, 1):.2f}" for i in range(count - 2)]
    return [COLOURS["blue"], *middle, COLOURS["vermillion"]]


def setting(run: RunResult) -> str:
    config = run.config
    task, seeds = config.task, len(config.seeds)
    spread = f"Mean and one standard deviation of {seeds} seeds." if seeds > 1 else "One seed."
    return (
        f"N = {task.symbols}, T = {task.length}, d = {config.model.width}, batch {config.batch}, "
        f"α = {task.alpha:g}. {spread}"
    )


# Figure 8


def _figure_8(results: Results, phase: int) -> dict[str, Any]:
    scratch, tuned = main_result(results), fine_tuned_result(results)
    first = scratch if phase == 1 else tuned
    return {
        "from scratch, at the end": at_end(first, "full.noise", phase).mean(),
        "from scratch, early peak": early_peak(first, "full.noise_fraction", FIRST_STEPS, phase).mean(),
        "fine-tuned, at the end": at_end(tuned, "full.noise", phase).mean(),
        "fine-tuned, early peak": early_peak(tuned, "full.noise_fraction", FIRST_STEPS, phase).mean(),
    }


FIGURE_8 = Claim(
    id="association/fig-8",
    locus="Appendix B.1, Figure 8",
    statement="Trained on noisy data, from scratch or after clean pre-training, the model ends up predicting noise "
    "with probability near α = 1/2 (within 0.05), and in the first few steps it predicts noise almost always: noise "
    f"is its likeliest token at 0.9 of the test positions or more at some record of the first {FIRST_STEPS} steps.",
    predict=lambda results: {
        name: 0.9 if "peak" in name else main_result(results).config.task.alpha for name in _figure_8(results, 1)
    },
    measure=lambda results: trained(results, _figure_8(results, 1)),
    control=lambda results: _figure_8(results, 0),  # the same steps of training without noise
    check=Each(
        {
            "from scratch, at the end": Close(atol=0.05),
            "from scratch, early peak": AtLeast(),
            "fine-tuned, at the end": Close(atol=0.05),
            "fine-tuned, early peak": AtLeast(),
        }
    ),
)


def render_figure_8(results: Results) -> Artefact:
    runs = {"from scratch": main_result(results), "fine-tuned": fine_tuned_result(results)}
    figure, axes = new_figure(2, 2)
    table = {}
    for column, (name, run) in enumerate(runs.items()):
        for row, until in enumerate((np.inf, 60)):
            ax = axes[row, column]
            for what, label, colour in (
                ("full.noise", "noise, mean probability", COLOURS["vermillion"]),
                ("full.noise_fraction", "noise, share of positions", COLOURS["orange"]),
                ("full.correct", "correct, mean probability", COLOURS["blue"]),
                ("full.accuracy", "correct, share of positions", COLOURS["sky"]),
            ):
                steps, values = curve(run, what)
                table[f"{name}: {label}"] = (steps, values)
                band(ax, steps[steps <= until], values[:, steps <= until], label, color=colour)
            ceiling(ax, run.config.task.alpha, f"α = {run.config.task.alpha:g}")
            title = f"{name}, noisy steps" if row == 0 else f"{name}, the first steps"
            ax.set(xlabel="step", ylim=(-0.02, 1.02), title=title)
    legend(axes[1, 0], fontsize=7, loc="center right", bbox_to_anchor=(1.0, 0.75))
    caption = (
        "How often the noise token and the correct one are predicted on clean test data, as mean probability and as "
        "the share of positions where it is the likeliest token (at α = 1/2 that share is a coin flip in the end). "
        f"Left: noisy data from the start; right: after {runs['fine-tuned'].config.clean_steps} clean steps. "
        + setting(runs["from scratch"])
    )
    return Artefact(figure, long_table(table), caption)


# Figure 10


def _figure_10(results: Results, first: str, second: str) -> dict[str, Any]:
    run = main_result(results)
    noise, full = at_end(run, f"{first}.noise").mean(), at_end(run, "full.noise").mean()
    return {
        "without F₂, correct": at_end(run, f"{second}.correct").mean(),
        "without F₁, noise": noise,
        "without F₁, noise relative to full": noise / full,
    }


FIGURE_10 = Claim(
    id="association/fig-10",
    locus="Appendix B.5, Figure 10",
    statement="With two MLPs, dropping F₂ makes the model predict the correct token with probability near 1 (rule: at "
    "least 0.8), and dropping F₁ makes it predict noise with high probability (rule: at least 2/3, twice everything "
    "else, and more than the full model does).",
    predict=lambda results: {
        "without F₂, correct": 0.8,
        "without F₁, noise": HIGH,
        "without F₁, noise relative to full": 1.0,
    },
    measure=lambda results: trained(results, _figure_10(results, "without_F1", "without_F2")),
    control=lambda results: _figure_10(results, "without_F2", "without_F1"),  # the two layers exchanged
    check=Each(
        {
            "without F₂, correct": AtLeast(),
            "without F₁, noise": AtLeast(),
            "without F₁, noise relative to full": AtLeast(),
        }
    ),
    remark="At laptop scale (16 characters, d = 64) the direction is as printed but the size is not: without F₁ the "
    "noise probability is 1.2 times the full model's and levels off near 0.59 from step 500 on. At the paper's size it "
    "holds (0.75, 1.5 times the full model's).",
)


def render_dropping(run: RunResult, title: str) -> Artefact:
    """Probability of the correct and noise tokens and clean loss, for the full model and without each layer."""
    figure, axes = new_figure(1, 3)
    present = {name: label for name, label in EDITS.items() if f"{name}.correct" in run.metrics}
    titles = {
        "correct": "probability of the correct token",
        "noise": "probability of noise",
        "clean_loss": "clean loss",
    }
    table = {}
    for ax, (what, panel) in zip(axes, titles.items(), strict=True):
        for (name, label), colour in zip(present.items(), CYCLE, strict=False):
            steps, values = table[f"{label}: {what}"] = curve(run, f"{name}.{what}")
            band(ax, steps, values, label, color=colour)
        ax.set(xlabel="step", title=panel)
    ceiling(axes[1], run.config.task.alpha, f"α = {run.config.task.alpha:g}")
    for ax in axes[:2]:
        ax.set_ylim(-0.02, 1.02)
    legend(axes[0])
    caption = f"{title}, on clean test data; the answer has been shown, so the ceiling of the correct token is 1. "
    return Artefact(figure, long_table(table), caption + setting(run))


def _grid(*makers: Any) -> Any:
    def grid(scale: Scale) -> tuple[RecallTraining, ...]:
        return tuple(maker(scale) for maker in makers)

    return grid


EXPERIMENTS = (
    Experiment(
        id="association/fig-3",
        title="Dropping the second MLP leaves the correct answer",
        grid=_grid(main_run),
        claims=(FIGURE_3, FIGURE_3_MARGIN, NOISE_FIRST),
        render=render_figure_3,
    ),
    Experiment(
        id="association/fig-8",
        title="How often noise is predicted, from scratch and in fine-tuning",
        grid=_grid(main_run, fine_tuned_run),
        claims=(FIGURE_8,),
        render=render_figure_8,
    ),
    Experiment(
        id="association/fig-10",
        title="Dropping F₁ or F₂, both MLPs",
        grid=_grid(main_run),
        claims=(FIGURE_10,),
        render=lambda results: render_dropping(main_result(results), "Two MLPs, either dropped"),
    ),
)
