"""Figure 13: no feed-forward layers at all; the rank of the first layer's W_O is cut instead."""

from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.association.claims._drawing import setting
from lemmata.papers.association.claims._recall_runs import main_run, recall_training
from lemmata.papers.association.probe.readings import at_fraction, learned_something
from lemmata.report.plots import COLOURS, band, ceiling, legend, letter, long_table, new_figure

VALUE_RANKS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)  # of W_O in layer 1, the figure's rho


class Cut(NamedTuple):
    """The model without feed-forward layers cut to two fractions of a rank, and the one with them."""

    alone: RunResult
    with_feeds: RunResult
    best: float = 0.05
    smaller: float = 0.01


def against_full(cut: Cut, fraction: float) -> float:
    return float(np.divide(at_fraction(cut.alone, fraction), at_fraction(cut.alone, 1.0)))


def relative_gain(cut: Cut) -> float:
    """What cutting W_O adds to the correct token's probability, over what dropping F_2 adds where there is one."""
    gain = at_fraction(cut.alone, cut.best) - at_fraction(cut.alone, 1.0)
    return float(np.divide(gain, at_fraction(cut.with_feeds, 0.0) - at_fraction(cut.with_feeds, 1.0)))


def draw(runs: Runs) -> Artefact:
    run = runs["attention only"]
    fractions = np.array(run.config.fractions)
    figure, axes = new_figure(1, 3)
    table: dict[str, Any] = {}
    for what, colour in (("correct", "blue"), ("noise", "vermillion"), ("clean_loss", "black")):
        label = what.replace("_", " ")
        if what != "clean_loss":
            steps, values = table[f"training, {label}"] = run.curve(f"full.{what}", phase=1)
            band(axes[0], steps, values, label, color=COLOURS[colour])
        _, values = table[f"rank, {label}"] = fractions, run.arrays[f"sweep.{what}"]
        ax = axes[2 if what == "clean_loss" else 1]
        band(ax, np.arange(len(fractions)), values, label, color=COLOURS[colour], marker="o")
    ceiling(axes[0], run.config.task.alpha, f"α = {run.config.task.alpha:g}")
    axes[0].set(xlabel="step", ylabel="probability", title="full model", ylim=(-0.02, 1.02))
    axes[1].set(ylabel="probability", title="W_O¹ cut, at the end", ylim=(-0.02, 1.02))
    axes[2].set(ylabel="loss", title="clean loss, at the end")
    for ax in axes[1:]:  # fractions are spaced evenly: they crowd near 0
        ax.set_xticks(range(len(fractions)), [f"{f:g}" for f in fractions])
        ax.set_xlabel("fraction ρ of the rank kept")
    legend(axes[0])
    letter(axes)
    ranks = ", ".join(f"{f:g}: {int(f * run.config.model.width + 1e-9)}" for f in fractions)
    caption = (
        f"No feed-forward layers. (a) Along training; (b, c) the trained model with W_O¹ cut to a fraction ρ of its "
        f"rank (ranks kept: {ranks}), on clean test data with ceiling 1. {setting(run)}"
    )
    return Artefact(figure, long_table(table, "step or ρ"), caption)


EXPERIMENT = Experiment(
    title="No feed-forward layers: cutting the rank of W_O¹",
    runs=lambda scale: {
        "attention only": recall_training(scale, ("none", "none"), truncated="blocks.0.output", fractions=VALUE_RANKS),
        "with MLPs": main_run(scale),
    },
    needs={"attention only": learned_something, "with MLPs": learned_something},
    claims=(
        Claim(
            id="fig-13",
            locus="Appendix B.5, Figure 13",
            statement="Without feed-forward layers, keeping the fraction ρ = 0.05 of the rank of W_O¹ makes the "
            "correct token a little more probable than the full model does, by clearly less than dropping a "
            "feed-forward layer does where there is one, and ρ = 0.01 destroys the model.",
            subject=lambda runs: Cut(runs["attention only"], runs["with MLPs"]),
            wrong=lambda runs: Cut(runs["attention only"], runs["with MLPs"], best=0.01, smaller=0.05),  # exchanged
            parts={
                "correct, ρ = 0.05 / full": Part(lambda cut: against_full(cut, cut.best), at_least(1.0)),
                "correct, ρ = 0.01 / full": Part(lambda cut: against_full(cut, cut.smaller), at_most(0.5)),
                "gain / gain of dropping F₂ where it exists": Part(relative_gain, at_most(0.5)),
            },
            remark="The best rank is a matter of size: at the paper's own, with one seed, the larger of the two "
            "fractions already destroyed the prediction.",
        ),
    ),
    draw=draw,
)
