"""Figure 8: how often noise is predicted, trained with it from scratch or after clean training."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, near
from lemmata.papers.association.claims._drawing import long_table, setting
from lemmata.papers.association.claims._recall_runs import fine_tuned_run, main_run
from lemmata.papers.association.probe.readings import at_end, early_peak, learned_something
from lemmata.report.plots import COLOURS, band, ceiling, legend, new_figure

FIRST_STEPS = 20  # "the first few (~5) steps", with room for a slower learner
CURVES = {
    "full.noise": ("noise, mean probability", "vermillion"),
    "full.noise_fraction": ("noise, share of positions", "orange"),
    "full.correct": ("correct, mean probability", "blue"),
    "full.accuracy": ("correct, share of positions", "sky"),
}


class Training(NamedTuple):
    """The two runs, and the phase of theirs that is read: 0 is without noise, 1 with it."""

    scratch: RunResult
    tuned: RunResult
    phase: int = 1


def end(run: RunResult, phase: int) -> float:
    return at_end(run, "full.noise", phase).mean()


def peak(run: RunResult, phase: int) -> float:
    return early_peak(run, "full.noise_fraction", FIRST_STEPS, phase).mean()


def draw(runs: Runs) -> Artefact:
    shown = {"from scratch": runs["main"], "fine-tuned": runs["fine-tuned"]}
    figure, axes = new_figure(2, 2)
    table = {}
    for column, (name, run) in enumerate(shown.items()):
        for row, until in enumerate((np.inf, 60)):
            ax = axes[row, column]
            for what, (label, colour) in CURVES.items():
                steps, values = table[f"{name}: {label}"] = run.curve(what, phase=1)
                band(ax, steps[steps <= until], values[:, steps <= until], label, color=COLOURS[colour])
            ceiling(ax, run.config.task.alpha, f"α = {run.config.task.alpha:g}")
            title = f"{name}, noisy steps" if row == 0 else f"{name}, the first steps"
            ax.set(xlabel="step", ylim=(-0.02, 1.02), title=title)
    legend(axes[1, 0], fontsize=7, loc="center right", bbox_to_anchor=(1.0, 0.75))
    caption = (
        "How often the noise token and the correct one are predicted on clean test data, as mean probability and as "
        "the share of positions where it is the likeliest token (at α = 1/2 that share is a coin flip in the end). "
        f"Left: noisy data from the start; right: after {runs['fine-tuned'].config.clean_steps} clean steps. "
        + setting(runs["main"])
    )
    return Artefact(figure, long_table(table), caption)


EXPERIMENT = Experiment(
    title="How often noise is predicted, from scratch and in fine-tuning",
    runs=lambda scale: {"main": main_run(scale), "fine-tuned": fine_tuned_run(scale)},
    needs={"main": learned_something, "fine-tuned": learned_something},
    claims=(
        Claim(
            id="fig-8",
            locus="Appendix B.1, Figure 8",
            statement="Trained on noisy data, from scratch or after clean pre-training, the model ends up predicting "
            "noise with probability near α = 1/2, and in the first few steps it predicts noise almost always: noise is "
            f"its likeliest token at most test positions at some record of the first {FIRST_STEPS} steps.",
            subject=lambda runs: Training(runs["main"], runs["fine-tuned"]),
            wrong=lambda runs: Training(runs["fine-tuned"], runs["fine-tuned"], phase=0),  # training without noise
            parts={
                "from scratch, at the end": Part(
                    lambda of: end(of.scratch, of.phase), near(lambda runs: runs["main"].config.task.alpha, atol=0.05)
                ),
                "from scratch, early peak": Part(lambda of: peak(of.scratch, of.phase), at_least(0.9)),
                "fine-tuned, at the end": Part(
                    lambda of: end(of.tuned, of.phase),
                    near(lambda runs: runs["fine-tuned"].config.task.alpha, atol=0.05),
                ),
                "fine-tuned, early peak": Part(lambda of: peak(of.tuned, of.phase), at_least(0.9)),
            },
        ),
    ),
    draw=draw,
)
