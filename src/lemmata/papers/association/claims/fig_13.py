"""Figure 13: no feed-forward layers at all; the rank of the first layer's W_O is cut instead."""

from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.association.claims._drawing import long_table, setting
from lemmata.papers.association.claims._recall_runs import main_run, recall_training
from lemmata.papers.association.probe.readings import at_fraction, learned_something
from lemmata.report.plots import COLOURS, band, ceiling, legend, new_figure, panel_label

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
    for what, colour in (("correct", "blue"), ("noise", "vermillion")):
        steps, values = table[f"training, {what}"] = run.curve(f"full.{what}", phase=1)
        band(axes[0], steps, values, what, color=COLOURS[colour])
        table[f"rank, {what}"] = _against_rank(axes[1], fractions, run.arrays[f"sweep.{what}"], what, COLOURS[colour])
    losses = run.arrays["sweep.clean_loss"]
    table["rank, clean loss"] = _against_rank(axes[2], fractions, losses, "clean loss", COLOURS["black"])
    ceiling(axes[0], run.config.task.alpha, f"α = {run.config.task.alpha:g}")
    axes[0].set(xlabel="step", ylabel="probability", title="full model", ylim=(-0.02, 1.02))
    axes[1].set(ylabel="probability", title="W_O¹ cut, at the end", ylim=(-0.02, 1.02))
    axes[2].set(ylabel="loss", title="clean loss, at the end")
    legend(axes[0])
    for letter, ax in zip("abc", axes, strict=True):
        panel_label(ax, letter)
    ranks = ", ".join(f"{f:g}: {int(f * run.config.model.width + 1e-9)}" for f in fractions)
    caption = (
        f"No feed-forward layers. (a) Along training; (b, c) the trained model with W_O¹ cut to a fraction ρ of its "
        f"rank (ranks kept: {ranks}), on clean test data with ceiling 1. {setting(run)}"
    )
    return Artefact(figure, long_table(table, "step or ρ"), caption)


def _against_rank(
    ax: Any, fractions: np.ndarray, values: np.ndarray, label: str, colour: str
) -> tuple[np.ndarray, np.ndarray]:
    """Fractions are spaced evenly: they crowd near 0."""
    band(ax, np.arange(len(fractions)), values, label, color=colour, marker="o")
    ax.set_xticks(range(len(fractions)), [f"{f:g}" for f in fractions])
    ax.set_xlabel("fraction ρ of the rank kept")
    return fractions, values


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
            remark="The best rank is a matter of size: at the paper's own, with one seed, ρ = 0.05 already destroyed "
            "the prediction.",
        ),
    ),
    draw=draw,
)
