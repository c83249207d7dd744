"""The appendix's concentration bound, equation (44), and how many subjects it takes to cover every template."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lemmata.core import Artefact, RunConfig, RunContext, RunOutput, Scale, require
from lemmata.core.legacy import AtLeast, AtMost, Claim, Correction, Each, Experiment, Results
from lemmata.papers.knowledge.task import Facts, FactsConfig
from lemmata.papers.knowledge.theory import concentration
from lemmata.report.plots import CYCLE, legend, new_figure, panel_label

Case = tuple[int, int]  # K, q


@dataclass(frozen=True, kw_only=True)
class CoverBound(RunConfig):
    """Exact tails of the number of subjects with a template, and the same count in facts drawn by the task."""

    kind = "knowledge/cover-bound"

    cases: tuple[Case, ...] = ((5, 5), (3, 8), (5, 20), (1, 10), (5, 80))
    subjects: tuple[int, ...] = (10, 20, 50, 100, 200)
    failure: float = 0.05  # the chance of missing some template that is put up with
    worlds: int = 40

    def __post_init__(self) -> None:
        for multiplicity, templates in self.cases:
            require(1 <= multiplicity <= templates, "cases", (multiplicity, templates), "pairs 1 <= K <= q")
        require(min(self.subjects, default=0) >= 2, "subjects", self.subjects, "numbers from 2 on")
        require(0 < self.failure < 1, "failure", self.failure, "between 0 and 1")
        require(self.worlds >= 1, "worlds", self.worlds, "at least 1")

    def execute(self, context: RunContext) -> RunOutput:
        tails, covers = [], []
        for done, (multiplicity, templates) in enumerate(self.cases):
            context.progress("cases", done, len(self.cases))
            counts = self.drawn_counts(multiplicity, templates)
            for subjects in self.subjects:
                case = subjects, multiplicity, templates
                half = multiplicity * subjects / (2 * templates)
                tails.append(
                    {
                        "multiplicity": multiplicity,
                        "templates": templates,
                        "subjects": subjects,
                        "at_least": concentration.at_least_half(*case),
                        "at_most": concentration.at_most_half(*case),
                        "at_most_unpopular": concentration.at_most_half(*case, popularity=0.5),
                        "drawn_at_most": float(np.mean(counts[subjects] <= half)),
                        "hoeffding": concentration.hoeffding_bound(*case),
                        "chernoff": concentration.chernoff_bound(*case),
                    }
                )
            covers.append(self.cover_numbers(multiplicity, templates))
        arrays = {f"cover_{name}": np.array([row[name] for row in covers]) for name in covers[0]}
        return RunOutput({name: np.array([row[name] for row in tails]) for name in tails[0]}, arrays)

    def drawn_counts(self, multiplicity: int, templates: int) -> dict[int, np.ndarray]:
        """How many of the first n subjects have each template, in every world: arrays of [world, template]."""
        config = FactsConfig(subjects=max(self.subjects), templates=templates, multiplicity=multiplicity)
        sets = np.stack([np.asarray(Facts.create(config, seed).templates) for seed in range(self.worlds)])
        has = (sets[:, :, :, None] == np.arange(templates)).any(axis=2)
        return {subjects: has[:, :subjects].sum(axis=1) for subjects in self.subjects}

    def cover_numbers(self, multiplicity: int, templates: int) -> dict[str, float]:
        """Subjects that suffice by each bound, the exact number, and what the bound's number really covers with."""
        case = multiplicity, templates, self.failure
        enough = concentration.hoeffding_cover(*case)
        exact = concentration.subjects_to_cover(*case)
        return {
            "exact": exact,
            "union": concentration.union_cover(*case),
            "chernoff": concentration.chernoff_cover(*case),
            "hoeffding": enough,
            "probability": concentration.cover_probability(multiplicity, templates, enough)[-1],
            "probability_too_few": concentration.cover_probability(multiplicity, templates, exact - 1)[-1],
        }


PRINTED, OTHER, DRAWN = "P[count ≥ Kn/2q]", "P[count ≤ Kn/2q]", "count ≤ Kn/2q in drawn facts"


def _tails(results: Results, at_most: str) -> dict[str, Any]:
    run = results.one(CoverBound)
    return {PRINTED: run.column("at_least"), OTHER: run.column(at_most), DRAWN: run.column("drawn_at_most")}


def _bounds(results: Results, *, bounded: str) -> dict[str, Any]:
    """The bound where it is claimed; 1, which bounds any probability, where nothing is."""
    bound = results.one(CoverBound).column("hoeffding")
    nothing = np.ones_like(bound)
    return {name: bound if name in bounded else nothing for name in (PRINTED, OTHER, DRAWN)}


HOEFFDING_COVER = Claim(
    id="knowledge/hoeffding-cover",
    locus="Appendix, equation (44)",
    statement="Of n subjects with K of q templates each, the number that have template j reaches half of its mean "
    "Kn/q with a probability of at most exp(-nK²/(2q²)), as printed. Measured exactly (binomial tails) for several "
    "n, K, q, and as a frequency in drawn facts (rule there: bound plus .05).",
    predict=lambda results: _bounds(results, bounded=PRINTED),
    measure=lambda results: _tails(results, "at_most"),
    control=lambda results: _tails(results, "at_most_unpopular"),  # templates that are told half as often
    check=Each({PRINTED: AtMost(), OTHER: AtMost(), DRAWN: AtMost(slack=0.05)}),
    correction=Correction(
        predict=lambda results: _bounds(results, bounded=OTHER + DRAWN),
        printed="P[Σ_i 1(j ∈ A_i) ≥ Kn/(2q)] ≤ exp(-nK²/(2q²))",
        corrected="P[Σ_i 1(j ∈ A_i) ≤ Kn/(2q)] ≤ exp(-nK²/(2q²))",
        reason="The mean is Kn/q, so the printed event is almost certain. Hoeffding's inequality, which the proof "
        "names, bounds the lower tail: a template told at most half as often as expected. That every template is "
        "covered, the use made of it, needs the lower tail too.",
    ),
)


COVER_ALL = Claim(
    id="knowledge/cover-all-templates",
    locus="Appendix, equation (44) with a union bound over templates",
    statement="2 (q/K)² log(q/δ) subjects cover all q templates with probability 1 - δ at least; shown: the exact "
    "probability at that number, for each K and q.",
    predict=lambda results: 1 - results.one(CoverBound).config.failure,
    measure=lambda results: results.one(CoverBound).arrays["cover_probability"],
    # One subject fewer than the exact number.
    control=lambda results: results.one(CoverBound).arrays["cover_probability_too_few"],
    check=AtLeast(),
    remark="True and loose: it grows with (q/K)², where q/K times a logarithm is enough. At K = 5, q = 80, δ = .05 it "
    "asks for 3,778 subjects, the multiplicative bound for 945 and the exact count for 114.",
)


def render(results: Results) -> Artefact:
    run = results.one(CoverBound)
    figure, (left, right) = new_figure(1, 2, width=9.6)
    for colour, (multiplicity, templates) in zip(CYCLE, run.config.cases, strict=False):
        where = {"multiplicity": multiplicity, "templates": templates}
        order = np.argsort(run.column("subjects", **where))
        n = run.column("subjects", **where)[order]
        floor = 1e-6
        left.plot(n, run.column("hoeffding", **where)[order], color=colour, linestyle="--", linewidth=1.2)
        left.plot(
            n,
            np.maximum(run.column("at_most", **where)[order], floor),
            color=colour,
            marker="o",
            markersize=3,
            label=f"K = {multiplicity}, q = {templates}",
        )
        left.plot(n, run.column("at_least", **where)[order], color=colour, linestyle=":", linewidth=1.2)
    left.set(xlabel="subjects n", ylabel="probability", yscale="log", ylim=(1e-6, 2), title="bound and exact tails")
    legend(left, fontsize=7, loc="lower left")
    names = [f"{k}, {q}" for k, q in run.config.cases]
    at = np.arange(len(names))
    for shift, (name, label) in enumerate(
        [("exact", "exact"), ("union", "union bound"), ("chernoff", "Chernoff"), ("hoeffding", "Hoeffding, eq. (44)")]
    ):
        right.bar(at + 0.2 * (shift - 1.5), run.arrays[f"cover_{name}"], 0.2, label=label, color=CYCLE[shift])
    right.set_xticks(at, names)
    right.set(
        xlabel="K, q", ylabel="subjects", yscale="log", title=f"to cover all templates but with {run.config.failure:g}"
    )
    legend(right, fontsize=7)
    for letter, ax in zip("ab", (left, right), strict=True):
        panel_label(ax, letter)
    caption = (
        "(a) Exact probability that a template has at most half its expected count among n subjects (points; values "
        "under 10⁻⁶ lie on the floor), the bound exp(-nK²/(2q²)) (dashed) and the probability of the event as printed "
        "(dotted, near 1). (b) Subjects needed to cover every template: exact, and by three bounds."
    )
    table = {name: run.metrics[name] for name in run.metrics}
    return Artefact(figure, table, caption)


def grid(scale: Scale) -> tuple[CoverBound, ...]:
    worlds = scale.pick(smoke=10, laptop=40, paper=200)
    return (CoverBound(worlds=worlds),)


EXPERIMENTS = (
    Experiment(
        id="knowledge/hoeffding-cover",
        title="The concentration bound, and covering every template",
        grid=grid,
        claims=(HOEFFDING_COVER, COVER_ALL),
        render=render,
    ),
)
