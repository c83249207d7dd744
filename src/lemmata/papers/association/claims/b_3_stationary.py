"""Appendix B.3: the feed-forward map alone learns the noise logit; where it stops and how large a step may be."""

from typing import NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    OutsideSetting,
    Part,
    RunResult,
    Runs,
    TooShort,
    Undecided,
    falls,
    near,
    of_result,
)
from lemmata.papers.association.run.noise_logit import NoiseLogitDescent
from lemmata.papers.association.sizes import NoiseLogit
from lemmata.papers.association.theory import noise_logit
from lemmata.report.plots import ceiling, new_figure

LOGITS = np.linspace(-8, -1e-3, 400)  # over their limit
STILL = 1e-3  # a logit that moves or passes by less stands


class Descents(NamedTuple):
    """The noise logit over the steps, one row a step size."""

    curves: np.ndarray
    ratios: np.ndarray  # of the step sizes to the printed bound
    alpha: float

    def overshoot(self) -> np.ndarray:
        """By how much each curve passes where it ends."""
        return self.curves.max(axis=1) - self.curves[:, -1]

    def critical(self) -> float:
        """The smallest step, over the printed bound, at which the logit passes where it ends."""
        over = self.overshoot() > STILL
        return float(self.ratios[over].min()) if over.any() else float("inf")

    def bound(self) -> np.ndarray:
        """The bound on the step at logits below their limit."""
        return noise_logit.step_ratio(LOGITS, self.alpha)


def descents(run: RunResult, column: str = "lead") -> Descents:
    curves = run.column(column).reshape(len(run.config.ratios), -1)
    over_bound = run.config.unit / noise_logit.largest_step(run.config.alpha)
    return Descents(curves, np.array(run.config.ratios) * over_bound, run.config.alpha)


def misread(runs: Runs) -> Descents:
    """The first two steps of the noise logit over the sum of the others; the bound at a noise level above 1/2."""
    curves, ratios, _ = descents(runs["main"], column="lead_over_sum")
    return Descents(curves[:, :3], ratios, alpha=0.8)


@of_result
def has_settled(run: RunResult) -> Undecided | None:
    if run.config.alpha >= 0.5:
        return OutsideSetting(f"appendix B.3 is about α < 1/2, not {run.config.alpha:g}")
    first = descents(run).curves[0]
    moves = abs(first[-1] - first[-2]) > STILL
    return TooShort(f"after {run.config.steps} steps the noise logit still moves") if moves else None


STATIONARY = Claim(
    id="b.3-stationary",
    locus="Appendix B.3",
    uses=("thm-1", "lemma-d.1", "table-3"),
    statement=r"While $W_F$ alone learns on the population loss, with $\alpha < 1/2$ and $T, N \gg 1$, the noise logit "
    r"tends to $\xi^* = \log N + \log\frac{\alpha}{1-\alpha}$. It never passes $\xi^*$ if "
    r"$\eta \le \frac{1}{\alpha(1-\alpha)}$, to which the bound on $\eta$ at each logit below $\xi^*$ decreases. "
    "`critical` is the smallest overshooting step over the printed bound.",
    subject=lambda runs: descents(runs["main"]),
    wrong=misread,
    # 65,536 sequences leave log(α/(1-α)) a standard error of .0085; B.3 drops factors 1 + O(1/N) of the step.
    parts={
        "stationary": Part(
            lambda found: float(found.curves[0, -1]),
            near(lambda runs: noise_logit.stationary_logit(runs["main"].config.chain), atol=0.05),
        ),
        "critical": Part(Descents.critical, near(1.0, atol=0.1)),
        "bound": Part(Descents.bound, falls(1e-9), along={"logit below its limit": LOGITS}),
    },
    remark=r"The first display of the iteration has $p(\xi_t)$ on the right where gradient descent, and the displays "
    r"that follow, have $p(\xi_{t-1})$. On the model of equation (2) the other logits move too and $z_{T-1}$ has an "
    r"embedding of its own: the true bound is smaller by a factor $1 - O(1/N)$.",
)


def draw(runs: Runs) -> Artefact:
    config, found = runs["main"].config, descents(runs["main"])
    star = noise_logit.stationary_logit(config.chain)
    figure, (left, right) = new_figure(1, 2)
    for ratio, curve in zip(found.ratios, found.curves, strict=True):
        if ratio in (0.8, 1.0, 1.1, 1.2):
            left.plot(curve[:31], label=f"η = {ratio:g} / (α(1-α))")
    ceiling(left, star, "ξ* = log N + log(α/(1-α))")
    left.set(xlabel="step", ylabel="noise logit", ylim=(star - 0.6, star + 0.2))
    right.plot(found.ratios, found.overshoot(), "o-")
    right.axvline(1.0, color="grey", ls="--", lw=1, label="printed bound")
    right.set(xlabel="η α(1-α)", ylabel="overshoot of the noise logit")
    for ax in (left, right):
        ax.legend(fontsize=7)
    caption = (
        f"W_F alone, N = {config.num_tokens}, α = {config.alpha:g}, gradient descent on {config.samples} sequences, "
        f"seed {config.seed}: the noise logit over the mean of the others, and by how much it passes its end."
    )
    table = {"step over bound": found.ratios, "final logit": found.curves[:, -1], "overshoot": found.overshoot()}
    return Artefact(figure, table | {"predicted logit": np.full(len(found.ratios), star)}, caption)


EXPERIMENT = Experiment(
    title="The noise logit of the feed-forward map: fixed point and step size",
    runs=lambda scale: {"main": NoiseLogitDescent(num_tokens=NoiseLogit.SYMBOLS.at(scale))},
    needs={"main": has_settled},
    claims=(STATIONARY,),
    draw=draw,
)
