"""Figure 13: no feed-forward layers at all; the rank of the first layer's W_O is cut instead."""

from typing import Any, NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    OutsideSetting,
    Part,
    Protocol,
    RunResult,
    Runs,
    Scale,
    Seeds,
    Undecided,
    at_least,
    at_most,
    of_result,
)
from lemmata.papers.association.claims._drawing import setting
from lemmata.papers.association.claims._noise_level import room_for, some_noise
from lemmata.papers.association.claims._recall_runs import main_run, recall_training
from lemmata.papers.association.probe.readings import at_fraction, correct_by_fraction, learned_something
from lemmata.papers.association.run.recall_training import RecallTraining
from lemmata.papers.association.sizes import Figure13
from lemmata.report.plots import COLOURS, band, ceiling, legend, letter, long_table, new_figure

VALUE_RANKS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0)  # of W_O, the figure's rho
MATRICES = ("blocks.0.output", "blocks.1.output")  # W_O of layer 1; of layer 2, for the control
BETTER = 1.05  # "a little": the noise's half is far from won
DESTROYED = 0.5  # of the correct token's probability, or less, is left
CLEARLY_LESS = 0.5  # of what dropping F_2 adds where there is one


def attention_only(scale: Scale) -> RecallTraining:
    return recall_training(scale, Figure13, ("none", "none"), truncated=MATRICES, fractions=VALUE_RANKS, bare=True)


class Cut(NamedTuple):
    """The model without feed-forward layers, a matrix of it cut to fractions of its rank, and the one with them."""

    alone: RunResult
    with_feeds: RunResult
    matrix: int = 0
    way: str = ""  # "bare.": without the last layer's residual

    def against_full(self) -> dict[float, np.ndarray]:
        """By fraction, those of rank 0 left out: the correct token's probability over the full model's, by seed."""
        by_fraction, full = correct_by_fraction(self.alone, self.matrix, self.way), self.full()
        return {f: p / full for f, p in by_fraction.items() if rank(self.alone, f) > 0}

    def full(self) -> np.ndarray:
        return at_fraction(self.alone, 1.0, self.way)

    def inner(self) -> dict[float, np.ndarray]:
        inner = {f: ratio for f, ratio in self.against_full().items() if f < 1}
        if len(inner) < 2:
            raise Undecided(f"two inner ranks are needed, and {len(inner)} are cut to")
        return inner

    def best(self) -> float:
        """The fraction that helps most, on the mean over seeds."""
        inner = self.inner()
        return max(inner, key=lambda fraction: inner[fraction].mean())

    def gain(self) -> Seeds:
        return Seeds(self.inner()[self.best()])

    def smaller(self) -> Seeds:
        """The worst of the ranks up to the best, rank 0 left out, over the full model."""
        smaller = [ratio for fraction, ratio in self.inner().items() if fraction <= self.best()]
        return Seeds(min(smaller, key=lambda ratio: ratio.mean()))

    def relative_gain(self) -> Seeds:
        """What the best cut adds to the correct token's probability, over what dropping F_2 adds where there is one."""
        gained = (self.gain().values - 1) * self.full()
        dropping = at_fraction(self.with_feeds, 0.0) - at_fraction(self.with_feeds, 1.0)
        return Seeds(np.divide(gained, dropping.mean()))


def rank(run: RunResult, fraction: float) -> int:
    return int(fraction * run.config.model.width + 1e-9)


@of_result
def has_the_papers_ranks(run: RunResult) -> Undecided | None:
    """The smallest fraction of the figure must leave something."""
    if rank(run, 0.01) >= 1:
        return learned_something(run)
    return OutsideSetting(f"the fraction 0.01 of d = {run.config.model.width} is rank 0: the layer would be gone")


def which_rank(runs: Runs) -> str:
    cut = Cut(runs["attention only"], runs["with MLPs"])
    shown = ", ".join(
        f"{f:g} (rank {rank(cut.alone, f)}): {ratio.mean():.2f}" for f, ratio in cut.against_full().items()
    )
    return (
        f"Correct over the full model's, by the fraction of W_O¹ kept: {shown}. The paper says that 0.05 is the best; "
        "judged is the best of these. On a laptop d, T and the number of steps are ours. For the authors' own "
        "evaluation see fig-13-script."
    )


PARTS = {
    "correct, best inner rank / full": Part(Cut.gain, at_least(BETTER, over_seeds=True)),
    "correct, a smaller rank / full": Part(Cut.smaller, at_most(DESTROYED, over_seeds=True)),
    "gain / gain of dropping F₂ where it exists": Part(Cut.relative_gain, at_most(CLEARLY_LESS, over_seeds=True)),
}
OURS = Protocol("d, T and the number of steps", below_paper=True)


def without_direction(runs: Runs, whose: int) -> Seeds:
    """The correct token's probability over the full model's, with a direction removed: the noise's, another's."""
    run = runs["attention only"]
    return Seeds(run.arrays["removed.correct"][whose] / at_fraction(run, 1.0))


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
        _, values = table[f"rank, {label}"] = fractions, run.arrays[f"sweep.{what}"][0]
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
    ranks = ", ".join(f"{f:g}: {rank(run, f)}" for f in fractions)
    caption = (
        f"No feed-forward layers. (a) Along training; (b, c) the trained model with W_O¹ cut to a fraction ρ of its "
        f"rank (ranks kept: {ranks}), on clean test data with ceiling 1. {setting(run)}"
    )
    return Artefact(figure, long_table(table, "step or ρ"), caption)


EXPERIMENT = Experiment(
    title="No feed-forward layers: cutting the rank of W_O¹",
    runs=lambda scale: {"attention only": attention_only(scale), "with MLPs": main_run(scale)},
    needs={"attention only": has_the_papers_ranks, "with MLPs": learned_something},
    claims=(
        Claim(
            id="fig-13",
            locus="Appendix B.5, Figure 13",
            statement=r"Without feed-forward layers, keeping a small part $\rho$ of the rank of $W_O^1$, in "
            r"$W_O^1 W_V^1$, makes the correct token a little more probable than the full model does. That is clearly "
            r"less than dropping $F_2$ adds where there is one. A still smaller $\rho$, not 0, destroys the model.",
            needs={"attention only": room_for(BETTER), "with MLPs": some_noise},
            subject=lambda runs: Cut(runs["attention only"], runs["with MLPs"]),
            wrong=lambda runs: Cut(runs["attention only"], runs["with MLPs"], matrix=1),  # W_O² in its place
            parts=PARTS,
            protocol=OURS,
            remark=which_rank,
        ),
        Claim(
            id="fig-13-script",
            locus="Appendix B.5, Figure 13, by the evaluation of the authors' script",
            statement=r"The same, read as the authors' script evaluates models without feed-forward layers: the last "
            r"layer gives what its attention gathers, without its residual. Keeping a small part $\rho$ of the rank of "
            r"$W_O^1$ makes the correct token a little more probable, by clearly less than dropping $F_2$ adds where "
            r"there is one; a still smaller $\rho$, not 0, destroys the model.",
            needs={"attention only": room_for(BETTER), "with MLPs": some_noise},
            subject=lambda runs: Cut(runs["attention only"], runs["with MLPs"], way="bare."),
            wrong=lambda runs: Cut(runs["attention only"], runs["with MLPs"], matrix=1, way="bare."),
            parts=PARTS,
            protocol=OURS,
            remark=lambda runs: (
                f"Without the residual the full model gives the correct token "
                f"{at_fraction(runs['attention only'], 1.0, 'bare.').mean():.2f}, with it "
                f"{at_fraction(runs['attention only'], 1.0).mean():.2f}. The script drops it from step 251 on."
            ),
        ),
        Claim(
            id="fig-13-direction",
            locus="Beyond the paper: Appendix B.5, Figure 13, the noise's direction instead of small singular values",
            statement=r"Without feed-forward layers the noise is stored where $W_O^1$ writes along $W_U(N+1)$: without "
            "that one direction the correct token is a little more probable than in the full model.",
            protocol=Protocol(ours="the direction that is removed", why="The paper cuts singular values."),
            needs={"attention only": room_for(BETTER)},
            subject=lambda runs: without_direction(runs, 0),
            wrong=lambda runs: without_direction(runs, 1),  # another token's direction
            parts=Part(lambda found: found, at_least(BETTER, over_seeds=True)),
            remark=lambda runs: (
                "Without the noise's direction the noise has "
                f"{runs['attention only'].arrays['removed.noise'][0].mean():.2f}, without another token's "
                f"{runs['attention only'].arrays['removed.noise'][1].mean():.2f}."
            ),
        ),
    ),
    draw=draw,
)
