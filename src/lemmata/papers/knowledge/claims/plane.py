"""Extraction over multiplicity and coverage, and how far the covering prediction goes (core claim)."""

from typing import Any, NamedTuple

import numpy as np

from lemmata.core import EXACT, Artefact, Claim, Experiment, Part, Protocol, Runs, at_least, at_most
from lemmata.papers.knowledge.claims._drawing import described, reached
from lemmata.papers.knowledge.claims._extraction_runs import (
    OPTIMIZERS,
    Optimizer,
    cell_runs,
    in_many_seeds,
    long_enough,
)
from lemmata.papers.knowledge.claims._resampled import Resampled
from lemmata.papers.knowledge.claims._tuned import BY, Tuned, cells, under_both
from lemmata.papers.knowledge.theory import covering
from lemmata.report.plots import CYCLE, GREY, heatmap, legend, letter, new_figure

MANY = 64  # seeds: with AdamW the rank correlation lies at its bound
FORMULA = "the relation-covering characterization; the formula is ours (theory/covering.py)"


class Plane(NamedTuple):
    """By multiplicity and number of subjects asked about."""

    multiplicity: np.ndarray
    subjects: np.ndarray
    predicted: (
        np.ndarray
    )  # extraction, if one covered template is enough: 1 - (probability that two subjects share none)^F
    each: tuple[np.ndarray, ...]  # for each multiplicity, [seed, subjects]

    @property
    def measured(self) -> np.ndarray:
        return np.stack([values.mean(axis=0) for values in self.each])

    @property
    def order(self) -> float:
        """The rank correlation of predicted and measured extraction."""
        return rank_correlation(self.predicted, self.measured)

    def orders(self) -> Resampled:
        """The same with its spread over seeds."""
        return Resampled(self.each, lambda means: rank_correlations(self.predicted.ravel(), np.hstack(means)))

    @property
    def error(self) -> float:
        return float(np.abs(self.predicted - self.measured).mean())


def measured(found: list[Tuned], optimizer: Optimizer) -> tuple[np.ndarray, ...]:
    """For each multiplicity [seed, subjects asked about], where fine-tuning on all has learned."""
    return tuple(np.stack([cell.reached(optimizer, name) for name in cell.asked(optimizer)], axis=1) for cell in found)


def plane(runs: Runs, optimizer: Optimizer = "descent") -> Plane:
    found = cells(runs)
    asked, templates = list(found[0].asked(optimizer).values()), found[0].run.config.facts.templates
    k, f = np.meshgrid([cell.multiplicity for cell in found], asked, indexing="ij")
    expected = [covering.extraction_after(int(a), int(b), templates) for a, b in zip(k.ravel(), f.ravel(), strict=True)]
    return Plane(k, f, np.reshape(expected, k.shape), measured(found, optimizer))


def before_fine_tuning(runs: Runs, optimizer: Optimizer = "descent") -> Plane:
    """The same models before any question: there it can make no difference how many subjects will be asked about."""
    found = plane(runs, optimizer)
    each = [cell.before()[cell.learned_seeds(optimizer)] for cell in cells(runs)]
    return found._replace(each=tuple(np.repeat(values[:, None], found.subjects.shape[1], axis=1) for values in each))


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's; 0 where all cells are alike and there is nothing to order."""
    return float(rank_correlations(first.ravel(), second.ravel()[None])[0])


def rank_correlations(first: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Of one row with each of many."""
    from scipy.stats import rankdata  # takes as long to load as a whole command

    a, b = rankdata(first), rankdata(rows, axis=1)
    a, b = a - a.mean(), b - b.mean(axis=1, keepdims=True)
    size = np.sqrt(np.sum(a**2) * np.sum(b**2, axis=1))
    return np.divide(b @ a, size, out=np.zeros(len(rows)), where=size > 0)


def _what_orders(runs: Runs) -> str:
    words = []
    for optimizer in OPTIMIZERS:
        found = plane(runs, optimizer)
        others = {"K": found.multiplicity, "F": found.subjects, "K F": found.multiplicity * found.subjects}
        orders = ", ".join(f"{name} {rank_correlation(by, found.measured):.2f}" for name, by in others.items())
        words.append(f"{optimizer}: the prediction {found.order:.2f}, {orders}")
    return f"Rank correlations with measured extraction, {'; '.join(words)}."


PREDICTION = (
    r"the relation-covering prediction $1 - q^F$, $q = \binom{|\mathcal{R}| - K}{K} / \binom{|\mathcal{R}|}{K}$ the "
    "probability that two subjects share no template"
)
JUDGED = "means over the seeds in which fine-tuning on half of all subjects has learned its own questions"


def claim(optimizer: Optimizer) -> Claim:
    adamw = optimizer == "AdamW"
    return Claim(
        id="plane",
        locus=f"{'beyond the paper; core' if adamw else 'Core'} claim: {FORMULA}",
        statement=f"Over multiplicity $K$ and number $F$ of subjects asked about, {PREDICTION}, puts the cells in the "
        f"right order when fine-tuning is {BY[optimizer]}. Judged: the rank correlation with measured extraction, "
        f"{JUDGED}" + (f", with {MANY} seeds or more." if adamw else "."),
        needs={"K": in_many_seeds(MANY)} if adamw else {},
        subject=lambda runs: plane(runs, optimizer),
        wrong=lambda runs: before_fine_tuning(runs, optimizer),
        parts=Part(Plane.orders, at_least(0.9, over_seeds=True)),
        protocol=Protocol("N, |R| and the optimizer of fine-tuning", below_paper=True) if adamw else EXACT,
        remark=_what_orders,
    )


def _levels_off(runs: Runs) -> str:
    levels = ", ".join(f"{cell.level('descent'):.2f}" for cell in cells(runs))
    return (
        "Our formula says 1 wherever everything is covered. Measured extraction levels off at "
        f"{levels} for K = {', '.join(str(cell.multiplicity) for cell in cells(runs))}. It "
        "leaves out that a covered fact must still win against its subject's relations."
    )


LEVEL = Claim(
    id="plane-level",
    locus=f"beyond the paper; core claim: {FORMULA}",
    statement=f"Over multiplicity $K$ and number $F$ of subjects asked about, {PREDICTION}, also gives the level of "
    f"extraction by gradient descent. Judged: its mean absolute error over the cells, {JUDGED}.",
    subject=plane,
    wrong=before_fine_tuning,
    parts=Part(lambda found: found.error, at_most(0.15)),
    remark=_levels_off,
)


def draw(runs: Runs) -> Artefact:
    shown, found = cells(runs), plane(runs)
    ks, asked = found.multiplicity[:, 0], found.subjects[0].tolist()
    spread, templates = np.stack([values.std(axis=0) for values in found.each]), shown[0].run.config.facts.templates
    figure, axes = new_figure(1, 2, width=9.6, height=3.6)
    heatmap(axes[0], found.measured, asked, ks.tolist(), vmin=0.0, vmax=1.0, colorbar=True)
    axes[0].set(xlabel="subjects asked about in fine-tuning, F", ylabel="multiplicity K", title="extraction, measured")
    for row, k in enumerate(ks):
        style: dict[str, Any] = {"color": CYCLE[row % len(CYCLE)], "linewidth": 0.8, "markersize": 4, "capsize": 2}
        axes[1].errorbar(found.predicted[row], found.measured[row], spread[row], fmt="o-", label=f"K = {k}", **style)
    axes[1].plot([0, 1], [0, 1], color=GREY, linestyle=(0, (4, 3)), linewidth=1.0)
    axes[1].set(xlabel="covering prediction", ylabel="measured extraction", xlim=(-0.03, 1.04), ylim=(-0.03, 1.04))
    axes[1].set(title="the same cells, F growing along a line")
    legend(axes[1], loc="upper left")
    letter(axes)
    caption = (
        f"(a) Extraction of held-out facts after gradient descent, |R| = {templates}. (b) Against the covering "
        f"prediction: rank correlation {found.order:.2f} (before fine-tuning: {before_fine_tuning(runs).order:.2f}), "
        f"mean absolute error {found.error:.2f}. {described(*shown)}"
    )
    table = {
        "K": found.multiplicity.ravel(),
        "F": found.subjects.ravel(),
        "predicted": found.predicted.ravel(),
        "measured": found.measured.ravel(),
        "std over seeds": spread.ravel(),
        "measured with AdamW": plane(runs, "AdamW").measured.ravel(),
        **reached(*(cell for cell in shown for _ in asked)),
    }
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="Extraction over multiplicity and coverage",
    runs=cell_runs,
    needs={"K": long_enough},
    claims=(*under_both(claim), LEVEL),
    draw=draw,
)
