"""Section 6.2.1: how the two trained blocks of Q grow together, the third leading."""

import math
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Undecided, at_least, at_most, near
from lemmata.papers.lego.claims._growth import assumed, watched
from lemmata.papers.lego.claims._population import finished
from lemmata.report.plots import COLOURS, band, ceiling, legend, new_figure

# What o(1), O(1) and Omega(1/log d) come to here: the paper prints no constants.
LEAD, LARGEST = 1.0, 1.0  # of the difference: at least 1/log d, at most 1
NEAR, SMALL_GAP, SMALL_REST = 0.1, 0.05, 0.02


def by_loss(run: RunResult, name: str, losses: str = "sum") -> np.ndarray:
    """A column of the run by one loss: [seed, record]."""
    rows = np.asarray(run.metrics["losses"]) == losses
    if not rows.any():
        raise Undecided(f"no run by the loss {losses!r}")
    return np.asarray(run.metrics[name])[rows].reshape(-1, len(run.config.records))


class Stages(NamedTuple):
    """Section 6.2.1, in the worst seed; logits in units of B, differences of the diagonals of Q₄₃ and Q₄₄."""

    first_logits: list[float]  # at step 1, of the right and of the spurious answer, at the start
    second_logit: float  # at step 2, of the right answer
    lead: float  # the largest difference, times log d
    largest: float
    difference: float  # at the end
    gap: float  # of the attention, at the end
    rest: float  # the largest entry off the diagonals, over the diagonal, at the end


def stages(run: RunResult, losses: str) -> Stages:
    names = ("third_diagonal", "fourth_diagonal", "third_rest", "fourth_rest", "gap_22")
    third, fourth, third_rest, fourth_rest, gap = (by_loss(run, name, losses) for name in names)
    difference, rest = third - fourth, np.maximum(np.abs(third_rest), np.abs(fourth_rest))
    start = {name: run.arrays[f"start.{name}"] for name in ("first_right", "first_spurious", "second_right")}
    return Stages(
        [float(start[name].mean()) for name in ("first_right", "first_spurious")],
        float(start["second_right"].max()),
        float(difference.max(axis=1).min() * math.log(run.config.vocabulary)),
        float(np.abs(difference).max()),
        float(np.abs(difference[:, -1]).max()),
        float(gap[:, -1].max()),
        float((rest / third)[:, -1].max()),
    )


BALANCE = Claim(
    id="balance",
    locus="Section 6.2.1, stages 2.1 to 2.3, equation (20)",
    uses=("feature-structure-transitive",),
    statement=r"For a simply transitive action under Algorithm 1, step 1 of $\mathcal{T}^2$ starts with logits of "
    r"about $B/3$ for the right and the spurious answer and step 2 with none, so $Q_{4,3}$ leads by $\Omega(1/\log "
    r"d)$; then both diagonals grow within $O(1)$ of each other, and at convergence $\Delta^{2,2} = o(1)$ with all "
    r"other entries of $Q$ near their start. Judged in the worst seed, the constants being ours: a lead of $1/\log "
    r"d$, a difference of 1, other entries of 2% of the diagonal. Control: $\mathrm{Loss}_5^{2,2}$ alone, without the "
    "loss of step 1 that drives the lead.",
    subject=lambda runs: stages(runs["watched"], "sum"),
    wrong=lambda runs: stages(runs["watched"], "second"),
    parts={
        "step 1, logits at the start / B": Part(attrgetter("first_logits"), near(1 / 3, atol=NEAR)),
        "step 2, logit at the start / B": Part(attrgetter("second_logit"), at_most(NEAR)),
        "largest lead, times log d": Part(attrgetter("lead"), at_least(LEAD)),
        "largest difference": Part(attrgetter("largest"), at_most(LARGEST)),
        "difference at the end": Part(attrgetter("difference"), at_most(NEAR)),
        "attention gap at the end": Part(attrgetter("gap"), at_most(SMALL_GAP)),
        "other entries, over the diagonal": Part(attrgetter("rest"), at_most(SMALL_REST)),
    },
    needs={"watched": (assumed, finished)},
    remark=lambda runs: (
        rf"One trained world of d = {runs['watched'].config.vocabulary}. At smaller d the lead is shorter."
    ),
)


def draw(runs: Runs) -> Artefact:
    run = runs["watched"]
    figure, ax = new_figure(width=4.8, height=3.6)
    third, fourth = by_loss(run, "third_diagonal"), by_loss(run, "fourth_diagonal")
    band(ax, run.config.records, third, "Q₄₃", color=COLOURS["blue"])
    band(ax, run.config.records, fourth, "Q₄₄", color=COLOURS["vermillion"])
    band(ax, run.config.records, third - fourth, "difference", color="#555555", linestyle="--")
    ceiling(ax, 0.0)
    ax.set(xscale="log", xlabel="time of the flow", ylabel="the diagonal's entry", title=run.config.action)
    legend(ax, fontsize=7)
    names = ("seed", "time", "third_diagonal", "fourth_diagonal", "third_rest", "fourth_rest", "gap_22")
    caption = (
        f"Diagonals of the two trained blocks of Q by Algorithm 1, d = {run.config.vocabulary}, "
        f"{len(run.config.seeds)} seeds (bands: one standard deviation)."
    )
    return Artefact(figure, {name: by_loss(run, name).ravel().tolist() for name in names}, caption)


EXPERIMENT = Experiment(title="The diagonals of Q grow in balance", runs=watched, claims=(BALANCE,), draw=draw)
