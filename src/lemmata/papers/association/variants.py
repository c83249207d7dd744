"""Other feed-forward layers (appendix B.5): MLP and linear (Figures 11 and 12), none at all (Figure 13)."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Scale
from lemmata.core.legacy import AtLeast, AtMost, Claim, Each, Experiment, Results
from lemmata.papers.association.model import FeedKind
from lemmata.papers.association.probe.readings import at_end, curve, long_table, trained
from lemmata.papers.association.recall import render_dropping, setting
from lemmata.papers.association.run.recall_training import RecallTraining, main_run, recall_training
from lemmata.report.plots import COLOURS, band, ceiling, legend, new_figure, panel_label

VALUE_RANKS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)  # of W_O in layer 1, Figure 13's rho


def mlp_linear_run(scale: Scale) -> RecallTraining:
    return recall_training(scale, ("mlp", "linear"))


def linear_mlp_run(scale: Scale) -> RecallTraining:
    return recall_training(scale, ("linear", "mlp"))


def attention_only_run(scale: Scale) -> RecallTraining:
    return recall_training(scale, ("none", "none"), truncated="blocks.0.output", fractions=VALUE_RANKS)


def _run(results: Results, *feeds: FeedKind) -> RunResult:
    return next(run for run in results if run.config.model.feeds == feeds)


def _ratio(run: RunResult, above: str, below: str) -> float:
    """Of two columns' values at the end, means over seeds."""
    return float(at_end(run, above).mean() / at_end(run, below).mean())


# Figure 11


def _figure_11(results: Results, full: str, first: str, second: str) -> dict[str, float]:
    run = _run(results, "mlp", "linear")
    return {
        "correct, without F₁ / full": _ratio(run, f"{first}.correct", f"{full}.correct"),
        "correct, without F₂ / full": _ratio(run, f"{second}.correct", f"{full}.correct"),
        "clean loss, without F₂ / without F₁": _ratio(run, f"{second}.clean_loss", f"{first}.clean_loss"),
    }


FIGURE_11 = Claim(
    id="association/fig-11",
    locus="Appendix B.5, Figure 11",
    statement="With F₁ an MLP and F₂ linear, dropping either one makes the correct token more probable than the full "
    "model does, and dropping F₁ is the better of the two: it has the lower clean loss.",
    predict=lambda results: dict.fromkeys(_figure_11(results, "full", "without_F1", "without_F2"), 1.0),
    measure=lambda results: trained(results, _figure_11(results, "full", "without_F1", "without_F2")),
    control=lambda results: _figure_11(results, "without_F2", "full", "full"),  # the full model read as the truncated
    check=Each(
        {
            "correct, without F₁ / full": AtLeast(),
            "correct, without F₂ / full": AtLeast(),
            "clean loss, without F₂ / without F₁": AtLeast(),
        }
    ),
    remark="Dropping the linear F₂ helps, as the caption says. Dropping F₁ does not: the second layer was trained on "
    "keys and queries that carry F₁'s output, and without it the correct token becomes less probable than in the full "
    "model: 0.71 times at laptop scale, 0.82 times at the paper's size.",
)

# Figure 12


def _figure_12(results: Results, full: str, first: str, second: str) -> dict[str, float]:
    run = _run(results, "linear", "mlp")
    return {
        "correct, without F₂ / full": _ratio(run, f"{second}.correct", f"{full}.correct"),
        "correct, without F₁ / full": _ratio(run, f"{first}.correct", f"{full}.correct"),
        "noise, without F₁ / full": _ratio(run, f"{first}.noise", f"{full}.noise"),
    }


FIGURE_12 = Claim(
    id="association/fig-12",
    locus="Appendix B.5, Figure 12",
    statement="With F₁ linear and F₂ an MLP, only dropping F₂ makes the correct token more probable; dropping F₁ "
    "makes the noise token more probable.",
    predict=lambda results: dict.fromkeys(_figure_12(results, "full", "without_F1", "without_F2"), 1.0),
    measure=lambda results: trained(results, _figure_12(results, "full", "without_F1", "without_F2")),
    control=lambda results: _figure_12(results, "full", "without_F2", "without_F1"),  # the two layers exchanged
    check=Each(
        {
            "correct, without F₂ / full": AtLeast(),
            "correct, without F₁ / full": AtMost(),
            "noise, without F₁ / full": AtLeast(),
        }
    ),
)

# Figure 13


def _figure_13(results: Results, best: float, smaller: float) -> dict[str, float]:
    run, main = _run(results, "none", "none"), _run(results, "mlp", "mlp")
    fractions, correct = list(run.config.fractions), run.arrays["sweep.correct"].mean(axis=0)
    full = correct[fractions.index(1.0)]
    with_feeds = main.arrays["sweep.correct"].mean(axis=0)  # rank 0 of F_2 first, the full model last
    gain = correct[fractions.index(best)] - full
    return {
        "correct, ρ = 0.05 / full": float(correct[fractions.index(best)] / full),
        "correct, ρ = 0.01 / full": float(correct[fractions.index(smaller)] / full),
        "gain / gain of dropping F₂ where it exists": float(gain / (with_feeds[0] - with_feeds[-1])),
    }


FIGURE_13 = Claim(
    id="association/fig-13",
    locus="Appendix B.5, Figure 13",
    statement="Without feed-forward layers, keeping the fraction ρ = 0.05 of the rank of W_O¹ makes the correct "
    "token a little more probable than the full model does, by clearly less than dropping a feed-forward layer does "
    "where there is one (rule: at most half of that gain), and ρ = 0.01 destroys the "
    "model (rule: at most half the full model's probability).",
    predict=lambda results: dict(zip(_figure_13(results, 0.05, 0.01), (1.0, 0.5, 0.5), strict=True)),
    measure=lambda results: trained(results, _figure_13(results, 0.05, 0.01)),
    control=lambda results: _figure_13(results, 0.01, 0.05),  # the two fractions exchanged
    check=Each(
        {
            "correct, ρ = 0.05 / full": AtLeast(),
            "correct, ρ = 0.01 / full": AtMost(),
            "gain / gain of dropping F₂ where it exists": AtMost(),
        }
    ),
    remark="The best rank is a matter of size. At the paper's (d = 256, one seed, 2,000 steps) ρ = 0.05 of W_O^1 "
    "already destroys the prediction (0.21 of the full model's correct probability), and the claim fails.",
)


def render_figure_13(results: Results) -> Artefact:
    run = _run(results, "none", "none")
    fractions = np.array(run.config.fractions)
    figure, axes = new_figure(1, 3)
    table: dict[str, Any] = {}
    for what, label, colour in (("correct", "correct", "blue"), ("noise", "noise", "vermillion")):
        steps, values = table[f"training, {label}"] = curve(run, f"full.{what}")
        band(axes[0], steps, values, label, color=COLOURS[colour])
        _against_rank(axes[1], fractions, run.arrays[f"sweep.{what}"], label, COLOURS[colour])
        table[f"rank, {label}"] = (fractions, run.arrays[f"sweep.{what}"])
    _against_rank(axes[2], fractions, run.arrays["sweep.clean_loss"], "clean loss", COLOURS["black"])
    table["rank, clean loss"] = (fractions, run.arrays["sweep.clean_loss"])
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


def _against_rank(ax: Any, fractions: np.ndarray, values: np.ndarray, label: str, colour: str) -> None:
    """Fractions are spaced evenly: they crowd near 0."""
    band(ax, np.arange(len(fractions)), values, label, color=colour, marker="o")
    ax.set_xticks(range(len(fractions)), [f"{f:g}" for f in fractions])
    ax.set_xlabel("fraction ρ of the rank kept")


EXPERIMENTS = (
    Experiment(
        id="association/fig-11",
        title="F₁ an MLP, F₂ linear",
        grid=lambda scale: (mlp_linear_run(scale),),
        claims=(FIGURE_11,),
        render=lambda results: render_dropping(
            _run(results, "mlp", "linear"), "F₁ an MLP and F₂ linear, either dropped"
        ),
    ),
    Experiment(
        id="association/fig-12",
        title="F₁ linear, F₂ an MLP",
        grid=lambda scale: (linear_mlp_run(scale),),
        claims=(FIGURE_12,),
        render=lambda results: render_dropping(
            _run(results, "linear", "mlp"), "F₁ linear and F₂ an MLP, either dropped"
        ),
    ),
    Experiment(
        id="association/fig-13",
        title="No feed-forward layers: cutting the rank of W_O¹",
        grid=lambda scale: (attention_only_run(scale), main_run(scale)),
        claims=(FIGURE_13,),
        render=render_figure_13,
    ),
)
