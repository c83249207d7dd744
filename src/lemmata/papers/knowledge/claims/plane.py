"""Extraction over multiplicity and coverage, and how far the covering prediction goes (core claim)."""

from typing import Any

import numpy as np
from scipy import stats

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least, at_most
from lemmata.papers.knowledge.claims._tuned import ALL, Tuned, cell_runs, cells, long_enough
from lemmata.papers.knowledge.claims._tuned_drawing import described, reached
from lemmata.papers.knowledge.theory import covering
from lemmata.report.plots import COLOURS, CYCLE, GREY, heatmap, legend, letter, new_figure

LEVELS = {0.5: "solid", 0.9: "dashed", 0.99: "dotted"}
LOCUS = "Core claim: the relation-covering characterization; the formula is ours (theory/covering.py)"


def measured(cells: list[Tuned]) -> np.ndarray:
    """[seed, multiplicity, subjects asked about]."""
    return np.moveaxis(np.array([[cell.after(name) for name in cell.asked()] for cell in cells]), -1, 0)


def predicted(cell: Tuned) -> list[float]:
    """One covered template is enough: 1 - (chance that two subjects share none)^F."""
    facts = cell.run.config.facts
    return [covering.extraction_after(facts.multiplicity, n, facts.templates) for n in cell.asked().values()]


def plane(runs: Runs, order: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """By multiplicity and number of subjects asked about: predicted extraction, and the measured means over seeds."""
    found = cells(runs)
    return np.array([predicted(cell) for cell in found]), measured(found[::order]).mean(axis=0)


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's; 0 where all cells are alike and there is nothing to order."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.asarray(stats.spearmanr(first.ravel(), second.ravel()))[0])


def mean_error(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(first - second).mean())


def multiplicities(runs: Runs) -> np.ndarray:
    return np.array([cell.multiplicity for cell in cells(runs)])


def order_of_multiplicity(runs: Runs) -> float:
    """The rank correlation of K alone with measured extraction."""
    means = plane(runs)[1]
    return rank_correlation(np.broadcast_to(multiplicities(runs)[:, None], means.shape), means)


PLANE = Claim(
    id="plane",
    locus=LOCUS,
    statement="Over multiplicity K and number F of subjects asked about, the covering prediction 1 - q^F, with q the "
    "chance that two subjects share no template, puts the cells in the right order: its rank correlation with measured "
    "extraction (means over seeds) is high.",
    subject=plane,
    wrong=lambda runs: plane(runs, -1),  # the largest multiplicity measured where the smallest is predicted
    parts=Part(lambda found: rank_correlation(*found), at_least(0.7)),
    remark=lambda runs: (
        f"Weak evidence for covering: K alone has a rank correlation of {order_of_multiplicity(runs):.2f} with "
        f"extraction, the prediction {rank_correlation(*plane(runs)):.2f}. The number of subjects acts as predicted "
        "only up to about three."
    ),
)


def _levels_off(runs: Runs) -> str:
    levels = ", ".join(f"{cell.mean(ALL):.2f}" for cell in cells(runs))
    return (
        "The prediction says 1 wherever everything is covered; measured extraction levels off at "
        f"{levels} for K = {', '.join(str(k) for k in multiplicities(runs))}. It misses that a covered fact must still "
        "win against its subject's relations."
    )


LEVEL = Claim(
    id="plane-level",
    locus=LOCUS,
    statement="The covering prediction also gives the level of extraction: its mean absolute error over the cells of "
    "multiplicity and coverage is small.",
    subject=plane,
    wrong=lambda runs: plane(runs, -1),  # the largest multiplicity measured where the smallest is predicted
    parts=Part(lambda found: mean_error(*found), at_most(0.15)),
    remark=_levels_off,
)


def draw(runs: Runs) -> Artefact:
    shown, (expected, means), ks = cells(runs), plane(runs), multiplicities(runs)
    spread = measured(shown).std(axis=0)
    asked, templates = list(shown[0].asked().values()), shown[0].run.config.facts.templates
    figure, axes = new_figure(1, 2, width=9.6, height=3.6)
    heatmap(axes[0], means, asked, ks.tolist(), vmin=0.0, vmax=1.0, colorbar=True)
    _contour(axes[0], ks, asked, templates)
    axes[0].set(xlabel="subjects asked about in fine-tuning, F", ylabel="multiplicity K", title="extraction, measured")
    for row, k in enumerate(ks):
        style: dict[str, Any] = {"color": CYCLE[row % len(CYCLE)], "linewidth": 0.8, "markersize": 4, "capsize": 2}
        axes[1].errorbar(expected[row], means[row], spread[row], fmt="o-", label=f"K = {k}", **style)
    axes[1].plot([0, 1], [0, 1], color=GREY, linestyle=(0, (4, 3)), linewidth=1.0)
    axes[1].set(xlabel="covering prediction", ylabel="measured extraction", xlim=(-0.03, 1.04), ylim=(-0.03, 1.04))
    axes[1].set(title="the same cells, F growing along a line")
    legend(axes[1], loc="upper left")
    letter(axes)
    caption = (
        f"(a) Extraction of held-out facts, |R| = {templates}; lines: where the covering prediction passes "
        f"{', '.join(f'{level:g} ({style})' for level, style in LEVELS.items())}. (b) Against the prediction: rank "
        f"correlation {rank_correlation(expected, means):.2f} (of K alone: {order_of_multiplicity(runs):.2f}), mean "
        f"absolute error {mean_error(expected, means):.2f}. {described(*shown)}"
    )
    table = {
        "K": np.repeat(ks, len(asked)),
        "F": np.tile(asked, len(ks)),
        "predicted": expected.ravel(),
        "measured": means.ravel(),
        "std over seeds": spread.ravel(),
        **reached(*(cell for cell in shown for _ in asked)),
    }
    return Artefact(figure, table, caption)


def _contour(ax: Any, ks: np.ndarray, asked: list[int], templates: int) -> None:
    """The prediction's levels between the cells' centres, on logarithmic axes."""
    every_k = np.arange(min(ks), max(ks) + 1)
    rows = np.interp(np.log(every_k), np.log(ks), np.arange(len(ks)))
    columns = np.linspace(0, len(asked) - 1, 60)
    numbers = np.exp(np.interp(columns, np.arange(len(asked)), np.log(asked)))
    miss = np.array([covering.covered_miss(int(k), templates) for k in every_k])
    heights = 1 - miss[:, None] ** numbers
    for level in (one for one in LEVELS if len(every_k) > 1 and heights.min() < one < heights.max()):
        style: dict[str, Any] = {"linewidths": 1.6, "linestyles": LEVELS[level]}
        ax.contour(columns, rows, heights, levels=[level], colors=COLOURS["vermillion"], **style)


EXPERIMENT = Experiment(
    title="Extraction over multiplicity and coverage",
    runs=cell_runs,
    needs={"K": long_enough},
    claims=(PLANE, LEVEL),
    draw=draw,
)
