"""The covering law: which share of held-out facts comes out, predicted from the model before fine-tuning, in many
worlds; and what the paper says of K, of coverage and of |R|, read from the same cells."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Protocol, RunResult, Runs, Scale, Undecided, at_least, at_most
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._trends import over_seeds
from lemmata.papers.knowledge.run.covering import CoveringCells
from lemmata.papers.knowledge.run.pipeline import StagesConfig, theory_model
from lemmata.papers.knowledge.theory.concentration import hoeffding_bound
from lemmata.papers.knowledge.theory.covering import Asked, best_increasing, extraction_law, one_is_enough
from lemmata.report.plots import COLOURS, columns, legend, letter, new_figure

SIZES = ("subjects", "templates", "multiplicity", "asked")  # N, |R|, K, F
MODEL = ("relation_logit", "answer_logit", "to_subject", "to_prompt", "active_relation", "active_answer", "shared")
RIVALS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "K": lambda cell: cell[:, 2],
    "F": lambda cell: cell[:, 3],
    "K F": lambda cell: cell[:, 2] * cell[:, 3],
}
COUNTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "K F/|R|": lambda cell: cell[:, 2] * cell[:, 3] / cell[:, 1],
    "F/|R|": lambda cell: cell[:, 3] / cell[:, 1],
}
MARGIN = 0.1  # of extraction, by which the law's error is to be smaller than that of a rival
OURS = Protocol("sizes, learning rates and steps", "our text has no formula of the characterization, and orders alone")


def covering_cells(scale: Scale) -> CoveringCells:
    return CoveringCells(
        worlds=sizes.LAW_WORLDS.at(scale),
        asked=sizes.LAW_ASKED.at(scale),
        model=theory_model(**sizes.LAW_MODEL.at(scale)),
        stages=StagesConfig(steps=sizes.LAW_STEPS.at(scale)),
        steps=sizes.PIPELINE_TUNING_STEPS.at(scale),
        seeds=sizes.seeds(scale, sizes.LAW_SEEDS, sizes.PIPELINE_FIRST_SEED),
    )


class Cells(NamedTuple):
    """All cells of a run: [seed, cell]."""

    run: RunResult
    column: str = "extraction"
    one_is_enough: bool = False  # in the law's place: a fact comes out when one of its templates is covered

    @property
    def sizes(self) -> np.ndarray:
        """[cell, N |R| K F]."""
        every = np.stack([self.run.column(name) for name in SIZES], axis=1).astype(int)
        return np.unique(every, axis=0)

    def each(self, name: str) -> np.ndarray:
        """A column, [seed, cell]."""
        cells = [dict(zip(SIZES, cell.tolist(), strict=True)) for cell in self.sizes]
        return np.stack([self.run.column(name, **cell) for cell in cells], axis=1).astype(float)

    @property
    def extraction(self) -> np.ndarray:
        return self.each("extraction")

    @property
    def predicted(self) -> np.ndarray:
        """By the covering law, from each seed's model before fine-tuning."""
        config, models = self.run.config, np.stack([self.each(name) for name in MODEL], axis=2)
        worlds = self.sizes.tolist()
        if self.one_is_enough:
            return np.tile([one_is_enough(k, f, r) for _, r, k, f in worlds], (len(models), 1))
        each = [[Asked(*world, *one.tolist()) for world, one in zip(worlds, of, strict=True)] for of in models]
        speed = config.descent.neuron_learning_rate, config.steps
        return np.array([[extraction_law(world, *speed) for world in of_seed] for of_seed in each])

    @property
    def error(self) -> np.ndarray:
        """Of the law, the mean over cells of its distance from what was measured, a number a seed."""
        return np.abs(self.predicted - self.extraction).mean(axis=1)

    def rival_error(self, of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The same of the best increasing function of a rival, fitted to the mean of all seeds."""
        fitted = best_increasing(of(self.sizes), self.extraction.mean(axis=0))
        return np.abs(fitted - self.extraction).mean(axis=1)

    @property
    def over_union_bound(self) -> np.ndarray:
        """The error on held-out facts less (44) with a union bound over templates, the mean over the cells in which
        that says something, a number a seed."""
        bounds = np.array([r * hoeffding_bound(f, k, r) for _, r, k, f in self.sizes.tolist()])
        if not np.any(bounds < 1):
            raise Undecided("in every cell the union bound is vacuous")
        return np.mean((1 - self.each(self.column) - bounds)[:, bounds < 1], axis=1)

    def over(self, name: str) -> np.ndarray:
        """By how much the law is nearer than a rival."""
        return self.rival_error({**RIVALS, **COUNTS}[name]) - self.error

    def change(self, size: int) -> np.ndarray:
        """The mean change of extraction from the least of one size to the most, over the worlds that differ in it
        alone, a number a seed."""
        cells, values = self.sizes, self.each(self.column)
        rest = np.delete(cells, size, axis=1)
        lines = [np.flatnonzero(np.all(rest == world, axis=1)) for world in np.unique(rest, axis=0)]
        return np.mean([values[:, line[-1]] - values[:, line[0]] for line in lines if len(line) > 1], axis=0)


def cells(runs: Runs) -> Cells:
    return Cells(runs["main"])


def _counts(runs: Runs) -> str:
    found = cells(runs)
    words = [f"{name} {found.rival_error(of).mean():.3f}" for name, of in {**RIVALS, **COUNTS}.items()]
    return (
        f"Mean distance from what was measured: the law {found.error.mean():.3f}, fitted to nothing; the best "
        f"increasing function of each rival, fitted to these cells: {', '.join(words)}. A question shares its gradient "
        "among its K relations, so a template's count is worth 1/K of itself."
    )


LAW = Claim(
    id="covering-law",
    locus="Core claim: the relation-covering characterization; our text has no formula, this one is ours",
    uses=("hoeffding-cover",),
    statement=r"From the model before fine-tuning and $N$, $|\mathcal{R}|$, $K$, $F$ alone the covering law predicts "
    "the share of held-out facts that comes out: all $K$ templates counted more than $n^*$ times among $F$ subjects. "
    "Judged, mean over seeds: its mean error over all cells, and by how much the best increasing function of $K$, of "
    "$F$, of $K F$ is further off.",
    subject=cells,
    wrong=lambda runs: Cells(runs["main"], one_is_enough=True),
    parts={
        "error of the law": over_seeds(lambda found: found.error, at_most(0.1)),
        **{
            f"nearer than {name}": over_seeds(lambda found, name=name: found.over(name), at_least(MARGIN))
            for name in RIVALS
        },
    },
    protocol=OURS,
    remark=_counts,
)


UNION = Claim(
    id="union-bound",
    locus="beyond the paper; equation (44) with a union bound over templates, put on the error of held-out facts",
    uses=("hoeffding-cover", "cover-all-templates"),
    statement=r"Where $|\mathcal{R}| \exp(-F K^2 / (2 |\mathcal{R}|^2)) < 1$, the error on held-out facts is below it: "
    "with that probability every template is counted half its mean, and that is often enough. Judged: the error less "
    "the bound, mean over these cells and over seeds.",
    subject=cells,
    wrong=lambda runs: Cells(runs["main"], "extraction_before"),
    parts=over_seeds(lambda found: found.over_union_bound, at_most(0.0)),
    protocol=OURS,
    remark="The bound needs many questions a template: at most of the cells it says nothing, and the law does.",
)


def covering_law_trend(id: str, size: int, sign: int, least: float, locus: str, statement: str) -> Claim:
    return Claim(
        id=id,
        locus=locus,
        statement=f"{statement} Judged: the change of extraction from the least to the most, mean over all worlds that "
        "differ in nothing else and over all seeds.",
        subject=cells,
        wrong=lambda runs: Cells(runs["main"], "extraction_before"),
        parts=over_seeds(lambda found: sign * found.change(size), at_least(least)),
        protocol=OURS,
    )


TRENDS = (
    covering_law_trend(
        "multiplicity",
        2,
        1,
        0.1,
        "Abstract; core claim; consequence 2",
        "With the same subjects asked about, more templates a subject, $K$, bring out more facts of the others.",
    ),
    covering_law_trend(
        "coverage",
        3,
        1,
        0.3,
        "Abstract; core claim",
        "The more subjects fine-tuning asks about, the more facts of the others come out.",
    ),
    covering_law_trend(
        "template-universe",
        1,
        -1,
        0.1,
        "Abstract: extraction becomes harder as the relation-template universe grows",
        r"With $N$, $K$ and the number of questions fixed, extraction becomes harder as $|\mathcal{R}|$ grows.",
    ),
)


def draw(runs: Runs) -> Artefact:
    found = cells(runs)
    sizes_of, predicted, measured = found.sizes, found.predicted.mean(axis=0), found.extraction.mean(axis=0)
    figure, axes = new_figure(1, 3, width=13.0, height=3.6)
    for k, colour in zip(np.unique(sizes_of[:, 2]), ("blue", "orange", "vermillion", "green"), strict=False):
        of_k = sizes_of[:, 2] == k
        axes[0].plot(predicted[of_k], measured[of_k], "o", color=COLOURS[colour], markersize=4, label=f"K = {k}")
        for ax, name in zip(axes[1:], COUNTS, strict=True):
            ax.plot(COUNTS[name](sizes_of)[of_k], 1 - measured[of_k], "o", color=COLOURS[colour], markersize=4)
    axes[0].plot((0, 1), (0, 1), color=COLOURS["black"], linewidth=1)
    axes[0].set(xlabel="covering law", ylabel="held-out facts that come out", title="fitted to nothing")
    for ax, name in zip(axes[1:], COUNTS, strict=True):
        ax.set_xscale("log", base=2)  # sizes double from cell to cell
        ax.set(xlabel=name, ylabel="error on held-out facts", title=f"against {name}")
    legend(axes[0], fontsize=7)
    letter(axes)
    rows = [
        dict(zip(("N", "|R|", "K", "F"), cell, strict=True)) | {"law": float(law), "measured": float(seen)}
        for cell, law, seen in zip(sizes_of.tolist(), predicted, measured, strict=True)
    ]
    config = runs["main"].config
    caption = (
        f"{len(sizes_of)} cells (N, |R|, K, F), {len(config.seeds)} seeds, all counted, pre-trained in stages to "
        f"{runs['main'].column('excess').mean():.3f} nats over the least loss. (a) The share of held-out facts that "
        "comes out against the covering law, which sees the model before fine-tuning alone. (b) The error against K "
        "F/|R|, the mean count of equation (44), and (c) against F/|R|. In neither alone do all K fall on one line."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="The covering law",
    runs=lambda scale: {"main": covering_cells(scale)},
    needs={"main": stored},
    claims=(LAW, UNION, *TRENDS),
    draw=draw,
)
