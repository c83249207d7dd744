"""What can be known from the context, in the worlds of the paper's figures and in others."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, mean_near
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._figure_worlds import PANELS, WORLDS
from lemmata.papers.ic_recall.run.world_reports import WorldReports
from lemmata.papers.ic_recall.task import Affine, AllBijections, RandomBijections, WorldConfig
from lemmata.papers.ic_recall.theory.relations import expected_ceiling
from lemmata.report.plots import legend, new_figure

FIGURE_WORLDS = (*((world, 2) for world in WORLDS.values()), (PANELS["right"]["world"], 3))
OTHER_WORLDS = {
    "all bijections": AllBijections(n=3),
    "affine": Affine(n=31),
    "odd subgroup": Affine(n=31, subgroup=15),
    "even subgroup": Affine(n=31, subgroup=6),
    "astronomic": Affine(n=2**61 - 1),
}


def _runs(scale: Scale) -> dict[str, RunConfig]:
    seeds = sizes.seeds(sizes.WORLD_SEEDS, scale)
    return {
        **{f"figure/{w.n}-{w.relations}": WorldReports(world=w, k=k, seeds=seeds) for w, k in FIGURE_WORLDS},
        **{f"other/{name}": WorldReports(world=world) for name, world in OTHER_WORLDS.items()},
    }


def _named(run: RunResult) -> str:
    return f"{run.config.world.n}-{run.config.world.relations}"


def _expected(run: RunResult) -> float:
    return expected_ceiling(run.config.world.n, run.config.world.relations, run.config.k)


def _in_figures(runs: Runs, reading: Callable[[RunResult], Any]) -> list[Any]:
    return [reading(run) for run in runs.group("figure").values()]


CLAIMS = (
    Claim(
        id="worlds",
        locus="Section 5 (the worlds of Figures 2 to 4), against Assumption 2.2",
        statement=r"In the worlds of Figures 2 to 4, $|\mathcal{R}|$ random bijections of $n$ subjects, $k$ pairs in "
        "context often fit several relations. First-step accuracy then has a ceiling, in expectation "
        r"$\frac{n!}{(n-k)!|\mathcal{R}|} \bigl(1 - \binom{n! - (n-k)!}{|\mathcal{R}|} / "
        r"\binom{n!}{|\mathcal{R}|}\bigr)$.",
        subject=lambda runs: _in_figures(runs, lambda run: run.metrics["ceiling"]),
        wrong=lambda runs: _in_figures(runs, lambda run: 1 - run.metrics["ambiguous"]),
        parts=Part(
            np.transpose,
            mean_near(lambda runs: _in_figures(runs, _expected), errors=4.0, min_seeds=4),
            along={"world": lambda runs: _in_figures(runs, _named)},
        ),
        remark="The control takes the fraction of unambiguous sequences for the ceiling. The paper does not mention "
        "the ceiling; every accuracy of ours is shown beside it.",
    ),
)


def _label(world: WorldConfig, k: int) -> str:
    if isinstance(world, RandomBijections):
        return f"random {world.n}/{world.relations}, k = {k}"
    if isinstance(world, AllBijections):
        return f"all of n = {world.n}"
    n = "2^61 - 1" if world.n == 2**61 - 1 else str(world.n)
    return f"affine n = {n}" + (f", |H| = {world.subgroup}" if isinstance(world, Affine) and world.subgroup else "")


def _draw(runs: Runs) -> Artefact:
    reports = [*runs.group("figure").values(), *runs.group("other").values()]
    labels = [_label(run.config.world, run.config.k) for run in reports]
    names = ("confusing", "mismatched", "ambiguous", "ceiling")
    mean = {name: np.array([run.metrics[name].mean() for run in reports]) for name in names}
    spread = np.array([run.metrics["ceiling"].std() for run in reports])
    figure, ax = new_figure(width=8.4, height=0.5 + 0.5 * len(reports))
    place = np.arange(len(reports))
    for offset, name in enumerate(names):
        error = spread if name == "ceiling" else None
        ax.barh(place + 0.2 * (offset - 1.5), mean[name], 0.2, xerr=error, label=name)
    for row, expected in enumerate(_in_figures(runs, _expected)):
        ax.plot([expected] * 2, [row + 0.15, row + 0.45], color="black", linewidth=1.5)
    ax.axvline(1, color="grey", linewidth=0.8)
    ax.set_yticks(place, labels)
    ax.invert_yaxis()
    ax.set_xlabel("fraction of sequences; best possible first-step accuracy")
    legend(ax, loc="lower left", bbox_to_anchor=(0, 1), ncols=4)
    table = {
        "world": labels,
        "k": [run.config.k for run in reports],
        "worlds_drawn": [len(run.config.seeds) for run in reports],
        "assumption_2_2": [bool(run.metrics["assumption_2_2"].all()) for run in reports],
        **mean,
        "ceiling_deviation": spread,
        "ceiling_how": [str(run.metrics["ceiling_how"][0]) for run in reports],
        "fractions_how": [str(run.metrics["fractions_how"][0]) for run in reports],
    }
    caption = (
        "Kinds of sequences and the best possible first-step accuracy in each world, mean over the worlds drawn (error "
        "bar: one standard deviation of the ceiling; black mark: its exact expectation). Ambiguous: the context fits "
        "more than one relation, so no model can be sure. Random bijections as dense as the figures' break Assumption "
        "2.2; affine worlds satisfy it by construction."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(title="Worlds: what can be known from the context", runs=_runs, claims=CLAIMS, draw=_draw)
