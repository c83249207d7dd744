"""Figure 8: how often noise is predicted, trained with it from scratch or after clean training."""

from typing import Any

import numpy as np

from lemmata.core import (
    SHARE,
    Artefact,
    Claim,
    Experiment,
    Part,
    Runs,
    Seeds,
    TooShort,
    Undecided,
    at_least,
    near,
    of_config,
)
from lemmata.papers.association.claims._drawing import setting
from lemmata.papers.association.claims._noise_level import AT_HALF, about_half
from lemmata.papers.association.claims._recall_runs import fine_tuned_run, main_run
from lemmata.papers.association.probe.readings import early_peak, learned_something, settled
from lemmata.report.plots import COLOURS, band, ceiling, legend_below, long_table, new_figure

LAST = 0.5  # of the noisy steps: the end's level is theirs
FIRST_STEPS = 10  # "the first few (~5) steps", and as many again
BELOW_AND_ABOVE = (
    "below 1/2 a model that keeps the context has no reason to say noise, above 1/2 noise is the likeliest to the end"
)
FEWEST = 128  # sequences a step, of those steps: in fewer the peak is the draw's
ALMOST_ALWAYS = 0.9


@of_config
def few_steps_tell(config: Any) -> Undecided | None:
    """In small batches ten steps are mostly noise: their peak then depends on the draw of a replication."""
    batch = config.batch
    few = f"in batches of {batch} a few steps tell little: those of {FEWEST} and more decide (the paper's are of 512)"
    return None if batch >= FEWEST else TooShort(few)


CURVES = {
    "full.noise": ("noise, mean probability", "vermillion"),
    "full.noise_fraction": ("noise, share of positions", "orange"),
    "full.correct": ("correct, mean probability", "blue"),
    "full.accuracy": ("correct, share of positions", "sky"),
}


def at_the_end(run: str) -> Part:
    """The noise's mean probability over the last half of the phase, in which it has its level."""
    return Part(
        lambda reading: Seeds(settled(reading[run], "full.noise", LAST, reading["phase"]), bounds=SHARE),
        near(lambda runs: runs[run].config.task.alpha, atol=0.05, over_seeds=True),
    )


def early(run: str) -> Part:
    return Part(
        lambda reading: Seeds(
            early_peak(reading[run], "full.noise_fraction", FIRST_STEPS, reading["phase"]), bounds=SHARE
        ),
        at_least(ALMOST_ALWAYS, over_seeds=True),
    )


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
            ax.set(xlabel="step", ylim=(-0.02, 1.02), title=f"{name}, {('noisy', 'the first')[row]} steps")
    legend_below(axes[1, 0], ncols=2)
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
            statement=r"Trained with noise $\alpha = 1/2$, from scratch or after clean pre-training, the model ends up "
            r"predicting noise with probability nearly $\alpha$. In the first few steps it predicts noise almost "
            f"always: it is the likeliest token at most test positions at some record of the first {FIRST_STEPS} "
            f"steps, in batches of {FEWEST} sequences and more.",
            needs=dict.fromkeys(("main", "fine-tuned"), (about_half(BELOW_AND_ABOVE), few_steps_tell)),
            wording=AT_HALF,
            subject=lambda runs: {"main": runs["main"], "fine-tuned": runs["fine-tuned"], "phase": 1},
            # The clean phase, which only the second run has.
            wrong=lambda runs: {"main": runs["fine-tuned"], "fine-tuned": runs["fine-tuned"], "phase": 0},
            parts={
                "from scratch, at the end": at_the_end("main"),
                "from scratch, early peak": early("main"),
                "fine-tuned, at the end": at_the_end("fine-tuned"),
                "fine-tuned, early peak": early("fine-tuned"),
            },
            remark="A small model with a small batch is slower to unlearn the context than the paper's, which peaks at "
            "about step 5. The laptop's sizes are ours.",
        ),
    ),
    draw=draw,
)
